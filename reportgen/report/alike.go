package report

import (
	"slices"
	"strings"
	"time"
)

// alike writes texts that differ in nothing but durations as one: "answered in 22ms to 60ms". It reports whether they are.
func alike(texts []string) (string, bool) {
	first := strings.Fields(texts[0])
	low, high := slices.Clone(first), slices.Clone(first)
	for _, text := range texts[1:] {
		words := strings.Fields(text)
		if len(words) != len(first) {
			return "", false
		}
		for i, w := range words {
			switch d, ok := duration(w); {
			case w == first[i]:
			case !ok || mark(w) != mark(first[i]):
				return "", false
			default:
				if least, ok := duration(low[i]); !ok {
					return "", false
				} else if d < least {
					low[i] = w
				}
				if most, _ := duration(high[i]); d > most {
					high[i] = w
				}
			}
		}
	}
	for i := range first {
		if low[i] != high[i] {
			first[i] = strings.TrimSuffix(low[i], mark(low[i])) + " to " + high[i]
		}
	}
	return strings.Join(first, " "), true
}

// duration reads a word as a duration, whatever punctuation is behind it.
func duration(word string) (time.Duration, bool) {
	d, err := time.ParseDuration(strings.TrimSuffix(word, mark(word)))
	return d, err == nil
}

// mark is the punctuation at the end of a word.
func mark(word string) string { return word[len(strings.TrimRight(word, ",;.)")):] }

package report

import (
	"strings"
	"unicode"
)

// macroName makes the name of a LaTeX macro, letters only, of the parts that say what a number is: every run of letters is a
// word, every digit a word of its own, and every word but the first begins with a capital. step6, full_v27 and commit_kops
// make stepSixFullVTwoSevenCommitKops.
func macroName(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		start := true
		for _, r := range part {
			switch {
			case '0' <= r && r <= '9':
				addWord(&b, digitWords[r-'0'])
				start = true
			case r < unicode.MaxASCII && unicode.IsLetter(r):
				if start {
					addWord(&b, string(r))
				} else {
					b.WriteRune(r)
				}
				start = false
			default:
				start = true
			}
		}
	}
	if b.Len() == 0 {
		return "number"
	}
	return b.String()
}

var digitWords = [10]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}

func addWord(b *strings.Builder, word string) {
	if b.Len() == 0 {
		b.WriteString(strings.ToLower(word[:1]) + word[1:])
		return
	}
	b.WriteString(strings.ToUpper(word[:1]) + word[1:])
}

// A namer hands out names of macros, none twice: of two numbers whose parts make the same name, the second one gets a B
// behind it, the third a C.
type namer map[string]bool

func (n namer) name(parts ...string) string {
	base := macroName(parts...)
	name := base
	for i := 1; n[name]; i++ {
		name = base + suffix(i)
	}
	n[name] = true
	return name
}

// suffix counts in letters: B, C, … Z, ZB, ZC, …
func suffix(i int) string {
	const letters = "BCDEFGHIJKLMNOPQRSTUVWXYZ"
	return strings.Repeat("Z", (i-1)/len(letters)) + letters[(i-1)%len(letters):][:1]
}

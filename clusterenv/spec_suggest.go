package clusterenv

import "fmt"

// didYouMean names the one of allowed that word is nearest to, or nothing when none is near.
func didYouMean(word string, allowed []string) string {
	best, least := "", 3 // at most two slips, and fewer than half of the letters
	if len(word) > 40 {
		return ""
	}
	for _, a := range allowed {
		if d := editDistance(word, a); d < least && 2*d < len(a)+1 {
			best, least = a, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", best)
}

// editDistance is the least number of insertions, deletions, replacements and swaps of neighbours between a and b (optimal
// string alignment).
func editDistance(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			replace := row[j]
			if a[i] != b[j] {
				replace++
			}
			next[j+1] = min(replace, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

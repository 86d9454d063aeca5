package clusterenv

import "strings"

// matchWildcard reports whether text is what pattern describes: * is any text, ? is one byte (ssh_config(5), PATTERNS).
func matchWildcard(text, pattern string) bool {
	star, retry := -1, 0 // where to go on with one more byte under the last *
	t, p := 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, retry = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			t++
			p++
		case star >= 0:
			retry++
			t, p = retry, star+1
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// matchAny reports whether one of the patterns describes text and none that begins with ! does.
func matchAny(text string, patterns []string) bool {
	found := false
	for _, p := range patterns {
		p, negated := strings.CutPrefix(p, "!")
		if !matchWildcard(text, p) {
			continue
		}
		if negated {
			return false
		}
		found = true
	}
	return found
}

// matchList is matchAny for a list with commas.
func matchList(text, list string) bool { return matchAny(text, strings.Split(list, ",")) }

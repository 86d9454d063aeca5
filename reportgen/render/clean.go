package render

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is how many characters of a text from a log a table shows.
const maxText = 200

// escapes are terminal sequences: CSI (colours, cursor), OSC (titles, links) up to its end, and two-byte ones.
var escapes = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[ -/]*[0-Z\\\\^-~])|\u009b[0-?]*[ -/]*[@-~]")

// Clean makes one harmless line of any text: no terminal sequences, every run of white space one blank, and U+FFFD for
// what is invalid, invisible or turns the direction of writing.
func Clean(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	s = escapes.ReplaceAllString(s, "")
	s = strings.Join(strings.Fields(s), " ")
	return strings.Map(func(r rune) rune {
		if r != ' ' && !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// short is Clean, cut to what a table has room for.
func short(s string) string { return cut(s, maxText) }

// cut is Clean, cut to at most that many characters.
func cut(s string, most int) string {
	// Cutting first bounds the work on a log line of any length; four bytes a character, and room for colours.
	if len(s) > 16*most {
		s = s[:16*most]
	}
	s = Clean(s)
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// orAbsent is short, with a dash for nothing.
func orAbsent(s string) string {
	if s = short(s); s == "" {
		return absent
	}
	return s
}

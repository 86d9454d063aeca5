package render

import (
	"regexp"
	"strings"
)

// lineWidth is how many columns of a terminal the running text of a report takes.
const lineWidth = 100

// item writes an item of a list, wrapped to lineWidth.
func (p *printer) item(text string) {
	p.printf("- %s\n", wrap(blockEscape(markdownEscape(Clean(text))), lineWidth-2, "  "))
}

// wrap breaks an escaped text at blanks; every line after the first begins with indent. A line takes one word at least.
func wrap(text string, columns int, indent string) string {
	var b strings.Builder
	used := 0
	for i, word := range words(text) {
		n := displayWidth(word)
		switch {
		case i == 0:
		case used+1+n > columns:
			b.WriteString("\n" + indent)
			word = lineStartEscape(word)
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}

// percentSign matches a sign of percent with the punctuation behind it.
var percentSign = regexp.MustCompile(`^%[.,;:)]*$`)

// words splits a text at blanks, but leaves a sign of percent with its number.
func words(text string) []string {
	var list []string
	for _, word := range strings.Fields(text) {
		if n := len(list); n > 0 && percentSign.MatchString(word) && isDigit(list[n-1][len(list[n-1])-1]) {
			list[n-1] += " " + word
			continue
		}
		list = append(list, word)
	}
	return list
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// lineStart matches the words that would open a block, or turn the line before into a heading or a table, if they stood at
// the start of a line of running text.
var lineStart = regexp.MustCompile(`^(?:[-+*:>]|~~~|=+$|--)`)

var numbered = regexp.MustCompile(`^(\d{1,9})([.)])$`)

// lineStartEscape is blockEscape for a word that wrap puts at the start of a line. Signs before letters and digits are
// left alone: "-22.2" opens nothing.
func lineStartEscape(word string) string {
	if m := numbered.FindStringSubmatch(word); m != nil {
		return m[1] + `\` + m[2]
	}
	if !lineStart.MatchString(word) || len(word) > 1 && strings.ContainsRune("-+*", rune(word[0])) && isAlnum(word[1]) {
		return word
	}
	return `\` + word
}

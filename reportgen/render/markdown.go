package render

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Markdown writes GitHub's Markdown with its columns padded, so that it reads as well on a terminal.
type Markdown struct{}

// File returns <experiment>.md.
func (Markdown) File(experiment string) string { return experiment + ".md" }

// Write writes the table, its notes, the attempts that were not used, and what went wrong in them.
func (Markdown) Write(w io.Writer, t *Table) error {
	p := &printer{w: w}
	p.printf("## %s\n\n", markdownEscape(short(t.title())))
	rows := make([][]string, 0, len(t.Rows))
	for i := range t.Rows {
		rows = append(rows, t.texts(&t.Rows[i]))
	}
	p.grid(t.Header(), rows, 1)
	p.printf("\n")
	for _, note := range t.footnotes() {
		p.item(note)
	}
	if g := t.OtherMetrics(); g != nil {
		p.printf("\n### Other metrics (medians)\n\n")
		p.grid(g.Head, g.Rows, g.Right)
	}
	if len(t.NotUsed) > 0 {
		p.printf("\n### Attempts that were not used\n\n")
		shown := t.NotUsed[:min(len(t.NotUsed), maxNotUsed)]
		p.grid([]string{"cell", "rep", "try", "verdict", "reason"}, notUsedCells(shown), -1)
		if more := len(t.NotUsed) - len(shown); more > 0 {
			p.printf("\n")
			p.item(count(more, "more attempt") + " in the CSV file of the attempts.")
		}
	}
	p.faults(t)
	return p.err
}

// maxNotUsed is how many attempts that were not used Markdown and LaTeX list; the CSV has all of them.
const maxNotUsed = 50

func notUsedCells(list []NotUsed) [][]string {
	var rows [][]string
	for _, n := range list {
		try := absent
		if n.Try > 0 {
			try = fmt.Sprint(n.Try)
		}
		rows = append(rows, []string{labelOf(n.Cell), n.reps(), try, string(n.Attempt.Verdict), orAbsent(n.Attempt.Reason)})
	}
	return rows
}

// maxPadded is to how many columns a last column of texts is padded: one long text must not make every line long.
const maxPadded = 60

// grid writes a padded table whose columns from the given one on are numbers, set to the right; -1: none.
func (p *printer) grid(head []string, rows [][]string, numbers int) {
	right := func(i int) bool { return numbers >= 0 && i >= numbers }
	widths := make([]int, len(head))
	escaped := [][]string{escapeAll(head)}
	for _, row := range rows {
		escaped = append(escaped, escapeAll(row))
	}
	for _, row := range escaped {
		for i, cell := range row {
			widths[i] = max(widths[i], displayWidth(cell), 3)
		}
	}
	if last := len(head) - 1; !right(last) {
		widths[last] = min(widths[last], maxPadded)
	}
	for n, row := range escaped {
		for i, cell := range row {
			pad := strings.Repeat(" ", max(0, widths[i]-displayWidth(cell)))
			if right(i) {
				p.printf("| %s%s ", pad, cell)
			} else {
				p.printf("| %s%s ", cell, pad)
			}
		}
		p.printf("|\n")
		if n == 0 {
			p.rule(widths, right)
		}
	}
}

// rule writes the line under the header, which also says how columns are set.
func (p *printer) rule(widths []int, right func(int) bool) {
	for i, n := range widths {
		if right(i) {
			p.printf("|%s:", strings.Repeat("-", n+1))
		} else {
			p.printf("|:%s", strings.Repeat("-", n+1))
		}
	}
	p.printf("|\n")
}

func escapeAll(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = markdownEscape(short(c))
	}
	return out
}

// displayWidth counts the columns that s takes on a terminal.
func displayWidth(s string) int {
	n := 0
	for _, r := range s {
		switch k := width.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me): // combining: no column of its own
		case k == width.EastAsianWide || k == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

// markdownEscape escapes what GitHub would take for markup, and no more: the text is also read on terminals.
func markdownEscape(s string) string {
	var b strings.Builder
	prev := ' '
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		if needsBackslash(prev, r, next) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		prev = r
	}
	return b.String()
}

// blockStart matches what would open a list, a quotation or a rule at the start of a line; "+a1: …" would not.
var blockStart = regexp.MustCompile(`^(>|[-+=][-+= ]|\d{1,9}[.)] )`)

// blockEscape keeps an escaped text from opening a block.
func blockEscape(s string) string {
	m := blockStart.FindString(s)
	switch {
	case m == "":
		return s
	case '0' <= m[0] && m[0] <= '9':
		return m[:len(m)-2] + "\\" + s[len(m)-2:]
	}
	return "\\" + s
}

// needsBackslash decides on a character between its neighbours; next is utf8.RuneError at the end of the text.
func needsBackslash(prev, r, next rune) bool {
	word := func(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	blank := func(r rune) bool { return r == ' ' || r == utf8.RuneError }
	switch r {
	case '\\', '`', '|', '$':
		return true
	case '<': // a tag or a link
		return word(next) || strings.ContainsRune("/!?", next)
	case '*', '~': // between blanks they stand for themselves
		return !blank(prev) || !blank(next)
	case '_': // inside a word it is no emphasis
		return !word(prev) || !word(next)
	case '&': // an entity
		return word(next) || next == '#'
	case ']': // a link, an image, a definition
		return next == '(' || next == '[' || next == ':'
	case '#': // a heading, or the tail of one
		return blank(prev)
	}
	return false
}

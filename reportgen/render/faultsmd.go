package render

import (
	"regexp"
	"slices"
	"strings"
)

// maxFaults is how many faults Markdown shows of a table; the CSV has all of them.
const maxFaults = 30

// shownEvidence is how many pieces of evidence the table of the faults shows of each, every one in at most evidenceText
// characters.
const (
	shownEvidence = 2
	evidenceText  = 80
)

// faults writes the section that says what went wrong: a row per fault, and below the rows what each is and what helps.
func (p *printer) faults(t *Table) {
	if len(t.Faults) == 0 {
		return
	}
	shown := t.Faults[:min(len(t.Faults), maxFaults)]
	p.printf("\n### What went wrong\n\n")
	p.grid([]string{"attempts", "fault", "where", "evidence"}, faultCells(t, shown), -1)
	p.printf("\n")
	var explained []string
	for i := range shown {
		if text := explanation(&shown[i]); !slices.Contains(explained, text) {
			explained = append(explained, text)
			p.item(text)
		}
	}
	if more := len(t.Faults) - len(shown); more > 0 {
		p.item(count(more, "more fault") + " in the CSV file.")
	}
}

func faultCells(t *Table, faults []Fault) [][]string {
	rows := make([][]string, 0, len(faults))
	for i := range faults {
		f := &faults[i]
		rows = append(rows, []string{f.attempts(t.severalTries), f.name(), orAbsent(f.where()), f.evidence()})
	}
	return rows
}

// name is the fault with its doubt, and what it follows from: "lost-cn, from process-crashed".
func (f *Fault) name() string {
	text := short(f.Fault)
	if !f.Certain {
		text += " (probably)"
	}
	if f.Follows != "" {
		text = "↳ " + text + ", follows from " + short(f.Follows)
	}
	return text
}

func (f *Fault) where() string { return strings.Join(f.Places, ", ") }

// evidence is the first of what shows the fault, in the first attempt that has it.
func (f *Fault) evidence() string {
	var parts []string
	for _, e := range f.Evidence[:min(len(f.Evidence), shownEvidence)] {
		parts = append(parts, cut(e.String(), evidenceText))
	}
	if more := len(f.Evidence) - len(parts); more > 0 {
		parts = append(parts, count(more, "more line"))
	}
	return orAbsent(strings.Join(parts, "; "))
}

// slug matches the names of the faults that docs/faults.md has headings for.
var slug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+){0,9}$`)

// explanation is the fault in words: what it is, its cause here, its cure, and where to read on.
func explanation(f *Fault) string {
	text := short(f.Fault)
	if len(f.Places) > 0 {
		text += " (" + short(f.where()) + ")"
	}
	text += ": "
	if title := short(f.Title); title != "" {
		text += sentence(title) + " "
	}
	text += sentence("Cause: " + orAbsent(f.Cause))
	if f.Follows == "" {
		text += " " + sentence("Cure: "+orAbsent(f.Cure))
	}
	if slug.MatchString(f.Fault) {
		text += " See docs/faults.md#" + f.Fault
	}
	return text
}

// sentence ends a text with one full stop.
func sentence(s string) string { return strings.TrimRight(s, ".") + "." }

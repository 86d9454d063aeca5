package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// answerBadges colour the answers of checks.
var answerBadges = map[results.Answer]Badge{results.Yes: Good, results.No: Bad, results.Unknown: Doubt, results.Skipped: Neutral}

// A checkRow is one row of the table of checks.
type checkRow struct {
	names   []string // of checks
	nodes   []string
	answer  results.Answer
	reasons []string // all alike
	cure    string
	origins []Part
}

// sanityTable lists the checks. Nodes with one answer and cure share a row, if their reasons differ in durations only; so do
// checks that were skipped for one reason.
func (b *builder) sanityTable(s *results.Sanity) *Table {
	var rows []*checkRow
	for _, c := range s.Checks {
		if c.Answer == results.Yes {
			c.Cure = ""
		}
		i := slices.IndexFunc(rows, func(r *checkRow) bool { return r.takes(c) })
		if i < 0 {
			i, rows = len(rows), append(rows, &checkRow{answer: c.Answer, cure: c.Cure})
		}
		r := rows[i]
		if !slices.Contains(r.names, c.Check) {
			r.names = append(r.names, c.Check)
		}
		if c.Node != "" {
			r.nodes = append(r.nodes, c.Node)
		}
		r.reasons = append(r.reasons, c.Reason)
		origin := results.Origin{File: "sanity.json", Line: c.Line}
		r.origins = append(r.origins, Part{Text: strings.TrimSpace(c.Node + " " + string(c.Answer)), Lines: b.lines(origin)})
	}
	t := &Table{File: "sanity", Float: "Checks before the run", Head: []string{"check", "nodes", "answer", "reason", "cure"}, Right: -1, Wrap: 3}
	for _, r := range rows {
		t.Rows = append(t.Rows, r.cells())
	}
	return t
}

// takes reports whether a check belongs into the row.
func (r *checkRow) takes(c results.Check) bool {
	if r.answer != c.Answer || r.cure != c.Cure {
		return false
	}
	if r.names[0] != c.Check {
		return c.Answer == results.Skipped && c.Node == "" && len(r.nodes) == 0 && r.reasons[0] == c.Reason
	}
	_, ok := alike(append(slices.Clone(r.reasons), c.Reason))
	return ok
}

func (r *checkRow) cells() []Cell {
	who := nodeNames(r.nodes)
	if who == "" {
		who = "all"
	}
	reason, _ := alike(r.reasons)
	check := r.names[0]
	if n := len(r.names); n > 1 {
		check, reason = count(n, "check"), strings.Join(r.names, ", ")+": "+reason
	}
	return []Cell{{Text: check}, {Text: who}, {Text: string(r.answer), Badge: answerBadges[r.answer], Origins: r.origins},
		{Text: orDash(reason)}, {Text: orDash(r.cure)}}
}

// sanityText counts the answers: "18 checks: 15 yes, 1 no, 2 unknown."
func sanityText(s *results.Sanity) string {
	var parts []string
	for _, a := range []results.Answer{results.Yes, results.No, results.Unknown, results.Skipped} {
		n := 0
		for _, c := range s.Checks {
			if c.Answer == a {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, a))
		}
	}
	text := plural(len(s.Checks), "check") + ": " + strings.Join(parts, ", ") + "."
	if s.Time != "" {
		text += " Asked on " + moment(s.Time) + "."
	}
	return text
}

// unsound names the checks whose answer was not yes.
func unsound(s *results.Sanity, answer results.Answer) string {
	var names []string
	for _, c := range s.Checks {
		name := c.Check
		if c.Node != "" {
			name += " on " + c.Node
		}
		if c.Answer == answer && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	const most = 8
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	return and(names)
}

func orDash(s string) string {
	if strings.TrimSpace(s) == "" {
		return absent
	}
	return s
}

// absent stands for what there is not.
const absent = "—"

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// answerBadges colour the answers of checks.
var answerBadges = map[results.Answer]Badge{results.Yes: Good, results.No: Bad, results.Unknown: Doubt, results.Skipped: Neutral}

// sanityTable lists the checks; nodes with one answer, reason and cure share a row.
func (b *builder) sanityTable(s *results.Sanity) *Table {
	t := &Table{File: "sanity", Float: "Checks before the run", Head: []string{"check", "nodes", "answer", "reason", "cure"}, Right: -1, Wrap: 3}
	type key struct {
		check, reason, cure string
		answer              results.Answer
	}
	var order []key
	nodes := map[key][]string{}
	origins := map[key][]Part{}
	for _, c := range s.Checks {
		k := key{c.Check, c.Reason, c.Cure, c.Answer}
		if c.Answer == results.Yes {
			k.cure = ""
		}
		if origins[k] == nil {
			order = append(order, k)
		}
		if c.Node != "" {
			nodes[k] = append(nodes[k], c.Node)
		}
		origin := results.Origin{File: "sanity.json", Line: c.Line}
		origins[k] = append(origins[k], Part{Text: strings.TrimSpace(c.Node + " " + string(c.Answer)), Lines: b.lines(origin)})
	}
	for _, k := range order {
		who := nodeNames(nodes[k])
		if who == "" {
			who = "all"
		}
		t.Rows = append(t.Rows, []Cell{{Text: k.check}, {Text: who}, {Text: string(k.answer), Badge: answerBadges[k.answer], Origins: origins[k]},
			{Text: orDash(k.reason)}, {Text: orDash(k.cure)}})
	}
	return t
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
		text += " Asked at " + s.Time + "."
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

package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// overview says which runs the report is about and how their attempts ended.
func overview(builders []*builder) Section {
	t := &Table{File: "runs", Head: []string{"run", "program", "cluster", "kind", "began", "pass", "fail", "infra", "invalid", "no end"}, Right: 5}
	for _, b := range builders {
		run := b.Run
		counts := map[results.Verdict]int{}
		for _, e := range run.Experiments {
			for _, a := range e.Attempts {
				counts[a.Verdict]++
			}
		}
		row := []Cell{{Text: orDash(run.ID)}, {Text: orDash(run.System)}, {Text: orDash(run.Cluster)}, {Text: kind(run)}, {Text: orDash(moment(run.Started))}}
		for _, v := range []results.Verdict{results.Pass, results.Fail, results.Infra, results.Invalid} {
			row = append(row, countCell(counts[v], verdictBadges[v]))
		}
		t.Rows = append(t.Rows, append(row, countCell(counts[results.NotRun]+counts[results.Unfinished], Neutral)))
	}
	s := Section{File: "runs", Title: "Runs", Blocks: []Block{{Table: t}}, placed: -1}
	for _, b := range builders {
		if b.Run.Recording != "" {
			s.Blocks = append(s.Blocks, list("", Warnings, []string{b.Run.ID + ": " + b.Run.Recording})...)
		}
	}
	return s
}

// countCell is a number of attempts; no badge on none.
func countCell(n int, badge Badge) Cell {
	c := Cell{Text: fmt.Sprint(n), Value: float64(n), Has: true}
	if n > 0 {
		c.Badge = badge
	}
	return c
}

// kind is what sort of cluster a run was on.
func kind(run *results.Run) string {
	text := cmp.Or(map[string]string{"local": "emulated, one machine", "rxe": "soft-RoCE guests", "cloudlab": "real nodes"}[run.Tag], run.Tag, "unknown")
	if run.Recording != "" {
		text += ", recording"
	}
	return text
}

// moment writes an RFC 3339 time to the second; UTC is not named.
func moment(text string) string {
	text, _, _ = strings.Cut(text, ".")
	return strings.TrimSuffix(strings.Replace(text, "T", " ", 1), "Z")
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// verdictBadges colour the verdicts.
var verdictBadges = map[results.Verdict]Badge{results.Pass: Good, results.Fail: Bad, results.Infra: Doubt, results.Invalid: Doubt,
	results.Unfinished: Neutral, results.NotRun: Neutral}

// maxWrong bounds the rows of each table of what went wrong; the CSV files of the experiments have all of them.
const maxWrong = 200

// wrong adds the attempts whose numbers were not used, the faults that explain them and the doubts about the records.
func (b *builder) wrong() {
	s := Section{File: "wrong", Title: "What went wrong"}
	attempts := &Table{File: "wrong", Title: "Attempts whose numbers are not used", Head: []string{"experiment", "cell", "rep", "try", "verdict", "reason"}, Right: -1}
	faults := &Table{File: "wrong.faults", Title: "Faults that explain them", Head: []string{"experiment", "attempts", "fault", "where", "evidence"}, Right: -1}
	var cures []string
	for _, t := range b.tables() {
		for _, n := range t.NotUsed {
			attempts.Rows = append(attempts.Rows, attemptRow(t, n))
		}
		for i := range t.Faults {
			faults.Rows = append(faults.Rows, b.faultRow(t, &t.Faults[i]))
			if cure := cure(&t.Faults[i]); !slices.Contains(cures, cure) {
				cures = append(cures, cure)
			}
		}
	}
	for _, t := range []*Table{attempts, faults} {
		if more := len(t.Rows) - maxWrong; more > 0 {
			t.Rows = t.Rows[:maxWrong]
			cures = append(cures, fmt.Sprintf("%s: %d more rows are in the CSV files.", t.Title, more))
		}
		if len(t.Rows) > 0 {
			s.Blocks = append(s.Blocks, Block{Table: t})
		}
	}
	s.Blocks = append(s.Blocks, list("", Notes, cures)...)
	s.Blocks = append(s.Blocks, list("What could not be read", Warnings, b.Run.Warnings)...)
	b.add(s)
}

// tables are those of this run.
func (b *builder) tables() []*render.Table {
	var list []*render.Table
	for _, t := range b.report.Tables {
		if t.run == b.Run {
			list = append(list, t.Table)
		}
	}
	return list
}

func attemptRow(t *render.Table, n render.NotUsed) []Cell {
	rep, try := fmt.Sprint(n.First), absent
	if n.Last > n.First {
		rep = fmt.Sprintf("%d to %d", n.First, n.Last)
	}
	if n.Try > 0 {
		try = fmt.Sprint(n.Try)
	}
	v := n.Attempt.Verdict
	return []Cell{{Text: t.Experiment}, {Text: cellLabel(n.Cell)}, {Text: rep, Value: float64(n.First), Has: true}, {Text: try, Value: float64(n.Try), Has: n.Try > 0},
		{Text: string(v), Badge: verdictBadges[v]}, {Text: orDash(n.Attempt.Reason)}}
}

func cellLabel(c results.Cell) string {
	if c.Label != "" {
		return c.Label
	}
	return c.Name
}

// faultRow shows the first evidence of a fault; all of it is in the origins.
func (b *builder) faultRow(t *render.Table, f *render.Fault) []Cell {
	evidence := Cell{Text: absent}
	for _, e := range f.Evidence {
		part := Part{Text: e.Text}
		if e.Line > 0 {
			part.Lines = b.lines(results.Origin{File: e.File, Line: e.Line})
			part.Text = "line of a log"
		} else if e.File != "" {
			part.Text = e.File + ": " + e.Text
		}
		evidence.Origins = append(evidence.Origins, part)
	}
	if len(f.Evidence) > 0 {
		evidence.Text = cut(render.Clean(f.Evidence[0].String()))
	}
	name := f.Fault
	if !f.Certain {
		name += " (probably)"
	}
	if f.Follows != "" {
		name = "↳ " + name + ", follows from " + f.Follows
	}
	return []Cell{{Text: t.Experiment}, {Text: attemptsOf(f)}, {Text: name}, {Text: orDash(strings.Join(f.Places, ", "))}, evidence}
}

// attemptsOf names the first of the attempts that had a fault.
func attemptsOf(f *render.Fault) string {
	const most = 6
	var names []string
	for _, n := range f.Attempts[:min(len(f.Attempts), most)] {
		name := fmt.Sprintf("%s rep %d", cellLabel(n.Cell), n.First)
		if n.Try > 1 {
			name += fmt.Sprintf(" (try %d)", n.Try)
		}
		names = append(names, name)
	}
	if more := len(f.Attempts) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// cure says what a fault is and what helps.
func cure(f *render.Fault) string {
	text := f.Fault + ": " + sentence(f.Title)
	if f.Cause != "" {
		text += " Cause: " + sentence(f.Cause)
	}
	if f.Cure != "" && f.Follows == "" {
		text += " Cure: " + sentence(f.Cure)
	}
	return text
}

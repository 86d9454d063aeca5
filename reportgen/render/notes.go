package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/results"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// title is the heading of the table: the experiment and its question.
func (t *Table) title() string {
	if t.Question == "" {
		return t.Experiment
	}
	return t.Experiment + " — " + t.Question
}

// notes are what a reader must know besides the numbers: what they are, their doubts, and where they were measured.
func notes(t *Table, run *results.Run, exp *results.Experiment) []string {
	list := []string{"Values are medians over the n passed reps. In brackets: the interval of the median from order statistics, at the level beside it."}
	list = append(list, summaryNotes(t.Rows)...)
	list = append(list, deltaNotes(t)...)
	list = append(list, absentNote(t.Rows)...)
	list = append(list, notSelectedNote(t)...)
	list = append(list, notUsedNote(t.NotUsed)...)
	return append(list, whereNote(run), orderNote(run, exp))
}

// summaryNotes are the warnings of the medians and intervals, those of commit KOPS first, each once, with the cells that it
// is about.
func summaryNotes(rows []Row) []string {
	var intervals, others grouped
	for _, c := range metricColumns {
		for _, r := range rows {
			s, some := r.Values[c.metric]
			for _, w := range s.Warnings {
				if c.metric == commitKOPS {
					intervals.add(w, r.label())
				} else {
					others.add(c.head+": "+w, r.label())
				}
			}
			if have := len(r.metric(c.metric)); some && have < len(r.Used) {
				others.add(partly(c.head, have, len(r.Used)), r.label())
			}
		}
	}
	all := countUsed(rows)
	return append(intervals.lines(all), others.lines(all)...)
}

func partly(head string, have, used int) string {
	return fmt.Sprintf("%s: only %d of %d passed reps have it", head, have, used)
}

// deltaNotes explain the last column, if it says anything.
func deltaNotes(t *Table) []string {
	base := t.baseline()
	if note := noDelta(t.Rows, base); note != "" {
		return []string{note}
	}
	var g grouped
	unproved, compared := false, 0
	for _, r := range t.Rows {
		if !r.Baseline && r.Delta.N > 0 && r.Delta.NBase > 0 {
			compared++
			unproved = unproved || !r.Delta.Significant()
		}
		for _, w := range r.Delta.Warnings {
			if !strings.Contains(w, "not finite") { // said with the medians
				g.add(w, r.label())
			}
		}
	}
	if compared == 0 {
		return nil
	}
	text := fmt.Sprintf("Δ: commit KOPS median against that of %s; p: two-sided Mann-Whitney U, not corrected for the number of cells.", short(base.label()))
	if unproved {
		text += fmt.Sprintf(" A ~ means: not shown to differ at p < %v.", stats.Alpha)
	}
	return append([]string{text}, g.lines(compared)...)
}

// noDelta says why nothing is compared, if there is a row to compare and no baseline; empty otherwise.
func noDelta(rows []Row, base *Row) string {
	others := slices.ContainsFunc(rows, func(r Row) bool { return !r.Baseline && len(r.Used) > 0 })
	switch {
	case !others:
		return ""
	case base == nil:
		return "No Δ: this run has no passed rep of a baseline."
	case len(base.Used) == 0:
		return fmt.Sprintf("No Δ: this run has no passed rep of %s, the cell to compare with.", short(base.label()))
	case len(base.metric(commitKOPS)) == 0:
		return fmt.Sprintf("No Δ: no passed rep of %s has commit KOPS.", short(base.label()))
	}
	return ""
}

// absentNote explains the dash where a cell that passed has no number.
func absentNote(rows []Row) []string {
	for _, r := range rows {
		for _, c := range metricColumns {
			if _, ok := r.Values[c.metric]; !ok && len(r.Used) > 0 {
				return []string{absent + ": no log has this number. It is absent, not 0."}
			}
		}
	}
	return nil
}

// maxDoubts is how many doubts stand below a table; the CSV has all of them.
const maxDoubts = 10

// footnotes are the notes and the first of the doubts.
func (t *Table) footnotes() []string {
	shown := t.Doubts[:min(len(t.Doubts), maxDoubts)]
	list := slices.Concat(t.Notes, shown)
	if more := len(t.Doubts) - len(shown); more > 0 {
		list = append(list, fmt.Sprintf("%d more doubts about single reps are in the CSV file.", more))
	}
	return list
}

// doubts are the warnings of single reps whose numbers are in the table.
func doubts(rows []Row) []string {
	var list []string
	for _, r := range rows {
		for _, a := range r.Used {
			for _, w := range a.Warnings {
				list = append(list, fmt.Sprintf("%s rep %d: %s", short(r.label()), a.Rep, short(w)))
			}
		}
	}
	return list
}

// notSelectedNote names the cells of the plan that this run was not asked for.
func notSelectedNote(t *Table) []string {
	var names []string
	for _, r := range t.Rows {
		if len(r.Used) == 0 && countNotUsed(t.NotUsed, r.Cell.Name) == 0 {
			names = append(names, short(r.label()))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{strings.Join(names, ", ") + ": no rep was planned in this run."}
}

// notUsedNote counts the attempts that are not in the table, by verdict.
func notUsedNote(list []NotUsed) []string {
	verdicts := []results.Verdict{results.Pass, results.Fail, results.Infra, results.Invalid, results.Unfinished, results.NotRun}
	names := map[results.Verdict]string{results.Pass: "superseded"}
	counts := map[results.Verdict]int{}
	for _, n := range list {
		if v := n.Attempt.Verdict; !slices.Contains(verdicts, v) {
			verdicts = append(verdicts, v)
		}
		counts[n.Attempt.Verdict] += n.Last - n.First + 1
	}
	var parts []string
	for _, v := range verdicts {
		name := names[v]
		if name == "" {
			name = orAbsent(string(v))
		}
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[v], name))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"Not in these numbers: " + strings.Join(parts, ", ") + "."}
}

// whereNote says what was measured and what figures from there are worth.
func whereNote(run *results.Run) string {
	text := orUnknown(run.System, "A program whose name was not recorded") + " on " +
		orUnknown(prefixed("cluster ", run.Cluster), "a cluster whose name was not recorded")
	if run.Recording != "" {
		text = run.Recording + ". " + text
	}
	kind := run.Tag
	if kind == "" {
		kind = run.Cluster // local and rxe clusters are named after their tag
	}
	const worth = ", measured on one machine; ratios and counters mean something, absolute throughput does not."
	switch kind {
	case "local":
		return text + ": emulated" + worth
	case "rxe":
		return text + ": virtual machines with soft-RoCE" + worth
	}
	return text + "."
}

func orderNote(run *results.Run, exp *results.Experiment) string {
	text := "Run " + orUnknown(run.ID, "without a recorded name")
	if len(exp.Cells) > 0 && exp.Reps > 0 {
		text += fmt.Sprintf(": %s × %s", count(len(exp.Cells), "cell"), count(exp.Reps, "rep"))
	}
	if exp.Order == "" {
		return text + "; order of the reps not recorded."
	}
	return fmt.Sprintf("%s, order %s, seed %d.", text, short(exp.Order), exp.Seed)
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func orUnknown(s, unknown string) string {
	if s = short(s); s == "" {
		return unknown
	}
	return s
}

func countUsed(rows []Row) int {
	n := 0
	for _, r := range rows {
		if len(r.Used) > 0 {
			n++
		}
	}
	return n
}

// grouped collects texts in the order of their first appearance, with the cells that they are about.
type grouped struct {
	texts []string
	cells map[string][]string
}

func (g *grouped) add(text, cell string) {
	if g.cells == nil {
		g.cells = map[string][]string{}
	}
	if g.cells[text] == nil {
		g.texts = append(g.texts, text)
	}
	if !slices.Contains(g.cells[text], cell) {
		g.cells[text] = append(g.cells[text], cell)
	}
}

// lines returns the texts as notes, each after its cells, which are not named if they are all that there are.
func (g *grouped) lines(all int) []string {
	var list []string
	for _, text := range g.texts {
		var names []string
		for _, cell := range g.cells[text] {
			names = append(names, short(cell))
		}
		if len(names) < all {
			text = strings.Join(names, ", ") + ": " + text
		}
		list = append(list, text+".")
	}
	return list
}

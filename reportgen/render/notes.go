package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// title is the heading of the table: the experiment and its question.
func (t *Table) title() string {
	if t.Question == "" {
		return t.Experiment
	}
	return t.Experiment + " — " + t.Question
}

// notes are what a reader must know besides the numbers: how the experiment was meant, what the numbers are, their doubts, and
// where they were measured.
func notes(t *Table, run *results.Run, exp *results.Experiment) []string {
	var list []string
	for _, n := range exp.Notes {
		list = append(list, sentence(short(n)))
	}
	list = append(list, "Values are medians over the n passed reps. In brackets: the interval of the median from order statistics, at the level beside it.")
	list = append(list, t.summaryNotes()...)
	list = append(list, t.bootstrapNote()...)
	list = append(list, t.deltaNotes()...)
	list = append(list, t.aaNote()...)
	for _, w := range t.Warnings {
		list = append(list, "Careful: "+sentence(w))
	}
	list = append(list, t.outlierNotes()...)
	list = append(list, t.repsNote()...)
	list = append(list, absentNote(t)...)
	list = append(list, deferredNotes(t.Rows)...)
	list = append(list, notSelectedNote(t)...)
	list = append(list, notUsedNote(t.NotUsed)...)
	return append(list, whereNote(run), orderNote(run, exp))
}

// deferredNotes say which cells were put off, by which criterion, when and why.
func deferredNotes(rows []Row) []string {
	var g grouped
	for _, r := range rows {
		if d := r.Cell.Deferred; r.deferred() {
			text := fmt.Sprintf("deferred by criterion %d", d.Criterion)
			if d.Text != "" {
				text += " (" + short(d.Text) + ")"
			}
			if d.Date != "" {
				text += " on " + short(d.Date)
			}
			if d.Reason != "" {
				text += ": " + short(d.Reason)
			}
			g.add(strings.TrimRight(text, "."), r.label())
		}
	}
	return g.lines(len(rows) + 1)
}

// absentNote explains the dash where a cell that passed has no number.
func absentNote(t *Table) []string {
	for _, r := range t.Rows {
		for _, c := range t.columns {
			if _, ok := r.Values[c.metric]; c.metric != "" && !ok && len(r.Used) > 0 {
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

// doubts are what the logs say against single reps whose numbers are in the table: warm-ups, and the warnings of each.
func doubts(rows []Row) []string {
	var list []string
	for i := range rows {
		if w := rows[i].warmup(); w != "" {
			list = append(list, short(rows[i].label())+": "+w)
		}
	}
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
		if len(r.Used) == 0 && !r.deferred() && countNotUsed(t.NotUsed, r.Cell.Name) == 0 {
			names = append(names, short(r.label()))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{firstFew(names, maxNames) + ": no rep was planned in this run."}
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

// maxNames is how many cells or texts one note names; the rest is counted.
const maxNames = 8

// firstFew joins the first of a list and counts the rest.
func firstFew(list []string, most int) string {
	if more := len(list) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), more)
	}
	return strings.Join(list, ", ")
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
			text = firstFew(names, maxNames) + ": " + text
		}
		list = append(list, text+".")
	}
	return list
}

package render

import (
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/results"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// A Table is one experiment of one run, ready to be written.
type Table struct {
	Run        string // id of the run
	System     string
	Cluster    string
	Experiment string
	Test       string
	Question   string
	Rows       []Row
	NotUsed    []NotUsed
	Faults     []Fault // that explain why attempts did not pass
	Notes      []string
	Doubts     []string    // about the numbers of single reps; what the logs tell, a stream of test events does not
	Warnings   []string    // about all numbers of the table; they are among the notes, too
	AA         *Row        // the cell that was measured twice, which says how large noise is; nil if none was
	Trend      stats.Trend // of commit_kops over the order in which the run executed its attempts

	columns []column
}

// A Row is one cell of the experiment.
type Row struct {
	Cell      results.Cell
	Used      []results.Attempt        // one per passed rep, by rep
	Values    map[string]stats.Summary // by name of metric; a metric that no used attempt has is absent
	Baseline  bool                     // the row that the others are compared to; a run may have none
	Delta     stats.Delta              // of commit_kops to the baseline's; of an A/A cell to that of the cell it repeats
	AA        stats.AA                 // of an A/A cell: its verdict
	InNoise   bool                     // Delta is no larger than the A/A cell's noise floor
	Bootstrap stats.Bootstrap          // of commit_kops
}

// NotUsed is an attempt whose numbers are not in the table, or a row of reps that were never started.
type NotUsed struct {
	Cell        results.Cell
	First, Last int // reps; equal, unless the verdict is results.NotRun
	Try         int // 0: none
	Attempt     results.Attempt
}

// NewTable makes the table of one experiment of a run.
func NewTable(run *results.Run, exp *results.Experiment) *Table {
	t := &Table{Run: run.ID, System: run.System, Cluster: run.Cluster,
		Experiment: exp.Name, Test: exp.Test, Question: exp.Question}
	byCell := map[string][]results.Attempt{}
	for _, a := range exp.Attempts {
		byCell[a.Cell] = append(byCell[a.Cell], a)
	}
	for _, cell := range cellsOf(exp) {
		used, notUsed := choose(cell, byCell[cell.Name])
		t.Rows = append(t.Rows, newRow(cell, used, cell.Name == exp.Baseline))
		t.NotUsed = append(t.NotUsed, notUsed...)
	}
	t.compare()
	t.judge()
	t.columns = t.layout()
	t.Faults = faultsOf(t.NotUsed)
	t.Notes, t.Doubts = notes(t, run, exp), doubts(t.Rows)
	return t
}

// baseline returns the row that the others are compared to, nil if there is none.
func (t *Table) baseline() *Row {
	for i := range t.Rows {
		if t.Rows[i].Baseline {
			return &t.Rows[i]
		}
	}
	return nil
}

// row returns the row of a cell, nil if there is none.
func (t *Table) row(cell string) *Row {
	for i := range t.Rows {
		if t.Rows[i].Cell.Name == cell {
			return &t.Rows[i]
		}
	}
	return nil
}

func newRow(cell results.Cell, used []results.Attempt, baseline bool) Row {
	r := Row{Cell: cell, Used: used, Baseline: baseline, Values: map[string]stats.Summary{}}
	for _, a := range used {
		for name := range a.Metrics {
			if _, done := r.Values[name]; !done {
				r.Values[name] = stats.Summarize(r.metric(name))
			}
		}
	}
	r.Bootstrap = stats.BootstrapMedian(r.metric(commitKOPS))
	return r
}

// metric returns the values of a metric in the used attempts that have it.
func (r *Row) metric(name string) []float64 {
	var values []float64
	for _, a := range r.Used {
		if m, ok := a.Metrics[name]; ok {
			values = append(values, m.Value)
		}
	}
	return values
}

// isAA reports whether the row repeats another cell.
func (r *Row) isAA() bool { return r.Cell.AAOf != "" && !r.Baseline }

// deferred reports whether the cell was put off, and has no numbers for that reason.
func (r *Row) deferred() bool { return r.Cell.Deferred != nil && len(r.Used) == 0 }

// label is how the row's cell is printed.
func (r *Row) label() string { return labelOf(r.Cell) }

func labelOf(c results.Cell) string {
	if c.Label != "" {
		return c.Label
	}
	return c.Name
}

// cellsOf returns the planned cells in table order, then those that only attempts name: by name if there was a plan, which
// makes the order independent of where the attempts were read from, else in the order of the attempts.
func cellsOf(exp *results.Experiment) []results.Cell {
	cells := slices.Clone(exp.Cells)
	known := map[string]bool{}
	for _, c := range cells {
		known[c.Name] = true
	}
	for _, a := range exp.Attempts {
		if !known[a.Cell] {
			known[a.Cell] = true
			cells = append(cells, results.Cell{Name: a.Cell})
		}
	}
	if n := len(exp.Cells); n > 0 {
		slices.SortFunc(cells[n:], func(a, b results.Cell) int { return strings.Compare(a.Name, b.Name) })
	}
	for i := range cells { // where there is no plan, the name tells
		if of, ok := strings.CutSuffix(cells[i].Name, "_aa"); ok && cells[i].AAOf == "" && known[of] {
			cells[i].AAOf = of
		}
	}
	return cells
}

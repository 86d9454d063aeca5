// Package compare sets runs side by side: the same cells, measured by several versions. The first run is what the others are
// compared to. Medians, intervals and tests are those of package stats, and so of benchstat: centre, difference and p are the
// same, and intervals where benchstat has one; where the reps are too few for 95 % it prints ±∞, and here stands the interval
// that they can give, with its level.
package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// A Source is one run and how it is called.
type Source struct {
	Name string
	Run  *results.Run
}

// A Comparison is what several runs have in common, and what not.
type Comparison struct {
	Names       []string // of the runs; the first is compared to
	Differences []string // of their plans, clusters and programs: to be read before the numbers
	Tables      []Table
}

// A Table is one metric of one experiment.
type Table struct {
	Experiment string
	Metric     string
	Unit       string
	Rows       []Row
	Floors     []float64 // by run: the A/A noise floor of the metric, percent; NaN where no cell was measured twice
	GeoMeans   []GeoMean // by run; empty if the table has no ratio to average, or only one
}

// A Row is one cell in all runs.
type Row struct {
	Cell  results.Cell
	Sides []Side // by run
}

// A Side is one cell of one run.
type Side struct {
	HasCell bool
	Values  []float64
	Summary stats.Summary
	Delta   stats.Delta // to the first run
	InNoise bool        // Delta is within the noise floor of the two runs
	Other   string      // unit of the values, where it is not the table's: they are not compared
}

// A GeoMean is the mean of the ratios of one run's medians to the first run's. A/A cells are left out: they would count twice.
type GeoMean struct {
	Cells    int
	Ratio    float64 // NaN if there is none
	Warnings []string
}

// ErrOne says that there is nothing to compare with.
var ErrOne = errors.New("only one run: nothing to compare it with")

// New compares the runs, of which there must be two at least.
func New(sources []Source) (*Comparison, error) {
	if len(sources) < 2 {
		return nil, ErrOne
	}
	c := &Comparison{Differences: differences(sources)}
	for _, s := range sources {
		c.Names = append(c.Names, s.Name)
	}
	for _, e := range measuredExperiments(sources) {
		c.Tables = append(c.Tables, e.tables()...)
		if text := e.notUsed(c.Names); text != "" {
			c.Differences = append(c.Differences, text)
		}
	}
	if len(c.Tables) == 0 {
		return nil, errors.New("no run has a number")
	}
	return c, nil
}

// Common reports whether a row has values in the first run and in another one.
func (r *Row) Common() bool {
	return r.Sides[0].Summary.HasValue() && slices.ContainsFunc(r.Sides[1:], func(s Side) bool { return s.Delta.HasTest() })
}

// Has reports whether a run has a value of the metric.
func (t *Table) Has(run int) bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Sides[run].Summary.HasValue() })
}

// An experiment holds the measured cells of one experiment of all runs.
type experiment struct {
	name   string
	runs   int
	cells  []results.Cell
	sides  map[string][]*measured // by cell, then by run; nil where the run has no such cell
	unused []int                  // attempts without a number that may be used, by run
}

// measured are the values of one cell, by metric.
type measured struct {
	values map[string][]float64
	units  map[string]string
}

// side returns the place for a cell of a run.
func (e *experiment) side(cell results.Cell, run int) *measured {
	if e.sides[cell.Name] == nil {
		e.cells = append(e.cells, cell)
		e.sides[cell.Name] = make([]*measured, e.runs)
	}
	if e.sides[cell.Name][run] == nil {
		e.sides[cell.Name][run] = &measured{values: map[string][]float64{}, units: map[string]string{}}
	}
	return e.sides[cell.Name][run]
}

func (m *measured) add(metric, unit string, value float64) {
	m.values[metric] = append(m.values[metric], value)
	m.units[metric] = unit
}

// measuredExperiments reads the cells of the experiments that belong together, and of the benchmarks behind them.
func measuredExperiments(sources []Source) []*experiment {
	var list []*experiment
	for _, exps := range byExperiment(sources) {
		e := newExperiment(nameOf(exps), len(sources))
		for run, exp := range exps {
			if exp != nil {
				e.take(run, render.NewTable(sources[run].Run, exp))
			}
		}
		list = append(list, e)
	}
	return append(list, benchmarks(sources))
}

func newExperiment(name string, runs int) *experiment {
	return &experiment{name: name, runs: runs, sides: map[string][]*measured{}, unused: make([]int, runs)}
}

// take adds the used attempts of a table.
func (e *experiment) take(run int, t *render.Table) {
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Cell.Label == "" {
			r.Cell.Label = r.Cell.Name
		}
		m := e.side(r.Cell, run)
		for _, a := range r.Used {
			for name, metric := range a.Metrics {
				m.add(name, metric.Unit, metric.Value)
			}
		}
	}
	for _, n := range t.NotUsed {
		e.unused[run] += n.Last - n.First + 1
	}
}

// notUsed says how many attempts are not in the tables.
func (e *experiment) notUsed(names []string) string {
	var parts []string
	for run, n := range e.unused {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d in %s", n, names[run]))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return e.name + ": attempts that did not run, did not pass or were tried again, and do not count: " + strings.Join(parts, ", ")
}

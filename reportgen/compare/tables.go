package compare

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gotestbed/gotestbed/reportgen/results"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// benchmarksName is what the benchmarks of a run, which belong to no experiment, are called.
const benchmarksName = "benchmarks"

// benchmarks brings together the benchmarks of the runs that are not reps of a cell, each as a cell.
func benchmarks(sources []Source) *experiment {
	e := newExperiment(benchmarksName, len(sources))
	for run, s := range sources {
		if s.Run.Bench == nil {
			continue
		}
		for _, res := range s.Run.Bench.Results {
			if bytes.Contains(res.Name, []byte("/cell=")) {
				continue
			}
			m := e.side(results.Cell{Name: string(res.Name), Label: string(res.Name)}, run)
			for _, v := range res.Values {
				m.add(v.Unit, v.Unit, v.Value)
			}
		}
	}
	return e
}

// firstMetrics are the metrics that everybody asks for, in the order in which their tables stand; the others follow by name.
var firstMetrics = []string{"tried_kops", "commit_kops", "commit_rate", "atomic_per_txn", "cn_balance", "n_sgd_logs", "p50_us", "p99_us"}

// tables makes a table of every metric that one of the runs has.
func (e *experiment) tables() []Table {
	metrics := map[string]bool{}
	for _, sides := range e.sides {
		for _, m := range sides {
			if m != nil {
				for name := range m.values {
					metrics[name] = true
				}
			}
		}
	}
	place := func(name string) int {
		if i := slices.Index(firstMetrics, name); i >= 0 {
			return i
		}
		return len(firstMetrics)
	}
	var list []Table
	for _, metric := range slices.SortedFunc(maps.Keys(metrics), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	}) {
		list = append(list, e.table(metric))
	}
	return list
}

// table compares one metric, all its cells and runs as one family.
func (e *experiment) table(metric string) Table {
	t := Table{Experiment: e.name, Metric: metric, Floors: make([]float64, e.runs)}
	for _, cell := range e.cells {
		row := Row{Cell: cell, Sides: make([]Side, e.runs)}
		for run, m := range e.sides[cell.Name] {
			row.Sides[run] = newSide(m, metric)
			if m != nil && m.units[metric] != "" {
				t.Unit = cmp.Or(t.Unit, m.units[metric])
				if m.units[metric] != t.Unit {
					row.Sides[run].Other = m.units[metric]
				}
			}
		}
		t.Rows = append(t.Rows, row)
	}
	for run := range t.Floors {
		t.Floors[run] = t.floor(run)
	}
	t.test()
	t.average()
	return t
}

func newSide(m *measured, metric string) Side {
	if m == nil {
		return Side{Summary: stats.Summarize(nil), Delta: stats.Compare(nil, nil)}
	}
	return Side{HasCell: true, Values: m.values[metric], Summary: stats.Summarize(m.values[metric]), Delta: stats.Compare(nil, nil)}
}

// floor is the noise floor of a run: the largest of its cells that were measured twice.
func (t *Table) floor(run int) float64 {
	floor := math.NaN()
	for _, r := range t.Rows {
		i := slices.IndexFunc(t.Rows, func(o Row) bool { return r.Cell.AAOf != "" && o.Cell.Name == r.Cell.AAOf })
		if i < 0 {
			continue
		}
		aa := stats.JudgeAA(t.Rows[i].Sides[run].Values, r.Sides[run].Values)
		if aa.HasFloor() && !(floor > aa.Floor) {
			floor = aa.Floor
		}
	}
	return floor
}

// test compares every run with the first.
func (t *Table) test() {
	var bases, samples [][]float64
	var sides []*Side
	var runs []int
	for i := range t.Rows {
		r := &t.Rows[i]
		for run := range r.Sides[1:] {
			side := &r.Sides[run+1]
			if side.Other == "" && r.Sides[0].Other == "" {
				bases, samples = append(bases, r.Sides[0].Values), append(samples, side.Values)
				sides, runs = append(sides, side), append(runs, run+1)
			}
		}
	}
	for i, d := range stats.ComparePairs(bases, samples) {
		sides[i].Delta = d
		if floor, ok := t.noise(runs[i]); ok && d.HasValue() && math.Abs(d.Percent) <= floor {
			sides[i].InNoise = true
			sides[i].Delta.Warnings = append(sides[i].Delta.Warnings, fmt.Sprintf("Δ is within the A/A noise floor of %.1f %%", floor))
		}
	}
}

// noise is the larger noise floor of the first run and another.
func (t *Table) noise(run int) (floor float64, ok bool) {
	a, b := t.Floors[0], t.Floors[run]
	switch {
	case math.IsNaN(a):
		return b, !math.IsNaN(b)
	case math.IsNaN(b):
		return a, true
	}
	return max(a, b), true
}

// average sets the geometric means of the ratios, from two ratios on.
func (t *Table) average() {
	means := make([]GeoMean, len(t.Floors))
	useful := false
	for run := range means {
		var ratios []float64
		var failed int
		for _, r := range t.Rows {
			switch d := r.Sides[run].Delta; {
			case run == 0 || r.Cell.AAOf != "" || !d.HasTest():
			case d.HasValue():
				ratios = append(ratios, 1+d.Percent/100)
			default:
				failed++
			}
		}
		means[run] = GeoMean{Cells: len(ratios), Ratio: math.NaN()}
		if failed > 0 {
			means[run].Warnings = []string{fmt.Sprintf("%d cells have no ratio: no geometric mean", failed)}
		} else {
			means[run].Ratio, means[run].Warnings = stats.GeoMean(ratios)
		}
		useful = useful || len(ratios) > 1
	}
	if useful {
		t.GeoMeans = means
	}
}

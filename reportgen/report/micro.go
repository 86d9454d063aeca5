package report

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// microTables are the results of the wanted benchmarks, with notes on all of them.
func (b *builder) microTables(file string, all *results.Bench, wanted func(name string) bool) (tables []*Table, notes []string) {
	var list []*benchfmt.Result
	for _, res := range all.Results {
		if base, _ := nameParts(res.Name); wanted(base) && !isCell(res.Name) {
			list = append(list, res)
		}
	}
	benches := split(list)
	common := commonConfig(benches)
	made := map[string]int{}
	for _, group := range families(benches) {
		t := b.microTable(all, group, common)
		base := group[0].base
		t.File = file + "." + render.FileName(base)
		if made[base]++; made[base] > 1 {
			t.File = fmt.Sprintf("%s-%d", t.File, made[base])
		}
		tables = append(tables, t)
	}
	notes = countNotes(benches)
	if len(common) > 0 {
		notes = append(notes, "All with "+strings.Join(common, ", ")+".")
	}
	for _, res := range list {
		for _, d := range all.Doubts(res) {
			base, _ := nameParts(res.Name)
			notes = append(notes, fmt.Sprintf("%s (%s): %s", base, all.Origin(res), sentence(d)))
		}
	}
	return tables, notes
}

// countNotes say what the numbers of results mean.
func countNotes(benches []*bench) []string {
	if !slices.ContainsFunc(benches, func(one *bench) bool { return len(one.results) > 1 }) {
		return []string{"Each row is one result, without repetition."}
	}
	notes := []string{"Values are medians over n results. In brackets: the interval of the median from order statistics, at the level beside it."}
	for _, one := range benches {
		for _, unit := range one.units() {
			for _, w := range stats.Summarize(one.values(unit)).Warnings {
				if w = sentence(w); !slices.Contains(notes, w) {
					notes = append(notes, w)
				}
			}
		}
	}
	return notes
}

// microTable has a row for each benchmark of a group and a column for each unit.
func (b *builder) microTable(all *results.Bench, group []*bench, common []string) *Table {
	var names [][]string // of the parts
	for _, one := range group {
		names = append(names, strings.Fields(one.describe(common)))
	}
	alike := inAll(names)
	t := &Table{Title: strings.Join(append([]string{group[0].base}, alike...), " "), Head: []string{"parameters", "n"}, Right: 1}
	units := group[0].units()
	print := make([]prefix, len(units))
	for i, unit := range units {
		var values []float64
		for _, one := range group {
			values = append(values, one.values(unit)...)
		}
		print[i] = printUnit(unit, values)
		t.Head = append(t.Head, print[i].print)
	}
	repeated := slices.ContainsFunc(group, func(one *bench) bool { return len(one.results) > 1 })
	if repeated {
		t.Head = append(t.Head, "level")
	}
	for i, one := range group {
		n := len(one.results)
		own := slices.DeleteFunc(slices.Clone(names[i]), func(part string) bool { return slices.Contains(alike, part) })
		row := []Cell{{Text: orDash(strings.Join(own, " "))}, {Text: fmt.Sprint(n), Value: float64(n), Has: true}}
		for i, unit := range units {
			row = append(row, b.microCell(all, one, unit, print[i]))
		}
		if repeated {
			s := stats.Summarize(one.values(units[0]))
			level := Cell{Text: absent, Value: s.Level, Has: s.HasInterval()}
			if level.Has {
				level.Text = stats.FormatLevel(s.Level)
			}
			row = append(row, level)
		}
		t.Rows, t.Keys = append(t.Rows, row), append(t.Keys, one.base+" "+one.describe(common))
	}
	return t
}

// inAll are the parts that all of several names have; none of a single one.
func inAll(names [][]string) []string {
	var parts []string
	for _, part := range names[0] {
		if len(names) > 1 && !slices.ContainsFunc(names, func(other []string) bool { return !slices.Contains(other, part) }) {
			parts = append(parts, part)
		}
	}
	return parts
}

// microCell is the median of one unit over the results of a benchmark.
func (b *builder) microCell(all *results.Bench, one *bench, unit string, in prefix) Cell {
	var values []float64
	var origins []Part
	var doubts []string
	for i, res := range one.results {
		raw, ok := res.Value(unit)
		if !ok {
			continue
		}
		v := raw / in.factor
		values = append(values, v)
		for _, d := range all.Doubts(res) {
			doubts = append(doubts, fmt.Sprintf("result %d: %s", i+1, d))
		}
		origins = append(origins, Part{Text: fmt.Sprintf("result %d: %s %s", i+1, render.FormatNumber(v, 4), in.print), Lines: b.lines(all.Origin(res))})
	}
	s := stats.Summarize(values)
	plain, _, _ := strings.Cut(in.print, " (")
	text := absent
	if s.HasValue() {
		text = render.FormatNumber(s.Median, 4)
	}
	if s.HasInterval() {
		text = fmt.Sprintf("%s [%s, %s]", text, render.FormatNumber(s.Lo, 4), render.FormatNumber(s.Hi, 4))
	}
	return Cell{Text: text, Value: s.Median, Has: s.HasValue(), Origins: origins, Warning: strings.Join(doubts, "; "),
		Macros: append(summaryMacros(unit, s, 4), Macro{unit, "unit", plain})}
}

// HasMicro reports whether there are results other than those of experiments.
func HasMicro(b *results.Bench) bool {
	return slices.ContainsFunc(b.Results, func(res *benchfmt.Result) bool { return !isCell(res.Name) })
}

// Benchmarks are the sections on the microbenchmarks of a run and its remote SSD reads, without figures and quoted lines: what
// a terminal shows.
func Benchmarks(run *results.Run) []Section {
	b := &builder{Source: Source{Run: run}, report: &Report{}}
	b.micro()
	b.ssd()
	return b.report.Sections
}

// isCell tells the results of experiments, which have tables of their own.
func isCell(n benchfmt.Name) bool { return strings.Contains(n.String(), "/cell=") }

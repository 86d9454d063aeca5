package report

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// A bench is one benchmark: what its results have in common.
type bench struct {
	base, parts string // AtomicMlx5_2, "op=fetch_add pair=mn-cn0"
	config      map[string]string
	results     []*benchfmt.Result
}

// isSSD tells the benchmarks that belong to the section on remote SSDs.
func isSSD(name string) bool { return strings.Contains(name, "SSD") }

// split groups results by name and configuration, in the order in which they appear.
func split(list []*benchfmt.Result) []*bench {
	var benches []*bench
	at := map[string]*bench{}
	for _, res := range list {
		base, parts := nameParts(res.Name)
		config := configOf(res)
		k := fmt.Sprint(base, "\n", parts, "\n", config)
		b := at[k]
		if b == nil {
			b = &bench{base: base, parts: parts, config: config}
			at[k] = b
			benches = append(benches, b)
		}
		b.results = append(b.results, res)
	}
	return benches
}

var procs = regexp.MustCompile(`-[0-9]+$`)

// nameParts takes a name apart. The number of processors at its end is the driver's, not the cluster's.
func nameParts(n benchfmt.Name) (base, parts string) {
	name, rest := n.Parts()
	var list []string
	for _, p := range rest {
		text := strings.TrimPrefix(string(p), "/")
		if strings.HasPrefix(string(p), "-") && procs.MatchString(string(p)) {
			continue
		}
		if plain, err := url.PathUnescape(text); err == nil {
			text = plain
		}
		list = append(list, text)
	}
	return string(name), strings.Join(list, " ")
}

// driverKeys are configuration that go test prints of the driver.
var driverKeys = []string{"goos", "goarch", "pkg", "cpu"}

func configOf(res *benchfmt.Result) map[string]string {
	config := map[string]string{}
	for _, c := range res.Config {
		if c.File && !slices.Contains(driverKeys, c.Key) {
			config[c.Key] = string(c.Value)
		}
	}
	return config
}

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

// families are the benchmarks that share a table: those of one name with the same units.
func families(benches []*bench) [][]*bench {
	var groups [][]*bench
	at := map[string]int{}
	for _, one := range benches {
		k := fmt.Sprint(one.base, "\n", one.units())
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], one)
	}
	return groups
}

// units are those of the results, in their order.
func (one *bench) units() []string {
	var units []string
	for _, res := range one.results {
		for _, v := range res.Values {
			if !slices.Contains(units, v.Unit) {
				units = append(units, v.Unit)
			}
		}
	}
	return units
}

// values are those of one unit.
func (one *bench) values(unit string) []float64 {
	var list []float64
	for _, res := range one.results {
		if v, ok := res.Value(unit); ok {
			list = append(list, v)
		}
	}
	return list
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

// commonConfig are the settings that all benchmarks share, by name.
func commonConfig(benches []*bench) []string {
	var common []string
	for _, one := range benches[:min(len(benches), 1)] {
		for k, v := range one.config {
			if !slices.ContainsFunc(benches, func(o *bench) bool { return o.config[k] != v }) {
				common = append(common, k+" "+v)
			}
		}
	}
	slices.Sort(common)
	return common
}

// describe are the parts of the name, and the settings that not all benchmarks share.
func (one *bench) describe(common []string) string {
	var list []string
	for k, v := range one.config {
		named := slices.Contains(strings.Fields(one.parts), k+"="+v)
		if !slices.Contains(common, k+" "+v) && !named {
			list = append(list, k+"="+v)
		}
	}
	slices.Sort(list)
	return strings.TrimSpace(one.parts + " " + strings.Join(list, " "))
}

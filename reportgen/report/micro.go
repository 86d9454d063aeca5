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

// units are how the units of benchmarks are printed: the value divided by factor.
var units = map[string]struct {
	print  string
	factor float64
}{
	"B/s":        {"MiB/s", 1 << 20},
	"ops/s":      {"Mops/s", 1e6},
	"sec/op":     {"µs (median)", 1e-6},
	"p50-sec/op": {"µs (p50)", 1e-6},
	"p99-sec/op": {"µs (p99)", 1e-6},
	"avg-sec/op": {"µs (mean)", 1e-6},
	"min-sec/op": {"µs (least)", 1e-6},
	"max-sec/op": {"µs (most)", 1e-6},
}

// inPrint scales a value of a unit. Other latencies, p999-sec/op, keep their prefix.
func inPrint(unit string, v float64) (float64, string) {
	if u, ok := units[unit]; ok {
		return v / u.factor, u.print
	}
	if name, ok := strings.CutSuffix(unit, "-sec/op"); ok {
		return v / 1e-6, "µs (" + name + ")"
	}
	return v, unit
}

// microTable has a row for each benchmark and unit: the median over its results.
func (b *builder) microTable(id, title string, bench *results.Bench, wanted func(name string) bool) (*Table, []string) {
	t := &Table{File: id, Title: title, Head: []string{"benchmark", "of", "unit", "n", "median [interval]", "level"}, Right: 3}
	var list []*benchfmt.Result
	for _, res := range bench.Results {
		if base, _ := nameParts(res.Name); wanted(base) && !isCell(res.Name) {
			list = append(list, res)
		}
	}
	benches := split(list)
	common := commonConfig(benches)
	notes := []string{"Values are medians over n results. In brackets: the interval of the median from order statistics, at the level beside it."}
	if len(common) > 0 {
		notes = append(notes, "All with "+strings.Join(common, ", ")+".")
	}
	for _, res := range list {
		for _, d := range bench.Doubts(res) {
			base, _ := nameParts(res.Name)
			notes = append(notes, fmt.Sprintf("%s (%s): %s", base, bench.Origin(res), sentence(d)))
		}
	}
	for _, one := range benches {
		for _, v := range one.results[0].Values {
			parts := one.describe(common)
			t.Rows = append(t.Rows, b.microRow(bench, one, v.Unit, parts))
			t.Keys = append(t.Keys, one.base+" "+parts)
		}
	}
	return t, notes
}

// HasMicro reports whether there are results other than those of experiments.
func HasMicro(b *results.Bench) bool {
	return slices.ContainsFunc(b.Results, func(res *benchfmt.Result) bool { return !isCell(res.Name) })
}

// isCell tells the results of experiments, which have tables of their own.
func isCell(n benchfmt.Name) bool { return strings.Contains(n.String(), "/cell=") }

func (b *builder) microRow(all *results.Bench, one *bench, unit, parts string) []Cell {
	var values []float64
	var origins []Part
	_, print := inPrint(unit, 0)
	var doubts []string
	for i, res := range one.results {
		raw, ok := res.Value(unit)
		if !ok {
			continue
		}
		v, _ := inPrint(unit, raw)
		values = append(values, v)
		for _, d := range all.Doubts(res) {
			doubts = append(doubts, fmt.Sprintf("result %d: %s", i+1, d))
		}
		origins = append(origins, Part{Text: fmt.Sprintf("result %d: %s %s", i+1, render.FormatNumber(v, 4), print), Lines: b.lines(all.Origin(res))})
	}
	s := stats.Summarize(values)
	text, level := absent, absent
	if s.HasValue() {
		text = render.FormatNumber(s.Median, 4)
	}
	if s.HasInterval() {
		text = fmt.Sprintf("%s [%s, %s]", text, render.FormatNumber(s.Lo, 4), render.FormatNumber(s.Hi, 4))
		level = stats.FormatLevel(s.Level)
	}
	return []Cell{{Text: one.base}, {Text: orDash(parts)}, {Text: print}, {Text: fmt.Sprint(s.N), Value: float64(s.N), Has: true},
		{Text: text, Value: s.Median, Has: s.HasValue(), Origins: origins,
			Macros: summaryMacros(unit, s, 4), Warning: strings.Join(slices.Concat(s.Warnings, doubts), "; ")}, {Text: level, Value: s.Level, Has: s.HasInterval()}}
}

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

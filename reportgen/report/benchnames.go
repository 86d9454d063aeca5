package report

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
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

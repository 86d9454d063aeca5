package report

import (
	"math"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// A prefix is a unit in print and what a value is divided by for it.
type prefix struct {
	print  string
	factor float64
}

// prefixes are those of the base units of benchmarks.txt, the largest first.
var prefixes = map[string][]prefix{
	"B/s":    {{"GiB/s", 1 << 30}, {"MiB/s", 1 << 20}, {"KiB/s", 1 << 10}, {"B/s", 1}},
	"ops/s":  {{"Gops/s", 1e9}, {"Mops/s", 1e6}, {"kops/s", 1e3}, {"ops/s", 1}},
	"sec/op": {{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}, {"ns", 1e-9}},
}

// kinds say in print what a word before the base unit means; other words stand for themselves. A latency without a word is
// the median of the program that measured it.
var kinds = map[string]string{"sec/op": "median", "avg-sec/op": "mean", "min-sec/op": "least", "max-sec/op": "most"}

// printUnit chooses the prefix for values that will be compared with each other: the largest one in which the geometric
// mean of those above 0 is at least 1. A unit that is not known stays as it is.
func printUnit(unit string, values []float64) prefix {
	kind, base := "", unit
	if i := strings.LastIndexByte(unit, '-'); i >= 0 {
		kind, base = unit[:i], unit[i+1:]
	}
	list, ok := prefixes[base]
	if !ok {
		return prefix{unit, 1}
	}
	mean, _ := stats.GeoMean(slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) }))
	const rounding = 1 + 1e-12 // of the mean
	i := slices.IndexFunc(list, func(p prefix) bool { return mean*rounding >= p.factor })
	if i < 0 {
		i = len(list) - 1
	}
	p := list[i]
	if word := kinds[unit]; word != "" {
		kind = word
	}
	if kind != "" {
		p.print += " (" + kind + ")"
	}
	return p
}

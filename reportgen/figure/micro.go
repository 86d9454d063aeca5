package figure

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// A quantity is what a unit of benchmarks.txt measures, and how it is drawn.
type quantity struct {
	unit   string
	name   string // of the figure
	title  string
	axis   string
	factor float64
}

var quantities = []quantity{
	{"B/s", "bandwidth", "RDMA bandwidth", "bandwidth (Gbit/s)", 8e-9},
	{"sec/op", "latency", "RDMA latency", "latency (µs)", 1e6},
	{"ops/s", "rate", "RDMA operations per second", "operations (M/s)", 1e-6},
}

// ssdBenchmark begins the names of the remote SSD reads, which have a figure of their own.
const ssdBenchmark = "RemoteSSD"

// A sample is one number of one result line.
type sample struct {
	bench, series string // ReadBW; mn-cn0
	size          float64
	value         Point
}

// micro makes the figures of the microbenchmarks: lines over the size of a message, and marks for what has no size.
func micro(set *Set, run *results.Run) {
	if run.Bench == nil {
		return
	}
	for _, q := range quantities {
		sized, single := samples(run.Bench, q)
		if len(sized) > 0 {
			set.sweep(run, q, sized)
		}
		if len(single) > 0 {
			set.pairs(run, q, single)
		}
	}
}

// samples splits the results that have the unit by whether they have a size.
func samples(bench *results.Bench, q quantity) (sized, single []sample) {
	for _, r := range bench.Results {
		v, ok := r.Value(q.unit)
		if !ok || math.IsNaN(v) || math.IsInf(v, 0) || v <= 0 {
			continue
		}
		s := nameOf(r)
		if strings.HasPrefix(s.bench, ssdBenchmark) {
			continue
		}
		s.value = Point{X: s.size, Y: v * q.factor, Origins: []results.Origin{bench.Origin(r)}}
		if s.size > 0 {
			sized = append(sized, s)
		} else {
			single = append(single, s)
		}
	}
	return sized, single
}

// nameOf takes a name apart: ReadBW/pair=mn-cn0/size=65536 is the benchmark ReadBW, the series mn-cn0 and the size 65536.
func nameOf(r *benchfmt.Result) sample {
	base, parts := r.Name.Parts()
	s := sample{bench: string(base)}
	var others []string
	for _, part := range parts {
		text := string(part)
		if strings.HasPrefix(text, "-") {
			continue // GOMAXPROCS
		}
		k, v, _ := strings.Cut(strings.TrimPrefix(text, "/"), "=")
		switch k {
		case "size", "bytes", "block":
			s.size, _ = strconv.ParseFloat(v, 64)
		case "pair":
			s.series = v
		default:
			others = append(others, cmp.Or(v, k))
		}
	}
	if len(others) > 0 {
		s.bench += " " + strings.Join(others, " ")
	}
	s.bench, s.series = label(s.bench), label(s.series)
	return s
}

// sweep makes the figure of what was measured for messages of several sizes: a panel per benchmark, a line per pair.
func (set *Set) sweep(run *results.Run, q quantity, list []sample) {
	name := "micro_" + q.name
	benches, pairs := names(list)
	if len(benches) > maxPanels {
		set.miss("", name, "%d benchmarks have sizes, and there is room for %d panels", len(benches), maxPanels)
		return
	}
	chart := &Lines{X: Axis{Label: "message size (bytes)", Scale: Bytes}, Y: Axis{Label: q.axis, Scale: Log}, Cols: min(3, len(benches)), Wide: len(benches) > 1}
	many := len(pairs) > maxSeries
	for _, bench := range benches {
		p := Panel{Title: bench}
		for i, pair := range pairs {
			s := Series{Name: pair, Look: Look(i), Points: overSizes(list, bench, pair)}
			if many {
				s.Look = LookRep
			}
			if len(s.Points) > 0 {
				p.Series = append(p.Series, s)
			}
		}
		chart.Panels = append(chart.Panels, p)
	}
	if chart.empty() {
		set.miss("", name, "no result can be shown on a logarithmic axis")
		return
	}
	for i, pair := range pairs {
		if !many && pair != "" {
			chart.Keys = append(chart.Keys, Key{pair, Look(i)})
		}
	}
	if many {
		chart.Keys = []Key{{fmt.Sprintf("one of %d pairs", len(pairs)), LookRep}}
	}
	f := Figure{Name: name, Title: q.title, Chart: chart, Wide: chart.Wide}
	f.Caption = q.title + " over the size of a message, per pair of nodes; of repeated measurements the median." + source(run)
	f.Alt = fmt.Sprintf("Lines of %s over message size for %s.", q.axis, join(benches))
	set.add(f)
}

// overSizes are the medians of one benchmark between one pair, by size.
func overSizes(list []sample, bench, pair string) []Point {
	bySize := map[float64][]Point{}
	for _, s := range list {
		if s.bench == bench && s.series == pair {
			bySize[s.size] = append(bySize[s.size], s.value)
		}
	}
	var points []Point
	for _, size := range slices.Sorted(maps.Keys(bySize)) {
		m := median(bySize[size])
		m.X, m.Level = size, 0
		points = append(points, *m)
	}
	return points
}

// pairs makes the figure of what was measured without a size: a group per benchmark, a mark per pair. More pairs than marks
// can tell apart become the groups.
func (set *Set) pairs(run *results.Run, q quantity, list []sample) {
	name := "micro_" + q.name + "_pairs"
	benches, pairs := names(list)
	if len(benches) > maxCells || len(pairs) > maxCells || min(len(benches), len(pairs)) > maxSeries {
		set.miss("", name, "%d benchmarks of %d pairs are more than can be told apart", len(benches), len(pairs))
		return
	}
	groupNames, series := benches, pairs
	turned := len(pairs) > maxSeries
	if turned {
		groupNames, series = pairs, benches
	}
	chart := &Dots{Y: Axis{Label: q.axis}, Series: series, Groups: groups(groupNames), Wide: len(groupNames)*len(series) > 20}
	for i, bench := range benches {
		for j, pair := range pairs {
			m := median(samePair(list, bench, pair))
			if m == nil {
				continue
			}
			g, k := i, j
			if turned {
				g, k = j, i
			}
			chart.Groups[g].Dots = append(chart.Groups[g].Dots, Dot{Series: k, Low: *m})
		}
	}
	f := Figure{Name: name, Title: q.title + " per pair", Chart: chart, Wide: chart.Wide}
	f.Caption = q.title + " per pair of nodes; of repeated measurements the median." + source(run)
	f.Alt = fmt.Sprintf("Marks of %s per pair of nodes for %s.", q.axis, join(benches))
	set.add(f)
}

func samePair(list []sample, bench, pair string) []Point {
	var points []Point
	for _, s := range list {
		if s.bench == bench && s.series == pair {
			points = append(points, s.value)
		}
	}
	return points
}

// names lists the benchmarks and the pairs in the order in which they first appear.
func names(list []sample) (benches, pairs []string) {
	for _, s := range list {
		if !slices.Contains(benches, s.bench) {
			benches = append(benches, s.bench)
		}
		if !slices.Contains(pairs, s.series) {
			pairs = append(pairs, s.series)
		}
	}
	return benches, pairs
}

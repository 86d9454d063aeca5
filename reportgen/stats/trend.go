package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Point is a value and when it was measured; the unit of the time does not matter.
type Point struct{ Time, Value float64 }

// A Trend says whether values move in one direction with time.
type Trend struct {
	N       int     // values in groups of two or more
	Tau     float64 // Kendall's: 1 if every later value is larger, -1 if smaller; NaN without a pair to compare
	P       float64 // two-sided; NaN like Tau
	Percent float64 // change from the first to the last moment by the median slope; NaN if a value is not above 0
}

// Significant reports whether the values move at Alpha.
func (t Trend) Significant() bool { return t.P < Alpha }

// String describes the trend: "falls by 4.1 % from first to last (Kendall's τ = -0.81, p=0.003)".
func (t Trend) String() string {
	direction := "rises"
	if t.Tau < 0 {
		direction = "falls"
	}
	change := ""
	if !math.IsNaN(t.Percent) {
		change = fmt.Sprintf(" by %.1f %%", math.Abs(t.Percent))
	}
	return fmt.Sprintf("%s%s from first to last (Kendall's τ = %.2f, %s)", direction, change, t.Tau, equation(t.P))
}

// maxCounted is how many inversions are counted out; a sum of that many chances is as good as normal.
const maxCounted = 5000

// MannKendall tests for a trend over time in groups of values, each of which has a level of its own: the reps of the cells of
// one run. Only values of one group are compared (Mann 1945, Kendall; the sum over groups is Hirsch's seasonal test, 1982). If
// time does not matter, every order of a group is as likely as any other: the distribution of the sum is counted out from
// that, ties included, and approximated for large groups. Values that are not finite are left out; groups of one
// say nothing.
func MannKendall(groups [][]Point) Trend {
	t := Trend{Tau: math.NaN(), P: math.NaN(), Percent: math.NaN()}
	k := kendall{dist: []float64{1}}
	for _, g := range groups {
		g = slices.DeleteFunc(slices.Clone(g), func(p Point) bool { return !isFinite(p.Value) || !isFinite(p.Time) })
		if len(g) > 1 {
			slices.SortStableFunc(g, func(a, b Point) int { return cmp.Compare(a.Time, b.Time) })
			t.N += len(g)
			k.add(g)
		}
	}
	if k.pairs > 0 {
		t.Tau = float64(k.pairs-2*k.inversions) / float64(k.pairs)
		t.P = k.p()
		t.Percent = k.percent()
	}
	return t
}

// kendall collects groups.
type kendall struct {
	pairs, inversions int       // of different values; pairs whose later value is smaller
	dist              []float64 // of the inversions; nil once a group is too large to be counted out
	mean, variance    float64   // of the inversions
	slopes            []float64 // of logarithms
	positive          bool
	first, last       float64 // moments
}

func (k *kendall) add(g []Point) {
	k.span(g)
	for i, a := range g {
		for _, b := range g[i+1:] {
			k.compare(a, b)
		}
	}
	values := make([]float64, len(g))
	for i, p := range g {
		values[i] = p.Value
	}
	slices.Sort(values)
	if len(g) > exactLimit || len(k.dist) > maxCounted {
		k.dist = nil
	}
	for seen := 0; seen < len(values); { // by the next value: where among the smaller ones do its copies stand?
		copies := 1
		for seen+copies < len(values) && values[seen+copies] == values[seen] {
			copies++
		}
		k.mix(seen, copies)
		seen += copies
	}
}

// mix adds the inversions between seen values and so many copies of a larger one, placed at random: Mann and Whitney's U.
func (k *kendall) mix(seen, copies int) {
	product := float64(seen) * float64(copies)
	k.mean += product / 2
	k.variance += product * float64(seen+copies+1) / 12
	if k.dist != nil {
		k.dist = convolve(k.dist, uDist(seen, copies))
	}
}

func (k *kendall) compare(a, b Point) {
	if a.Value != b.Value {
		k.pairs++
		if a.Value > b.Value {
			k.inversions++
		}
	}
	if a.Value > 0 && b.Value > 0 && a.Time < b.Time {
		k.slopes = append(k.slopes, math.Log(b.Value/a.Value)/(b.Time-a.Time))
	}
	k.positive = k.positive && a.Value > 0 && b.Value > 0
}

func (k *kendall) span(g []Point) {
	if k.pairs == 0 && k.slopes == nil {
		k.first, k.last, k.positive = g[0].Time, g[len(g)-1].Time, true
	}
	k.first, k.last = min(k.first, g[0].Time), max(k.last, g[len(g)-1].Time)
}

// p is twice the smaller tail, at most 1.
func (k *kendall) p() float64 {
	if k.dist == nil {
		z := max(0, math.Abs(float64(k.inversions)-k.mean)-0.5) / math.Sqrt(k.variance)
		return min(1, 2*normalCDF(-z))
	}
	below, above := 0.0, 0.0
	for i, p := range k.dist {
		if i <= k.inversions {
			below += p
		}
		if i >= k.inversions {
			above += p
		}
	}
	return min(1, 2*min(below, above))
}

func (k *kendall) percent() float64 {
	if !k.positive || len(k.slopes) == 0 {
		return math.NaN()
	}
	slices.Sort(k.slopes)
	return percent(math.Exp(middle(k.slopes) * (k.last - k.first)))
}

package stats

import (
	"fmt"
	"math"
	"slices"
)

// minSeries is the shortest series in which a warm-up is looked for: two seconds of lines, one every half second.
const minSeries = 4

// A Warmup says whether a series starts on another level than it goes on with.
type Warmup struct {
	N      int     // points; fewer than four: nothing was looked for
	Cut    int     // points of the warm-up; 0: none was found
	Until  float64 // time of the last point of the warm-up
	Early  float64 // median of the warm-up, in percent of that of the rest, minus 100; NaN without one
	Effect float64 // by how many percent the warm-up moves the mean of the series; NaN without one
	Steady bool    // false: the level still moves in the second half
}

// Found reports whether there is a warm-up.
func (w Warmup) Found() bool { return w.Cut > 0 }

// String describes the warm-up: "the first 1.5 s are 39 % below the rest and move the mean by -4.1 %".
func (w Warmup) String() string {
	if !w.Found() {
		return "no warm-up"
	}
	side := "below"
	if w.Early > 0 {
		side = "above"
	}
	text := fmt.Sprintf("the first %.1f s are %.0f %% %s the rest and move the mean by %+.1f %%", w.Until, math.Abs(w.Early), side, w.Effect)
	if !w.Steady {
		text += "; no steady state in sight"
	}
	return text
}

// FindWarmup looks for a warm-up in values measured at times, in ascending order. Where to cut is White's marginal standard
// error rule (MSER, 1997): drop as many points as make the mean of the rest best known, at most half of them. What is cut is
// a warm-up if it moves the mean by more than 1 % and stands out, see standsOut. Points that are not finite are left out.
func FindWarmup(times, values []float64) Warmup {
	var at, v []float64
	for i := range min(len(times), len(values)) {
		if isFinite(times[i]) && isFinite(values[i]) {
			at, v = append(at, times[i]), append(v, values[i])
		}
	}
	w := Warmup{N: len(v), Early: math.NaN(), Effect: math.NaN(), Steady: true}
	if w.N < minSeries {
		return w
	}
	cut := mserCut(v)
	early, rest := slices.Sorted(slices.Values(v[:cut])), slices.Sorted(slices.Values(v[cut:]))
	effect := percent(mean(v) / mean(rest))
	if cut == 0 || middle(rest) <= 0 || !(math.Abs(effect) > 1) || !standsOut(early, rest) {
		return w
	}
	w.Cut, w.Until, w.Early, w.Effect, w.Steady = cut, at[cut-1], percent(middle(early)/middle(rest)), effect, cut < w.N/2
	return w
}

// standsOut reports whether the first points, sorted, are on another level than the rest: their median is as far from that of
// the rest as an outlier, or a rank test tells them apart at p < 0.001. The cut was chosen to make them differ, so less would
// be no evidence; TestWarmupFalseAlarms counts how often a series without a warm-up has one.
func standsOut(early, rest []float64) bool {
	median, mad := medianMAD(rest)
	far := len(rest) >= 3 && math.Abs(middle(early)-median) > outlierLimit(len(rest))*mad
	return far || uTest(early, rest) < 0.001
}

// mserCut returns how many of the first values to drop, in one pass from the last to the first (Welford's sums).
func mserCut(v []float64) int {
	best, cut := math.Inf(1), 0
	m, sum := 0.0, 0.0 // mean of the values from d on, and the sum of the squares of their distances from it
	for d := len(v) - 1; d >= 0; d-- {
		n := float64(len(v) - d)
		distance := v[d] - m
		m += distance / n
		sum += distance * (v[d] - m)
		if e := sum / (n * n); d <= len(v)/2 && e <= best {
			best, cut = e, d
		}
	}
	return cut
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

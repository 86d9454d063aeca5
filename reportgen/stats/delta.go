package stats

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Alpha is the p below which two samples are said to differ.
const Alpha = 0.05

// A Delta is the difference of a sample to a baseline, and what a rank test says about it.
type Delta struct {
	NBase, N int
	Percent  float64 // (median ÷ baseline's median - 1) × 100; NaN if there is no such ratio
	P        float64 // two-sided, Mann-Whitney U; NaN if one of the samples is empty
	MinP     float64 // the smallest P that samples of these sizes can have; NaN like P
	Warnings []string
}

// HasValue reports whether there is a percentage.
func (d Delta) HasValue() bool { return !math.IsNaN(d.Percent) }

// Significant reports whether the samples differ at Alpha.
func (d Delta) Significant() bool { return d.P < Alpha }

// Detectable reports whether samples of these sizes could differ at Alpha at all, however far apart they lie.
func (d Delta) Detectable() bool { return d.MinP < Alpha }

// Compare returns the difference of sample to base. It changes neither. NaN and infinite values are left out, with a
// warning.
func Compare(base, sample []float64) Delta {
	b, wb := finiteOnly(base)
	s, ws := finiteOnly(sample)
	d := Delta{NBase: len(b), N: len(s), Percent: math.NaN(), P: math.NaN(), MinP: math.NaN(), Warnings: append(wb, ws...)}
	if len(b) == 0 || len(s) == 0 {
		return d
	}
	d.P = uTest(b, s)
	d.MinP = MinP(len(b), len(s))
	d.setPercent(Median(b).Median, Median(s).Median)
	if !d.Detectable() {
		d.Warnings = append(d.Warnings, fmt.Sprintf("n=%d against n=%d: no difference can reach p < %v (the smallest p is %.3f)",
			d.N, d.NBase, Alpha, d.MinP))
	}
	return d
}

// uTest returns the two-sided p of the Mann-Whitney U test of two sorted samples.
func uTest(a, b []float64) float64 {
	if len(a) <= tiedLimit && len(b) <= tiedLimit && hasTies(slices.Sorted(slices.Values(slices.Concat(a, b)))) {
		return tiedP(a, b)
	}
	thresholds := &benchmath.Thresholds{CompareAlpha: Alpha}
	return benchmath.AssumeNothing.Compare(benchmath.NewSample(a, thresholds), benchmath.NewSample(b, thresholds)).P
}

func (d *Delta) setPercent(base, median float64) {
	switch {
	case base > 0:
		d.Percent = (median/base - 1) * 100
	case base == 0 && median == 0:
		d.Warnings = append(d.Warnings, "both medians are 0: no ratio")
	default:
		d.Warnings = append(d.Warnings, fmt.Sprintf("the baseline's median is %v: no ratio", base))
	}
}

// MinP returns the smallest two-sided p that the Mann-Whitney U test can give for samples of n1 and n2 values without ties:
// two of the C(n1+n2, n1) equally likely rank orders separate the samples completely.
func MinP(n1, n2 int) float64 {
	orders := 1.0
	for i := 1; i <= n1; i++ {
		orders *= float64(n2+i) / float64(i)
	}
	return min(1, 2/orders)
}

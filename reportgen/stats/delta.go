package stats

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Alpha is the p below which two samples are said to differ.
const Alpha = 0.05

// A Delta is the difference of a sample to a baseline, how well it is known, and what a rank test says about it. Percentages
// are of the baseline; a number that there is not is NaN.
type Delta struct {
	NBase, N int
	Percent  float64 // (median ÷ baseline's median - 1) × 100
	Lo, Hi   float64 // interval of the difference, in percent, see ratioOf
	Level    float64 // the interval's real level, in (0, 1); 0 if there is no interval
	P        float64 // two-sided, Mann-Whitney U
	MinP     float64 // the smallest P that samples of these sizes can have
	Family   int     // how many comparisons the next two are corrected for
	PHolm    float64 // P corrected by Holm
	MinPHolm float64 // the smallest PHolm that there can be
	Warnings []string
}

// HasValue reports whether there is a percentage.
func (d Delta) HasValue() bool { return !math.IsNaN(d.Percent) }

// HasInterval reports whether there is an interval of the percentage.
func (d Delta) HasInterval() bool { return d.Level > 0 }

// HasTest reports whether the samples were compared.
func (d Delta) HasTest() bool { return !math.IsNaN(d.P) }

// Significant reports whether the samples differ at Alpha, in all the comparisons of the family.
func (d Delta) Significant() bool { return d.PHolm < Alpha }

// Detectable reports whether samples of these sizes could differ at Alpha at all, however far apart they lie.
func (d Delta) Detectable() bool { return d.MinPHolm < Alpha }

// Compare returns the difference of sample to base. It changes neither. NaN and infinite values are left out, with a
// warning.
func Compare(base, sample []float64) Delta { return CompareAll(base, [][]float64{sample})[0] }

// CompareAll returns the differences of samples to base, as one family of comparisons: those that can be made are corrected
// for their number.
func CompareAll(base []float64, samples [][]float64) []Delta {
	return ComparePairs(slices.Repeat([][]float64{base}, len(samples)), samples)
}

// ComparePairs is CompareAll where each sample has a baseline of its own: as many bases as samples.
func ComparePairs(bases, samples [][]float64) []Delta {
	deltas := make([]Delta, len(samples))
	var tested []int
	for i, s := range samples {
		deltas[i] = difference(bases[i], s)
		if deltas[i].HasTest() {
			tested = append(tested, i)
		}
	}
	var ps, mins []float64
	for _, i := range tested {
		ps, mins = append(ps, deltas[i].P), append(mins, deltas[i].MinP)
	}
	ps, mins = Holm(ps), Holm(mins)
	for n, i := range tested {
		d := &deltas[i]
		d.Family, d.PHolm, d.MinPHolm = len(tested), ps[n], mins[n]
		d.warnOfSize()
	}
	return deltas
}

// difference compares two samples by themselves.
func difference(base, sample []float64) Delta {
	nan := math.NaN()
	b, wb := finiteOnly(base)
	s, ws := finiteOnly(sample)
	d := Delta{NBase: len(b), N: len(s), Percent: nan, Lo: nan, Hi: nan, P: nan, MinP: nan, PHolm: nan, MinPHolm: nan,
		Warnings: slices.Concat(wb, ws)}
	if len(b) == 0 || len(s) == 0 {
		return d
	}
	d.P, d.MinP = uTest(b, s), MinP(len(b), len(s))
	d.setPercent(Median(b).Median, Median(s).Median)
	d.setInterval(b, s)
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
		d.Percent = percent(median / base)
	case base == 0 && median == 0:
		d.warn("both medians are 0: no ratio")
	default:
		d.warn("the baseline's median is %v: no ratio", base)
	}
}

// setInterval needs positive values: ratios of others say nothing.
func (d *Delta) setInterval(base, sample []float64) {
	if !d.HasValue() {
		return
	}
	if base[0] <= 0 || sample[0] <= 0 {
		d.warn("a value is not above 0: no interval of Δ")
		return
	}
	r := ratioOf(base, sample)
	if r.level == 0 || math.IsInf(r.hi, 0) {
		return
	}
	d.Lo, d.Hi, d.Level = percent(r.lo), percent(r.hi), r.level
}

// percent turns a factor into a difference.
func percent(factor float64) float64 { return (factor - 1) * 100 }

// warnOfSize says what samples of these sizes cannot give.
func (d *Delta) warnOfSize() {
	text := ""
	switch {
	case !d.HasValue():
	case !d.HasInterval():
		text = "Δ has no interval"
	case d.Level < TargetLevel:
		text = fmt.Sprintf("the interval of Δ has level %s", FormatLevel(d.Level))
	}
	if !d.Detectable() {
		if text != "" {
			text += ", and "
		}
		text += fmt.Sprintf("no difference can reach p < %v (the smallest p is %.3f", Alpha, d.MinP)
		if d.Family > 1 {
			text += fmt.Sprintf(", corrected for %d comparisons %.3f", d.Family, d.MinPHolm)
		}
		text += ")"
	}
	if text != "" {
		d.warn("n=%d against n=%d: %s", d.N, d.NBase, text)
	}
}

func (d *Delta) warn(format string, args ...any) {
	d.Warnings = append(d.Warnings, fmt.Sprintf(format, args...))
}

// FormatP writes a p as it is printed everywhere: 0.100, <0.001.
func FormatP(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// equation writes p with its sign: p=0.100, p<0.001.
func equation(p float64) string {
	if text := FormatP(p); text[0] == '<' {
		return "p" + text
	}
	return "p=" + FormatP(p)
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

// MinReps returns the smallest number of reps a cell, of cells and baseline alike, at which as many comparisons can reach
// p < Alpha after Holm's correction.
func MinReps(comparisons int) int {
	n := 1
	for float64(comparisons)*MinP(n, n) >= Alpha {
		n++
	}
	return n
}

package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	nan := math.NaN()
	test := func(name string, base, sample []float64, want Delta) {
		t.Helper()
		want.NBase, want.N = countFinite(base), countFinite(sample)
		want.PHolm, want.MinPHolm = want.P, want.MinP
		if diff := cmp.Diff(want, Compare(base, sample), approx); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	low3 := "n=3 against n=3: the interval of Δ has level 90 %, and no difference can reach p < 0.05 (the smallest p is 0.100)"
	four := func(percent, lo, hi, p float64) Delta {
		return Delta{Percent: percent, Lo: lo, Hi: hi, Level: 1 - 2./70, P: p, MinP: 2. / 70, Family: 1}
	}
	test("far apart, three reps", []float64{1, 2, 3}, []float64{11, 12, 13},
		Delta{Percent: 500, Lo: percent(11. / 3), Hi: 1200, Level: 0.9, P: 0.1, MinP: 0.1, Family: 1, Warnings: []string{low3}})
	test("far apart, four reps", []float64{10, 11, 12, 13}, []float64{20, 22, 24, 26}, four(100, percent(20./13), 160, 2./70))
	test("slower", []float64{20, 22, 24, 26}, []float64{10, 11, 12, 13}, four(-50, percent(10./26), -35, 2./70))
	test("interleaved", []float64{1, 3, 5, 7}, []float64{2, 4, 6, 8}, four(25, percent(2./7), 700, 48./70))
	test("one against one", []float64{2}, []float64{3}, Delta{Percent: 50, Lo: nan, Hi: nan, P: 1, MinP: 1, Family: 1,
		Warnings: []string{"n=1 against n=1: Δ has no interval, and no difference can reach p < 0.05 (the smallest p is 1.000)"}})
	none := Delta{Percent: nan, Lo: nan, Hi: nan, P: nan, MinP: nan}
	test("empty sample", []float64{1}, nil, none)
	test("empty base", nil, []float64{1}, none)
	test("base 0", []float64{0, 0, 0, 0}, []float64{1, 2, 3, 4}, Delta{Percent: nan, Lo: nan, Hi: nan, P: 2. / 70, MinP: 2. / 70, Family: 1,
		Warnings: []string{"the baseline's median is 0: no ratio"}})
	test("a value 0", []float64{0, 2, 3, 4}, []float64{5, 6, 7, 8}, Delta{Percent: 160, Lo: nan, Hi: nan, P: 2. / 70, MinP: 2. / 70, Family: 1,
		Warnings: []string{"a value is not above 0: no interval of Δ", "n=4 against n=4: Δ has no interval"}})
	test("nan left out", []float64{1, 2, 3, nan}, []float64{11, 12, 13},
		Delta{Percent: 500, Lo: percent(11. / 3), Hi: 1200, Level: 0.9, P: 0.1, MinP: 0.1, Family: 1,
			Warnings: []string{"1 of 4 values not finite (NaN or Inf): left out", low3}})
}

func countFinite(values []float64) int {
	finite, _ := finiteOnly(values)
	return len(finite)
}

func TestCompareSaysWhatItCanDetect(t *testing.T) {
	three := Compare([]float64{1, 2, 3}, []float64{11, 12, 13})
	if three.Detectable() || three.Significant() {
		t.Errorf("3 against 3: Detectable %v, Significant %v; want neither", three.Detectable(), three.Significant())
	}
	four := Compare([]float64{1, 2, 3, 4}, []float64{11, 12, 13, 14})
	if !four.Detectable() || !four.Significant() {
		t.Errorf("4 against 4: Detectable %v, Significant %v; want both", four.Detectable(), four.Significant())
	}
	if Compare(nil, []float64{1}).Significant() {
		t.Error("nothing to compare with, and yet significant")
	}
}

// In a family of four, four reps are too few for what one comparison of four could show, and an empty cell is no comparison.
func TestCompareAllCorrectsForTheFamily(t *testing.T) {
	base := []float64{1, 2, 3, 4}
	far := []float64{11, 12, 13, 14}
	for _, d := range CompareAll(base, [][]float64{far, far, far, far, nil})[:4] {
		if d.Family != 4 || math.Abs(d.PHolm-8./70) > 1e-9 || d.Detectable() || d.Significant() {
			t.Errorf("four reps: %+v", d)
		}
		const want = "n=4 against n=4: no difference can reach p < 0.05 (the smallest p is 0.029, corrected for 4 comparisons 0.114)"
		if !slices.Contains(d.Warnings, want) {
			t.Errorf("warnings %q, want %q", d.Warnings, want)
		}
	}
	if n := MinReps(4); n != 5 {
		t.Errorf("MinReps(4) = %d, want 5", n)
	}
	for comparisons, want := range map[int]int{1: 4, 2: 5, 6: 5, 7: 6, 23: 6} {
		if got := MinReps(comparisons); got != want {
			t.Errorf("MinReps(%d) = %d, want %d", comparisons, got, want)
		}
	}
}

func TestHolm(t *testing.T) {
	test := func(p, want []float64) {
		t.Helper()
		if diff := cmp.Diff(want, Holm(p), approx); diff != "" {
			t.Errorf("Holm(%v) (-want +got):\n%s", p, diff)
		}
	}
	test(nil, nil)
	test([]float64{0.03}, []float64{0.03})
	test([]float64{0.04, 0.01, 0.03}, []float64{0.06, 0.03, 0.06})
	test([]float64{0.01, 0.02, 0.04, 0.9}, []float64{0.04, 0.06, 0.08, 0.9})
	test([]float64{0.6, 0.7}, []float64{1, 1})
}

func TestMinP(t *testing.T) {
	for _, c := range []struct {
		n1, n2 int
		want   float64
	}{{1, 1, 1}, {2, 2, 1. / 3}, {3, 3, 0.1}, {4, 4, 2. / 70}, {5, 5, 2. / 252}, {6, 6, 2. / 924}, {3, 6, 2. / 84}, {6, 3, 2. / 84}} {
		if got := MinP(c.n1, c.n2); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("MinP(%d, %d) = %v, want %v", c.n1, c.n2, got, c.want)
		}
	}
}

// If no cell differs from the baseline, a table with four comparisons raises a false alarm in at most one run of twenty.
func TestFamilyWiseErrorRate(t *testing.T) {
	const trials = 4000
	rng := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{5, 8} {
		alarms := 0
		for range trials {
			cells := make([][]float64, 4)
			for i := range cells {
				cells[i] = sample(rng, make([]float64, n))
			}
			if slices.ContainsFunc(CompareAll(sample(rng, make([]float64, n)), cells), Delta.Significant) {
				alarms++
			}
		}
		rate := float64(alarms) / trials
		t.Logf("n=%d: %.4f", n, rate)
		if rate > Alpha || rate < Alpha/10 {
			t.Errorf("n=%d: false alarms in %.4f of the tables, want at most %v and more than none", n, rate, Alpha)
		}
	}
}

// The interval of Δ covers the true factor as often as it says, whatever the distribution.
func TestRatioIntervalCoverage(t *testing.T) {
	const trials, factor = 20_000, 1.3
	rng := rand.New(rand.NewPCG(6, 6))
	for _, n := range [][2]int{{3, 3}, {2, 5}, {6, 6}, {6, 9}} {
		covered, level := 0, 0.0
		base, other := make([]float64, n[0]), make([]float64, n[1])
		for range trials {
			for i := range base {
				base[i] = math.Exp(0.2 * rng.ExpFloat64())
			}
			for i := range other {
				other[i] = factor * math.Exp(0.2*rng.ExpFloat64())
			}
			slices.Sort(base)
			slices.Sort(other)
			r := ratioOf(base, other)
			level = r.level
			if r.lo <= factor && factor <= r.hi {
				covered++
			}
		}
		got := float64(covered) / trials
		t.Logf("%v: level %.4f, coverage %.4f", n, level, got)
		if math.Abs(got-level) > 0.01 {
			t.Errorf("%v: coverage %.4f, the interval says %.4f", n, got, level)
		}
	}
}

// The interval excludes no difference exactly where the test finds one.
func TestRatioIntervalAgreesWithTheTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 500 {
		n := 4 + rng.IntN(6)
		base, other := make([]float64, n), make([]float64, n)
		shift := rng.Float64()
		for i := range n {
			base[i], other[i] = 10+rng.NormFloat64(), 10+2*shift+rng.NormFloat64()
		}
		d := Compare(base, other)
		if excludes := d.Lo > 0 || d.Hi < 0; excludes != (d.P <= 1-d.Level+1e-9) {
			t.Fatalf("n=%d: [%v, %v] at %v, p=%v", n, d.Lo, d.Hi, d.Level, d.P)
		}
	}
}

func TestKthRatioIsThatOfTheSortedOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 50 {
		base, other := make([]float64, 1+rng.IntN(7)), make([]float64, 1+rng.IntN(7))
		for i := range base {
			base[i] = float64(1 + rng.IntN(9))
		}
		for i := range other {
			other[i] = float64(1+rng.IntN(9)) / 8
		}
		slices.Sort(base)
		slices.Sort(other)
		var ratios []float64
		for _, b := range base {
			for _, v := range other {
				ratios = append(ratios, v/b)
			}
		}
		slices.Sort(ratios)
		for k, want := range ratios {
			if got := kthRatio(base, other, k+1); got != want {
				t.Fatalf("%v / %v: ratio %d is %v, want %v", other, base, k+1, got, want)
			}
		}
	}
}

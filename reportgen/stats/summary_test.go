package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var approx = cmp.Options{cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateEmpty()}

func TestSummarize(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	none := Summary{Median: nan, Lo: nan, Hi: nan}
	low3 := "n=3: the interval's level is 75 %, a 95 % interval needs 6 reps"
	ties := "equal values among the reps: the interval's level is a lower bound"
	test := func(name string, values []float64, want Summary) {
		t.Helper()
		if diff := cmp.Diff(want, Summarize(values), approx); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	test("no value", nil, none)
	test("one value", []float64{7}, Summary{N: 1, Median: 7, Lo: nan, Hi: nan, Warnings: []string{"n=1: no interval"}})
	test("known reps", []float64{13.64, 13.71, 13.58},
		Summary{N: 3, Median: 13.64, Lo: 13.58, Hi: 13.71, Level: 0.75, Method: MethodOrder, Warnings: []string{low3}})
	test("two", []float64{4, 2}, Summary{N: 2, Median: 3, Lo: 2, Hi: 4, Level: 0.5, Method: MethodOrder,
		Warnings: []string{"n=2: the interval's level is 50 %, a 95 % interval needs 6 reps"}})
	test("five", []float64{5, 4, 3, 2, 1}, Summary{N: 5, Median: 3, Lo: 1, Hi: 5, Level: 0.9375, Method: MethodOrder,
		Warnings: []string{"n=5: the interval's level is 93.8 %, a 95 % interval needs 6 reps"}})
	test("six", []float64{1, 2, 3, 4, 5, 6}, Summary{N: 6, Median: 3.5, Lo: 1, Hi: 6, Level: 0.96875, Method: MethodOrder})
	test("seven", []float64{1, 2, 3, 4, 5, 6, 7}, Summary{N: 7, Median: 4, Lo: 1, Hi: 7, Level: 0.984375, Method: MethodOrder})
	test("ties", []float64{2, 2, 1}, Summary{N: 3, Median: 2, Lo: 1, Hi: 2, Level: 0.75, Method: MethodOrder,
		Warnings: []string{low3, ties}})
	test("zeros are values", []float64{0, 0, 0}, Summary{N: 3, Level: 0.75, Method: MethodOrder, Warnings: []string{low3, ties}})
	test("nan and inf", []float64{nan, 1, inf, 2, 3, -inf}, Summary{N: 3, Median: 2, Lo: 1, Hi: 3, Level: 0.75, Method: MethodOrder,
		Warnings: []string{"3 of 6 values not finite (NaN or Inf): left out", low3}})
	none.Warnings = []string{"1 of 1 values not finite (NaN or Inf): left out"}
	test("only nan", []float64{nan}, none)
}

func TestSummarizeLeavesItsInputAlone(t *testing.T) {
	in := []float64{3, 1, 2}
	Summarize(in)
	Compare(in, in)
	if diff := cmp.Diff([]float64{3, 1, 2}, in); diff != "" {
		t.Errorf("input changed (-want +got):\n%s", diff)
	}
}

// The interval must never be infinite and never claim more than its sample can give, whatever n.
func TestIntervalIsAlwaysFinite(t *testing.T) {
	for n := 2; n <= 120; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i)
		}
		s := Summarize(values)
		if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) || !(s.Lo <= s.Median && s.Median <= s.Hi) {
			t.Errorf("n=%d: %v [%v, %v]", n, s.Median, s.Lo, s.Hi)
		}
		if want := min(TargetLevel, RangeLevel(n)); s.Level < want-1e-9 || s.Level > RangeLevel(n)+1e-9 {
			t.Errorf("n=%d: level %v, want at least %v and at most %v", n, s.Level, want, RangeLevel(n))
		}
	}
}

// The level is a promise: of many samples of n values, that share must have an interval that holds the true median, whatever
// the distribution.
func TestCoverage(t *testing.T) {
	const trials = 20_000
	test := func(name string, trueMedian float64, draw func(*rand.Rand) float64) {
		for _, n := range []int{2, 3, 4, 5, 6, 7, 8, 10, 15, 30} {
			rng := rand.New(rand.NewPCG(2, uint64(n)))
			covered, level := 0, 0.0
			values := make([]float64, n)
			for range trials {
				for i := range values {
					values[i] = draw(rng)
				}
				s := Summarize(values)
				level = s.Level
				if s.Lo <= trueMedian && trueMedian <= s.Hi {
					covered++
				}
			}
			got := float64(covered) / trials
			t.Logf("%s, n=%d: level %.4f, coverage %.4f", name, n, level, got)
			if math.Abs(got-level) > 0.01 {
				t.Errorf("%s, n=%d: coverage %.4f, the interval says %.4f", name, n, got, level)
			}
		}
	}
	test("normal", 13.64, func(rng *rand.Rand) float64 { return 13.64 + 0.1*rng.NormFloat64() })
	test("skewed", math.Ln2, (*rand.Rand).ExpFloat64)
	test("two peaks", 0.5, func(rng *rand.Rand) float64 { return math.Round(rng.Float64()) + 0.1*rng.Float64() - 0.05 })
}

package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBootstrapMedian(t *testing.T) {
	test := func(name string, values []float64, lo, hi, coverage float64) {
		t.Helper()
		b := BootstrapMedian(values)
		if b.Lo != lo || b.Hi != hi || math.Abs(b.Coverage-coverage) > 0.01 || b.Nominal != 0.95 {
			t.Errorf("%s: %+v, want [%v, %v], coverage %v", name, b, lo, hi, coverage)
		}
	}
	test("known reps", []float64{13.64, 13.71, 13.58}, 13.58, 13.71, 0.75)
	test("four", []float64{4, 3, 2, 1}, 1, 4, 0.88)
	test("six", []float64{1, 2, 3, 4, 5, 6}, 1.5, 5.5, 0.94)
	test("nine", []float64{9, 1, 2, 3, 4, 5, 6, 7, 8}, 2, 8, 0.96)
	test("equal", []float64{5, 5, 5, 5}, 5, 5, 0.88)
	if b := BootstrapMedian([]float64{1, math.NaN()}); b.HasInterval() || b.N != 1 {
		t.Errorf("one value: %+v", b)
	}
	if b := BootstrapMedian(make([]float64, 501)); !b.HasInterval() || !math.IsNaN(b.Coverage) {
		t.Errorf("501 values: %+v, want an interval whose coverage is not known", b)
	}
}

// The distribution of the bootstrap median is the one that all n^n resamples have.
func TestResampledMediansAreThoseOfAllResamples(t *testing.T) {
	for _, values := range [][]float64{{1, 2}, {1, 2, 4}, {1, 2, 4, 8}, {1, 2, 4, 8, 16}, {1, 2, 4, 8, 16, 32}, {1, 1, 2, 2}} {
		n := len(values)
		want := map[float64]float64{}
		all := int(math.Pow(float64(n), float64(n)))
		drawn := make([]float64, n)
		for code := range all {
			for c, i := code, 0; i < n; c, i = c/n, i+1 {
				drawn[i] = values[c%n]
			}
			want[middle(slices.Sorted(slices.Values(drawn)))] += 1 / float64(all)
		}
		got := map[float64]float64{}
		masses := resampledMedians(values)
		for _, m := range masses {
			got[m.value] += m.p
		}
		if !slices.IsSortedFunc(masses, func(a, b mass) int { return cmp.Compare(a.value, b.value) }) {
			t.Errorf("%v: not in order: %v", values, masses)
		}
		for v, p := range want {
			if math.Abs(got[v]-p) > 1e-9 {
				t.Errorf("%v: the median is %v with probability %v, want %v", values, v, got[v], p)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%v: %d medians, want %d", values, len(got), len(want))
		}
	}
}

// The recipe with resampling draws what is counted here.
func TestBootstrapIsWhatResamplingEstimates(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{3, 4, 7, 10, 40} {
		values := sample(rng, make([]float64, n))
		medians := make([]float64, 20_000)
		drawn := make([]float64, n)
		for i := range medians {
			for j := range drawn {
				drawn[j] = values[rng.IntN(n)]
			}
			slices.Sort(drawn)
			medians[i] = middle(drawn)
		}
		below := func(v float64, orAt bool) float64 {
			count := 0
			for _, m := range medians {
				if m < v || orAt && m == v {
					count++
				}
			}
			return float64(count) / float64(len(medians))
		}
		b := BootstrapMedian(values)
		for _, q := range []struct{ value, p float64 }{{b.Lo, 0.025}, {b.Hi, 0.975}} {
			if below(q.value, false) > q.p+0.004 || below(q.value, true) < q.p-0.004 {
				t.Errorf("n=%d: %v is not the %v quantile of the resampled medians: %v below, %v up to it", n, q.value, q.p, below(q.value, false), below(q.value, true))
			}
		}
	}
}

func TestProbabilitiesAddUpToOne(t *testing.T) {
	for _, n := range []int{2, 5, 30, 31, 500, 1001} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i)
		}
		sum := 0.0
		for _, m := range resampledMedians(values) {
			sum += m.p
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Errorf("n=%d: %v", n, sum)
		}
	}
}

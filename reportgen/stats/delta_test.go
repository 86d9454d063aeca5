package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	nan := math.NaN()
	test := func(name string, base, sample []float64, want Delta) {
		t.Helper()
		if diff := cmp.Diff(want, Compare(base, sample), approx); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	low3 := "n=3 against n=3: no difference can reach p < 0.05 (the smallest p is 0.100)"
	test("far apart, three reps", []float64{1, 2, 3}, []float64{11, 12, 13},
		Delta{NBase: 3, N: 3, Percent: 500, P: 0.1, MinP: 0.1, Warnings: []string{low3}})
	test("far apart, four reps", []float64{10, 11, 12, 13}, []float64{20, 22, 24, 26},
		Delta{NBase: 4, N: 4, Percent: 100, P: 2. / 70, MinP: 2. / 70})
	test("slower", []float64{20, 22, 24, 26}, []float64{10, 11, 12, 13},
		Delta{NBase: 4, N: 4, Percent: -50, P: 2. / 70, MinP: 2. / 70})
	test("interleaved", []float64{1, 3, 5, 7}, []float64{2, 4, 6, 8},
		Delta{NBase: 4, N: 4, Percent: 25, P: 48. / 70, MinP: 2. / 70})
	test("empty sample", []float64{1}, nil, Delta{NBase: 1, Percent: nan, P: nan, MinP: nan})
	test("empty base", nil, []float64{1}, Delta{N: 1, Percent: nan, P: nan, MinP: nan})
	test("base 0", []float64{0, 0, 0, 0}, []float64{1, 2, 3, 4}, Delta{NBase: 4, N: 4, Percent: nan, P: 2. / 70, MinP: 2. / 70,
		Warnings: []string{"the baseline's median is 0: no ratio"}})
	test("nan left out", []float64{1, 2, 3, nan}, []float64{11, 12, 13},
		Delta{NBase: 3, N: 3, Percent: 500, P: 0.1, MinP: 0.1,
			Warnings: []string{"1 of 4 values not finite (NaN or Inf): left out", low3}})
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

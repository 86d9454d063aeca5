package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOutliers(t *testing.T) {
	inf := math.Inf(1)
	test := func(name string, values []float64, want ...int) {
		t.Helper()
		var got []int
		for _, o := range Outliers(values) {
			got = append(got, o.Index)
			if o.Value != values[o.Index] {
				t.Errorf("%s: %+v", name, o)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	test("nothing", nil)
	test("two values say nothing", []float64{1, 1000})
	test("known reps", []float64{13.64, 13.71, 13.58})
	test("three values rarely say much", []float64{13.64, 13.71, 10})
	test("unless two agree", []float64{13.64, 13.641, 10}, 2)
	test("six", []float64{10, 10.1, 9.9, 10.05, 9.95, 7}, 5)
	test("two of eight", []float64{10, 20, 10.1, 9.9, 10.05, 9.95, 2, 10}, 1, 6)
	test("equal but for the last digit", []float64{13.64, 13.64, 13.65})
	test("equal but for one", []float64{5, 5, 5, 9}, 3)
	test("nan is another matter", []float64{math.NaN(), inf, 10, 10.1, 9.9})
	if got := Outliers([]float64{5, 5, 5, 9})[0].String(); got != "9 is an outlier: most others are equal; it is used" {
		t.Error(got)
	}
	if got := Outliers([]float64{10, 10.1, 9.9, 10.05, 9.95, 7})[0].String(); got != "7 is an outlier, 40 MAD from the median; it is used" {
		t.Error(got)
	}
}

// Of normal samples, one in a hundred has an outlier.
func TestOutlierFalseAlarms(t *testing.T) {
	const trials = 20_000
	rng := rand.New(rand.NewPCG(11, 11))
	for _, n := range []int{3, 4, 5, 6, 10, 50} {
		alarms := 0
		values := make([]float64, n)
		for range trials {
			for i := range sample(rng, values) {
				values[i] = 3 + values[i] // 1 % of the median is little here
			}
			if len(Outliers(values)) > 0 {
				alarms++
			}
		}
		if alarms > trials*15/1000 || n < tableMax && alarms < trials*5/1000 {
			t.Errorf("n=%d: outliers in %d of %d samples, want one in a hundred", n, alarms, trials)
		}
	}
}

func TestJudgeAA(t *testing.T) {
	aa := JudgeAA([]float64{100, 101, 102}, []float64{101, 102, 100})
	if math.Abs(aa.Floor-2) > 1e-9 || !aa.Hides(-1.9) || aa.Hides(2.1) || aa.Warnings() != nil {
		t.Errorf("%+v, want a floor of 2 %%", aa)
	}
	one := JudgeAA([]float64{100}, []float64{97})
	if math.Abs(one.Floor-3) > 1e-9 {
		t.Errorf("one rep each: %+v", one)
	}
	none := JudgeAA([]float64{100}, nil)
	if none.HasFloor() || none.Hides(0) {
		t.Errorf("no repetition: %+v", none)
	}
	shifted := JudgeAA([]float64{100, 101, 102, 103}, []float64{110, 111, 112, 113})
	if diff := cmp.Diff([]string{"the same cell, measured twice, differs (p=0.029): something besides the cells changed during the run"}, shifted.Warnings()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGeoMean(t *testing.T) {
	if got, w := GeoMean([]float64{1, 4, 16}); math.Abs(got-4) > 1e-12 || w != nil {
		t.Errorf("%v, %q", got, w)
	}
	if got, w := GeoMean(nil); !math.IsNaN(got) || w != nil {
		t.Errorf("nothing: %v, %q", got, w)
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if got, w := GeoMean([]float64{2, bad}); !math.IsNaN(got) || len(w) != 1 {
			t.Errorf("with %v: %v, %q", bad, got, w)
		}
	}
	if got, _ := GeoMean([]float64{1e300, 1e300}); math.Abs(got/1e300-1) > 1e-9 {
		t.Errorf("large: %v", got)
	}
}

func TestRepsNeeded(t *testing.T) {
	spread := []float64{99, 100, 101} // a standard deviation of 1 %
	for percent, want := range map[float64]int{5: 6, 1.3: 6, 1: 9, 0.01: 0, 0: 0} {
		if got := RepsNeeded(spread, percent); got != want {
			t.Errorf("± %v %%: %d reps, want %d", percent, got, want)
		}
	}
	for _, values := range [][]float64{nil, {1}, {0, 0, 0}, {-1, -2}, {math.NaN(), 1}} {
		if got := RepsNeeded(values, 1); got != 0 {
			t.Errorf("%v: %d reps", values, got)
		}
	}
	if got := RepsNeeded([]float64{5, 5, 5}, 1); got != TargetReps {
		t.Errorf("no spread: %d reps", got)
	}
}

// As many reps as were said to be needed give an interval about as wide as asked for.
func TestRepsNeededGiveThatWidth(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	for _, percent := range []float64{1.2, 0.8, 0.5, 0.25} {
		n := RepsNeeded([]float64{99, 100, 101}, percent)
		sum := 0.0
		const trials = 1000
		for range trials {
			values := sample(rng, make([]float64, n))
			for i := range values {
				values[i] += 100
			}
			s := Summarize(values)
			sum += (s.Hi - s.Lo) / 2
		}
		if got := sum / trials; got > percent*1.08 || got < percent*0.75 {
			t.Errorf("± %v %%: %d reps give ± %.3f %%", percent, n, got)
		}
	}
}

package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// halfSeconds are the times of lines that are printed every half second.
func halfSeconds(n int) []float64 {
	times := make([]float64, n)
	for i := range times {
		times[i] = float64(i+1) / 2
	}
	return times
}

func TestFindWarmup(t *testing.T) {
	nan := math.NaN()
	test := func(name string, values []float64, want string) {
		t.Helper()
		if got := FindWarmup(halfSeconds(len(values)), values).String(); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
	test("nothing", nil, "no warm-up")
	test("too short", []float64{1, 9, 9}, "no warm-up")
	test("steady", []float64{10, 10.1, 9.9, 10, 10.1, 9.9}, "no warm-up")
	test("equal", []float64{10, 10, 10, 10, 10}, "no warm-up")
	test("slow start", []float64{4, 10, 10.1, 9.9, 10, 10.1, 9.9, 10},
		"the first 0.5 s are 60 % below the rest and move the mean by -7.5 %")
	test("fast start", []float64{20, 19, 10, 10.1, 9.9, 10, 10.1, 9.9, 10, 10},
		"the first 1.0 s are 95 % above the rest and move the mean by +19.0 %")
	test("never steady", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
		"the first 4.0 s are 64 % below the rest and move the mean by -32.0 %; no steady state in sight")
	test("nan in it", []float64{nan, 4, 10, 10.1, 9.9, 10, nan, 10.1, 9.9, 10},
		"the first 1.0 s are 60 % below the rest and move the mean by -7.5 %")
	test("all zero", make([]float64, 10), "no warm-up")
}

// A series without a warm-up seldom has one, and a long one that starts a fifth low is found out.
func TestWarmupFalseAlarms(t *testing.T) {
	const trials = 2000
	rng := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{4, 5, 6, 10, 20, 60} {
		alarms, found := 0, 0
		for range trials {
			values := sample(rng, make([]float64, n))
			for i := range values {
				values[i] = 10 + values[i]/2
			}
			if FindWarmup(halfSeconds(n), values).Found() {
				alarms++
			}
			for i := range n / 5 {
				values[i] -= 2
			}
			if FindWarmup(halfSeconds(n), values).Found() {
				found++
			}
		}
		t.Logf("n=%d: false %.4f, found %.4f", n, float64(alarms)/trials, float64(found)/trials)
		if alarms > trials*2/100 {
			t.Errorf("n=%d: %d warm-ups in %d series without one", n, alarms, trials)
		}
		if n == 60 && found < trials*95/100 {
			t.Errorf("n=%d: %d of %d warm-ups found", n, found, trials)
		}
	}
}

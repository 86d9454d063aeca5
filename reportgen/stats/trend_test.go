package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// inOrder are values measured one after the other.
func inOrder(values ...float64) []Point {
	points := make([]Point, len(values))
	for i, v := range values {
		points[i] = Point{float64(i), v}
	}
	return points
}

func TestMannKendall(t *testing.T) {
	nan := math.NaN()
	test := func(name string, want Trend, groups ...[]Point) {
		t.Helper()
		got := MannKendall(groups)
		for _, c := range []struct {
			what      string
			got, want float64
		}{{"n", float64(got.N), float64(want.N)}, {"tau", got.Tau, want.Tau},
			{"p", got.P, want.P}, {"percent", got.Percent, want.Percent}} {
			if !(math.Abs(c.got-c.want) < 1e-9 || math.IsNaN(c.got) && math.IsNaN(c.want)) {
				t.Errorf("%s: %s is %v, want %v", name, c.what, c.got, c.want)
			}
		}
	}
	none := Trend{Tau: nan, P: nan, Percent: nan}
	test("nothing", none)
	test("one", none, inOrder(1))
	test("two", Trend{N: 2, Tau: 1, P: 1, Percent: 100}, inOrder(1, 2))
	test("three", Trend{N: 3, Tau: -1, P: 2. / 6, Percent: -75}, inOrder(4, 2, 1))
	test("five up", Trend{N: 5, Tau: 1, P: 2. / 120, Percent: 1500}, inOrder(1, 2, 4, 8, 16))
	test("two groups of three", Trend{N: 6, Tau: 1, P: 2. / 36, Percent: 300}, inOrder(1, 2, 4), inOrder(10, 20, 40))
	test("equal", Trend{N: 3, Tau: nan, P: nan, Percent: nan}, inOrder(2, 2, 2))
	test("tied", Trend{N: 4, Tau: 1, P: 2. / 6, Percent: percent(math.Exp(3 * math.Log(8) * (1./3 + 1./2) / 2))}, inOrder(1, 1, 8, 8))
	test("zero", Trend{N: 3, Tau: 1, P: 2. / 6, Percent: nan}, inOrder(0, 1, 2))
	test("nan left out", Trend{N: 3, Tau: 1, P: 2. / 6, Percent: 300}, inOrder(1, 2, nan, 4), inOrder(1), inOrder(1, nan))
	test("any order of points", Trend{N: 3, Tau: 1, P: 2. / 6, Percent: 300}, []Point{{2, 4}, {0, 1}, {1, 2}})
}

// p is the share of all orders of the values that lean at least as far, twice for both sides.
func TestTrendPIsTheEnumeratedOne(t *testing.T) {
	for _, values := range [][]float64{{3, 1, 2, 5}, {1, 1, 2, 3, 0}, {2, 2, 1, 1}, {1, 2, 3, 4, 5}, {5, 5, 5, 1, 2}} {
		lean := func(v []float64) (s int) {
			for i := range v {
				for j := i + 1; j < len(v); j++ {
					s += sign(v[j] - v[i])
				}
			}
			return s
		}
		observed, below, above, all := lean(values), 0, 0, 0
		permute(values, func(v []float64) {
			all++
			if lean(v) <= observed {
				below++
			}
			if lean(v) >= observed {
				above++
			}
		})
		want := min(1, 2*float64(min(below, above))/float64(all))
		if got := MannKendall([][]Point{inOrder(values...)}).P; math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: p = %v, want %v", values, got, want)
		}
	}
}

func sign(x float64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

func permute(v []float64, f func([]float64)) {
	var rec func(k int)
	v = append([]float64{}, v...)
	rec = func(k int) {
		if k == len(v) {
			f(v)
			return
		}
		for i := k; i < len(v); i++ {
			v[k], v[i] = v[i], v[k]
			rec(k + 1)
			v[k], v[i] = v[i], v[k]
		}
	}
	rec(0)
}

// Where nothing drifts, a run has a trend in at most one case of twenty; a drift of one standard deviation is seen.
func TestTrendErrorRate(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for _, shape := range []struct{ cells, reps, trials int }{{5, 3, 4000}, {1, 10, 4000}, {6, 6, 3000}, {2, 60, 500}} {
		alarms, found := 0, 0
		for range shape.trials {
			if MannKendall(interleaved(rng, shape.cells, shape.reps, 0)).Significant() {
				alarms++
			}
			if MannKendall(interleaved(rng, shape.cells, shape.reps, 3)).Significant() {
				found++
			}
		}
		rate, power := float64(alarms)/float64(shape.trials), float64(found)/float64(shape.trials)
		t.Logf("%+v: false %.4f, found %.4f", shape, rate, power)
		if rate > Alpha+0.005 || rate < Alpha/10 {
			t.Errorf("%+v: a trend in %.4f of the runs without one, want at most %v and more than none", shape, rate, Alpha)
		}
		if power < 0.4 {
			t.Errorf("%+v: a drift is seen in %.4f of the runs", shape, power)
		}
	}
}

// interleaved makes a run of cells on different levels, whose values drift by that many standard deviations.
func interleaved(rng *rand.Rand, cells, reps int, drift float64) [][]Point {
	groups := make([][]Point, cells)
	for i := range cells * reps {
		at := float64(i)
		groups[i%cells] = append(groups[i%cells], Point{at, float64(100+10*(i%cells)) + rng.NormFloat64() + drift*at/float64(cells*reps)})
	}
	return groups
}

func TestTrendString(t *testing.T) {
	const want = "falls by 75.0 % from first to last (Kendall's τ = -1.00, p=0.333)"
	if got := MannKendall([][]Point{inOrder(4, 2, 1)}).String(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

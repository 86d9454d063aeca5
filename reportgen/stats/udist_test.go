package stats

import (
	"math"
	"testing"
)

// The distribution of U is what dividing ranks in every possible way gives, and the test of benchmath goes by it.
func TestUDist(t *testing.T) {
	for _, n := range [][2]int{{1, 1}, {1, 4}, {4, 1}, {2, 3}, {3, 3}, {4, 5}} {
		groups, _ := midranks(make([]float64, 0), ranks(n[0]+n[1]))
		for u, p := range uDist(n[0], n[1]) {
			if want := ratioOfWays(groups, n[0], u+n[0]*(n[0]+1)/2); math.Abs(p-want) > 1e-12 {
				t.Errorf("%v: P(U=%d) = %v, want %v", n, u, p, want)
			}
		}
	}
}

func ranks(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(i + 1)
	}
	return list
}

// ratioOfWays returns the share of the choices of k ranks that add up to sum.
func ratioOfWays(groups []group, k, sum int) float64 {
	var choose func(first, k, sum int) (hit, all float64)
	choose = func(first, k, sum int) (hit, all float64) {
		if k == 0 {
			if sum == 0 {
				return 1, 1
			}
			return 0, 1
		}
		for i := first; i < len(groups); i++ {
			h, a := choose(i+1, k-1, sum-groups[i].rank2/2)
			hit, all = hit+h, all+a
		}
		return hit, all
	}
	hit, all := choose(0, k, sum)
	return hit / all
}

func TestUBelow(t *testing.T) {
	test := func(n1, n2, wantC int, wantP float64) {
		t.Helper()
		if c, p := uBelow(n1, n2, 0.025); c != wantC || math.Abs(p-wantP) > 1e-3 {
			t.Errorf("uBelow(%d, %d) = %d, %.4f; want %d, %.4f", n1, n2, c, p, wantC, wantP)
		}
	}
	// The critical values of Mann and Whitney's table for 0.05, two-sided, plus 1.
	test(3, 3, 0, 0)
	test(4, 4, 1, 1./70)
	test(6, 6, 6, 0.0206)
	test(10, 10, 24, 0.0216)
	test(20, 20, 128, 0.0247)
}

// Where counting gives way to the normal approximation there is no jump.
func TestUBelowOfLargeSamples(t *testing.T) {
	exact, p := uBelow(exactLimit, exactLimit, 0.025)
	approximate, q := uBelowNormal(exactLimit, exactLimit, 0.025)
	if exact-approximate > 1 || approximate-exact > 1 || math.Abs(p-q) > 1e-3 {
		t.Errorf("counted %d (%v), approximated %d (%v)", exact, p, approximate, q)
	}
	if c, p := uBelow(1, 2000, 0.025); c != 0 && p > 0.025 {
		t.Errorf("1 and 2000: %d, %v", c, p)
	}
}

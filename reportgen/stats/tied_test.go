package stats

import (
	"math"
	"math/bits"
	"testing"
)

// enumerated is the definition of p, in full: it divides the values in every possible way.
func enumerated(a, b []float64) float64 {
	all := append(append([]float64{}, a...), b...)
	u := func(inA int) (sum float64) {
		for i, x := range all {
			for j, y := range all {
				switch {
				case inA>>i&1 == 0 || inA>>j&1 == 1:
				case x > y:
					sum++
				case x == y:
					sum += 0.5
				}
			}
		}
		return sum
	}
	observed := u(1<<len(a) - 1)
	below, above, ways := 0, 0, 0
	for division := range 1 << len(all) {
		if bits.OnesCount(uint(division)) != len(a) {
			continue
		}
		ways++
		if u(division) <= observed {
			below++
		}
		if u(division) >= observed {
			above++
		}
	}
	return min(1, 2*float64(min(below, above))/float64(ways))
}

// p must be what enumeration gives for all samples of up to six values of three kinds: with ties and without, of one size and of
// different sizes.
func TestPIsTheEnumeratedOne(t *testing.T) {
	for na := 1; na <= 4; na++ {
		for nb := 1; na+nb <= 6; nb++ {
			for code := range int(math.Pow(3, float64(na+nb))) {
				var values []float64
				for c, i := code, 0; i < na+nb; c, i = c/3, i+1 {
					values = append(values, float64(c%3))
				}
				a, b := values[:na:na], values[na:]
				if got, want := Compare(a, b).P, enumerated(a, b); math.Abs(got-want) > 1e-9 {
					t.Fatalf("%v against %v: p = %v, want %v", a, b, got, want)
				}
			}
		}
	}
}

func TestPOfLargerSamplesWithTies(t *testing.T) {
	test := func(a, b []float64, want float64) {
		t.Helper()
		if got := Compare(a, b).P; math.Abs(got-want) > 1e-9 {
			t.Errorf("%v against %v: p = %v, want %v", a, b, got, want)
		}
	}
	zeros := make([]float64, 6)
	test([]float64{1, 1}, zeros, 2./28)
	test(zeros, []float64{1, 1}, 2./28)
	test([]float64{2, 1, 2, 1, 0}, []float64{0, 0, 0, 0}, enumerated([]float64{2, 1, 2, 1, 0}, []float64{0, 0, 0, 0}))
	test(zeros, zeros, 1)
	many := make([]float64, 2*tiedLimit)
	test(many, many, 1)
	var low, high []float64
	for i := range tiedLimit {
		low, high = append(low, float64(i/2)), append(high, float64(100+i/2))
	}
	if p := Compare(low, high).P; !(p > 0 && p < 1e-13) {
		t.Errorf("25 against 25, far apart: p = %v", p)
	}
}

// Without ties the test is benchmath's, whose p these functions must agree with.
func TestTiedPWithoutTies(t *testing.T) {
	for shift := range 8 {
		a, b := []float64{1, 3, 5, 7}, []float64{2.5 + float64(shift), 4.5 + float64(shift), 6.5 + float64(shift)}
		if got, want := tiedP(a, b), enumerated(a, b); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v against %v: %v, want %v", a, b, got, want)
		}
	}
}

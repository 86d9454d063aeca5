package stats

import (
	"math"
	"sync"
)

// exactLimit is the largest sample for which the distribution of U is counted out; beyond it the normal approximation is good.
const exactLimit = 50

// uCache holds the distributions that were asked for: the cells of a table mostly have the same n.
var uCache sync.Map // [2]int → []float64

// uDist returns the distribution of Mann and Whitney's U for samples of n1 and n2 values without ties, if both come from one
// distribution: the probabilities of U = 0, 1, … n1·n2. It follows Mann and Whitney's recurrence: the largest of all values
// belongs to either sample with the probability of its size, and beats all values of the other one.
func uDist(n1, n2 int) []float64 {
	if p, ok := uCache.Load([2]int{n1, n2}); ok {
		return p.([]float64)
	}
	row := make([][]float64, n2+1) // row[m]: the distribution for i and m values
	for m := range row {
		row[m] = []float64{1}
	}
	for i := 1; i <= n1; i++ {
		next := make([][]float64, n2+1)
		next[0] = []float64{1}
		for m := 1; m <= n2; m++ {
			p := make([]float64, i*m+1)
			first := float64(i) / float64(i+m)
			for u, v := range row[m] { // the largest is of the first sample
				p[u+m] += first * v
			}
			for u, v := range next[m-1] {
				p[u] += (1 - first) * v
			}
			next[m] = p
		}
		row = next
	}
	uCache.Store([2]int{n1, n2}, row[n2])
	return row[n2]
}

// uBelow returns the largest c such that U is below c with at most the given probability, and that probability. c is 0 if even
// U = 0 is more probable than that.
func uBelow(n1, n2 int, most float64) (c int, p float64) {
	if max(n1, n2) > exactLimit {
		return uBelowNormal(n1, n2, most)
	}
	for _, v := range uDist(n1, n2) {
		if p+v > most {
			break
		}
		p += v
		c++
	}
	return c, p
}

// uBelowNormal is uBelow for large samples, where U is nearly normal.
func uBelowNormal(n1, n2 int, most float64) (c int, p float64) {
	product := float64(n1) * float64(n2)
	sd := math.Sqrt(product * float64(n1+n2+1) / 12)
	c = max(0, int(product/2+sd*normalQuantile(most)-0.5)+1)
	below := func(c int) float64 { return normalCDF((float64(c) - 0.5 - product/2) / sd) }
	for c > 0 && below(c) > most {
		c--
	}
	if c == 0 {
		return 0, 0
	}
	return c, below(c)
}

// convolve returns the distribution of the sum of two independent whole numbers.
func convolve(a, b []float64) []float64 {
	sum := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		for j, y := range b {
			sum[i+j] += x * y
		}
	}
	return sum
}

func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

func normalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }

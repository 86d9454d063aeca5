package stats

import (
	"math"
	"sort"
)

// A ratioInterval is an interval of the factor between two distributions.
type ratioInterval struct {
	lo, hi float64
	level  float64 // the real one; 0: there is no interval
}

// ratioOf returns the interval of the factor by which sample is larger than base, both sorted and positive: two order
// statistics of all the ratios of a value of sample to one of base (Hodges and Lehmann 1963, Moses 1965, on a logarithmic
// scale). It holds the factors at which the Mann-Whitney U test would not tell base, times the factor, from sample. That
// makes it agree with the p beside it: at level 95 % it excludes 1 where p < 0.05. Its level follows from counting, for every
// distribution; what it assumes is that the two differ by a factor only. With ties the level is a lower bound.
func ratioOf(base, sample []float64) ratioInterval {
	c, p := uBelow(len(base), len(sample), (1-TargetLevel)/2)
	if c == 0 { // too few for the level: all ratios
		c, p = 1, MinP(len(base), len(sample))/2
	}
	if level := 1 - 2*p; level > 0 {
		pairs := len(base) * len(sample)
		return ratioInterval{kthRatio(base, sample, c), kthRatio(base, sample, pairs+1-c), level}
	}
	return ratioInterval{}
}

// kthRatio returns the k-th smallest, from 1, of all ratios of a value of sample to one of base, both sorted and positive. It
// searches among the numbers for the smallest that has k ratios up to it, and never holds the ratios.
func kthRatio(base, sample []float64, k int) float64 {
	first := math.Float64bits(sample[0] / base[len(base)-1]) // positive numbers are ordered like their bits
	last := math.Float64bits(sample[len(sample)-1] / base[0])
	n := sort.Search(int(last-first), func(i int) bool {
		return countRatios(base, sample, math.Float64frombits(first+uint64(i))) >= k
	})
	return math.Float64frombits(first + uint64(n))
}

// countRatios counts the ratios that are at most limit.
func countRatios(base, sample []float64, limit float64) int {
	count, j := 0, 0
	for _, b := range base { // the larger b, the more values of sample are in
		for j < len(sample) && sample[j]/b <= limit {
			j++
		}
		count += j
	}
	return count
}

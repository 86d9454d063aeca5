package stats

import (
	"cmp"
	"math"
	"slices"
)

// A Bootstrap is the percentile bootstrap interval of a median, as recipes with resampling estimate it.
type Bootstrap struct {
	N        int
	Lo, Hi   float64 // NaN below two values
	Nominal  float64 // the level that the recipe claims: TargetLevel
	Coverage float64 // how often such an interval of N normal values covers their median, from normal.csv; NaN if not known
}

// HasInterval reports whether there is an interval: from two values on.
func (b Bootstrap) HasInterval() bool { return !math.IsNaN(b.Lo) }

// BootstrapMedian returns the percentile bootstrap interval of the median of values at TargetLevel: the quantiles of the
// medians of all n^n resamples, counted and not drawn, so that there is no seed and no noise. It is for those who want that
// recipe; what Summarize returns is the better interval for few reps. Values that are not finite are left out.
func BootstrapMedian(values []float64) Bootstrap {
	sorted, _ := finiteOnly(values)
	b := Bootstrap{N: len(sorted), Lo: math.NaN(), Hi: math.NaN(), Nominal: TargetLevel, Coverage: bootstrapCoverage(len(sorted))}
	if b.N < 2 {
		return b
	}
	medians := resampledMedians(sorted)
	b.Lo = quantile(medians, (1-TargetLevel)/2)
	b.Hi = quantile(medians, (1+TargetLevel)/2)
	return b
}

// A mass is a value with its probability.
type mass struct{ value, p float64 }

// quantile returns the smallest value up to which the probabilities add up to p; the masses are in ascending order.
func quantile(masses []mass, p float64) float64 {
	sum := 0.0
	for _, m := range masses {
		if sum += m.p; sum >= p-1e-12 {
			return m.value
		}
	}
	return masses[len(masses)-1].value
}

// negligible is a probability that no quantile notices.
const negligible = 1e-15

// resampledMedians returns the distribution of the median of n values drawn with replacement from n sorted ones.
func resampledMedians(sorted []float64) []mass {
	n := len(sorted)
	var masses []mass
	if n%2 == 1 {
		for i, p := range drawnRanks(n, (n+1)/2) {
			masses = append(masses, mass{sorted[i], p})
		}
		return masses
	}
	lower := drawnRanks(n, n/2) // of the lower of the two middle values
	low, high := middleHalves(n)
	for i, atI := range lower {
		if atI < negligible {
			continue
		}
		same := atI
		for j := i + 1; j < n; j++ {
			p := low[i] * high[j]
			same -= p
			if p > negligible {
				masses = append(masses, mass{sorted[i]/2 + sorted[j]/2, p})
			}
		}
		masses = append(masses, mass{sorted[i], same})
	}
	slices.SortFunc(masses, func(a, b mass) int { return cmp.Compare(a.value, b.value) })
	return masses
}

// drawnRanks returns, for every index of n sorted values, the probability that it is the k-th smallest of n draws: at least k
// draws are up to it, and not so for the one before.
func drawnRanks(n, k int) []float64 {
	p := make([]float64, n)
	before := 0.0
	for i := range p {
		upTo := atLeast(n, k, float64(i+1)/float64(n))
		p[i] = upTo - before
		before = upTo
	}
	return p
}

// middleHalves returns the factors of the probability that the two middle ones of n draws, n even, are those with the indices
// i < j, which is low[i] × high[j]: half of the draws up to i, and one of them i; the other half from j on, and one of them j. The
// number of ways to choose the halves is shared among the factors.
func middleHalves(n int) (low, high []float64) {
	half, ways := float64(n/2), logChoose(n, n/2)/2
	power := func(k int) float64 { return math.Exp(ways + half*math.Log(float64(k)/float64(n))) }
	for i := range n {
		low = append(low, power(i+1)-power(i))
		high = append(high, power(n-i)-power(n-i-1))
	}
	return low, high
}

// atLeast returns the probability that at least k of n independent trials with probability p succeed: the largest term of
// the sum, and its neighbours on both sides as long as they matter.
func atLeast(n, k int, p float64) float64 {
	if p >= 1 {
		return 1
	}
	most := min(n, max(k, int(p*float64(n+1))))
	largest := math.Exp(logChoose(n, most) + float64(most)*math.Log(p) + float64(n-most)*math.Log1p(-p))
	sum, odds := largest, p/(1-p)
	for s, term := most, largest; s < n && term > sum*negligible; s++ {
		term *= odds * float64(n-s) / float64(s+1)
		sum += term
	}
	for s, term := most, largest; s > k && term > sum*negligible; s-- {
		term *= float64(s) / (odds * float64(n-s+1))
		sum += term
	}
	return min(1, sum)
}

// logChoose returns the logarithm of the binomial coefficient.
func logChoose(n, k int) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	return lg(n) - lg(k) - lg(n-k)
}

package stats

import (
	"math"
	"sync"
)

// maxReps is the largest number of reps that is planned.
const maxReps = 1000

// RepsNeeded returns how many reps make the interval of the median, at TargetLevel, as narrow as ± percent of the median, if
// the reps scatter like values and are about normal: before a run, from those of an earlier one, and after it, from its own.
// 0: values do not tell, or more than 1000. It is as rough as values are few, because their standard deviation is.
func RepsNeeded(values []float64, percent float64) int {
	spread := RelativeSpread(values)
	if math.IsNaN(spread) || percent <= 0 {
		return 0
	}
	for n, half := range halfWidths() {
		if n >= TargetReps && spread*half <= percent {
			return n
		}
	}
	return 0
}

// RelativeSpread returns the standard deviation of values in percent of their median; NaN below two values, or if the median
// is not above 0.
func RelativeSpread(values []float64) float64 {
	sorted, _ := finiteOnly(values)
	if len(sorted) < 2 || middle(sorted) <= 0 {
		return math.NaN()
	}
	mean, sum := 0.0, 0.0
	for i, v := range sorted {
		mean += (v - mean) / float64(i+1)
	}
	for _, v := range sorted {
		sum += (v - mean) * (v - mean)
	}
	return 100 * math.Sqrt(sum/float64(len(sorted)-1)) / middle(sorted)
}

// halfWidths returns, by n, half the expected width of the interval of the median of n normal values with standard deviation
// 1. The expected k-th of n is about the quantile at (k - 3/8) ÷ (n + 1/4) (Blom 1958).
var halfWidths = sync.OnceValue(func() []float64 {
	widths := make([]float64, maxReps+1)
	for n := TargetReps; n <= maxReps; n++ {
		k := float64(orderRank(n))
		widths[n] = -normalQuantile((k - 0.375) / (float64(n) + 0.25))
	}
	return widths
})

// orderRank returns the largest k for which the k-th smallest and the k-th largest of n values cover their median at
// TargetLevel: the median misses them on one side with the probability of fewer than k heads in n throws.
func orderRank(n int) int {
	k, below := 0, 0.0
	for {
		below += math.Exp(logChoose(n, k) - float64(n)*math.Ln2)
		if 2*below > 1-TargetLevel {
			return k
		}
		k++
	}
}

package stats

import (
	"cmp"
	"slices"
)

// Holm returns the p of a family of tests adjusted so that the chance of a single false alarm among them all stays below
// Alpha if those below Alpha are believed (Holm 1979). It assumes nothing about how the tests depend on each other.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	largest := 0.0
	for rank, i := range order {
		largest = max(largest, min(1, float64(len(p)-rank)*p[i]))
		adjusted[i] = largest
	}
	return adjusted
}

package stats

import (
	"fmt"
	"math"
	"slices"
)

// smallOutlier is the share of the median below which no value is called an outlier: counters and printed digits often make
// reps equal, and against a spread of nothing every other value would be one.
const smallOutlier = 0.01

// An Outlier is a value that lies further from the others than chance explains. It is never left out.
type Outlier struct {
	Index    int // in the sample
	Value    float64
	Distance float64 // from the median, in median absolute deviations; +Inf if these are 0
}

// Outliers returns the values that lie far from the median, in units of the median absolute deviation (MAD), and more than 1 %
// of the median away from it. How far depends on n: the usual 3.5/0.6745 would call a value an outlier in every fourth
// sample of three normal values. The limits here are those that one normal sample in a hundred reaches (normal.csv), a factor
// of hundreds for three values: that is how little three values say about each other. Two values say nothing.
func Outliers(values []float64) []Outlier {
	sorted, _ := finiteOnly(values)
	if len(sorted) < 3 {
		return nil
	}
	median, mad := medianMAD(sorted)
	limit := outlierLimit(len(sorted))
	var list []Outlier
	for i, v := range values {
		d := math.Abs(v - median)
		if isFinite(v) && d > limit*mad && d > smallOutlier*math.Abs(median) {
			list = append(list, Outlier{i, v, d / mad})
		}
	}
	return list
}

// String says how far out the value lies.
func (o Outlier) String() string {
	if math.IsInf(o.Distance, 0) {
		return fmt.Sprintf("%.4g is an outlier: most others are equal; it is used", o.Value)
	}
	return fmt.Sprintf("%.4g is an outlier, %.0f MAD from the median; it is used", o.Value, o.Distance)
}

// medianMAD returns the median of sorted values and the median of their distances from it.
func medianMAD(sorted []float64) (median, mad float64) {
	median = middle(sorted)
	distances := make([]float64, len(sorted))
	for i, v := range sorted {
		distances[i] = math.Abs(v - median)
	}
	slices.Sort(distances)
	return median, middle(distances)
}

// middle is the median of sorted values.
func middle(sorted []float64) float64 {
	n := len(sorted)
	return sorted[(n-1)/2]/2 + sorted[n/2]/2
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

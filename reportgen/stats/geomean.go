package stats

import (
	"fmt"
	"math"
)

// GeoMean returns the geometric mean of values, which is what ratios are averaged by: it does not depend on which side is the
// baseline. It has no value, with a warning, if a value is not a positive number: to leave one out would flatter the rest.
func GeoMean(values []float64) (mean float64, warnings []string) {
	if len(values) == 0 {
		return math.NaN(), nil
	}
	sum, bad := 0.0, 0
	for _, v := range values {
		if !isFinite(v) || v <= 0 {
			bad++
			continue
		}
		sum += math.Log(v)
	}
	if bad > 0 {
		return math.NaN(), []string{fmt.Sprintf("%d of %d values not above 0 or not finite: no geometric mean", bad, len(values))}
	}
	return math.Exp(sum / float64(len(values))), nil
}

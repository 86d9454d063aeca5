package render

import (
	"math"
	"strconv"
	"strings"
)

// formatNumber writes v with that many significant digits and without an exponent, as long as that reads well: 13.70, 0.957,
// 1.00, 0.006824. Digits before the point are never rounded away.
func formatNumber(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	mantissa := strconv.FormatFloat(v, 'e', digits-1, 64)
	exp, err := strconv.Atoi(mantissa[strings.IndexByte(mantissa, 'e')+1:])
	if err != nil || exp < -6 || exp > 9 {
		return mantissa
	}
	return strconv.FormatFloat(v, 'f', max(0, digits-1-exp), 64)
}

// formatFull writes v in the shortest form that reads back as v, and nothing if it is not a number.
func formatFull(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// roundTo rounds v to that many significant digits.
func roundTo(v float64, digits int) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return v
	}
	return r
}

package render

import (
	"math"
	"testing"
)

func TestFormatNumber(t *testing.T) {
	test := func(v float64, digits int, want string) {
		t.Helper()
		if got := formatNumber(v, digits); got != want {
			t.Errorf("formatNumber(%v, %d) = %q, want %q", v, digits, got, want)
		}
	}
	test(13.64, 4, "13.64")
	test(13.7, 4, "13.70")
	test(9.9999, 4, "10.00")
	test(0.00682416, 4, "0.006824")
	test(1234.4, 4, "1234")
	test(123456, 4, "123456")
	test(0, 4, "0")
	test(1, 3, "1.00")
	test(0.957, 3, "0.957")
	test(0.9996, 3, "1.00")
	test(12.1, 3, "12.1")
	test(-3.14159, 3, "-3.14")
	test(1e-9, 3, "1.00e-09")
	test(2.5e12, 3, "2.50e+12")
}

func TestFormatPercent(t *testing.T) {
	for v, want := range map[float64]string{0: "0.0 %", 0.04: "0.0 %", -0.04: "0.0 %", 4.06: "+4.1 %", -50: "-50.0 %", 1077.56: "+1077.6 %"} {
		if got := formatPercent(v); got != want {
			t.Errorf("formatPercent(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestFormatFull(t *testing.T) {
	for v, want := range map[float64]string{13.64: "13.64", 859200: "859200", 1. / 3: "0.3333333333333333", math.Inf(1): "", math.NaN(): ""} {
		if got := formatFull(v); got != want {
			t.Errorf("formatFull(%v) = %q, want %q", v, got, want)
		}
	}
	if got := roundTo(13.64*1000, 15); got != 13640 {
		t.Errorf("roundTo(13.64*1000, 15) = %v", got)
	}
}

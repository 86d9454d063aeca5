package report

import (
	"math"
	"testing"
)

func TestPrintUnit(t *testing.T) {
	test := func(unit string, want string, factor float64, values ...float64) {
		t.Helper()
		if got := printUnit(unit, values); got != (prefix{want, factor}) {
			t.Errorf("%s %v: %v, want %s %v", unit, values, got, want, factor)
		}
	}
	test("ops/s", "ops/s", 1, 21.81)
	test("ops/s", "kops/s", 1e3, 1324, 3648)
	test("ops/s", "Mops/s", 1e6, 5.1e6)
	test("ops/s", "Gops/s", 1e9, 1e9)
	test("B/s", "MiB/s", 1<<20, 1e5, 14e6) // compared with each other: one prefix
	test("register-cold-B/s", "MiB/s (register-cold)", 1<<20, 79e6)
	test("peak-B/s", "GiB/s (peak)", 1<<30, 1.12e10)
	test("sec/op", "µs (median)", 1e-6, 1.9e-6, 2e-6)
	test("p99-sec/op", "ms (p99)", 1e-3, 0.0304)
	test("min-sec/op", "ns (least)", 1e-9, 5e-10)
	test("sec/op", "s (median)", 1, 12)
	test("ops/s", "ops/s", 1)
	test("ops/s", "ops/s", 1, 0, math.NaN(), math.Inf(1), -4)
	test("ops/s", "kops/s", 1e3, 0, 2000)
	test("ratio", "ratio", 1, 1e9)
	test("perftest-ops/s", "kops/s (perftest)", 1e3, 4000)
	test("x/txn", "x/txn", 1, 4000)
}

package report

import "testing"

func TestAlike(t *testing.T) {
	test := func(want string, texts ...string) {
		t.Helper()
		got, ok := alike(texts)
		if ok != (want != "") || got != want {
			t.Errorf("%q: %q %v, want %q", texts, got, ok, want)
		}
	}
	test("one", "one")
	test("a b", "a b", "a b")
	test("answered in 22ms to 60ms; kept", "answered in 60ms; kept", "answered in 22ms; kept", "answered in 59ms; kept")
	test("-2ms to 1ms off, within 999µs to 1.2ms", "0s off, within 1ms", "1ms off, within 1.2ms", "-2ms off, within 999µs")
	test("", "kernel 5.4", "kernel 4.15")         // no durations
	test("", "hash 0b6c", "hash 0b6d")            // nor these
	test("", "in 5ms", "in 5ms, then", "in 5ms,") // other words
	test("", "in 5ms, x", "in 6ms; x")
	test("", "none", "5ms")
	test("", "5ms", "none")
}

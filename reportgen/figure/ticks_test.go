package figure

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

func TestTicks(t *testing.T) {
	check := func(ticker plot.Ticker, lo, hi float64, want string) {
		t.Helper()
		var got []string
		for _, tick := range ticker.Ticks(lo, hi) {
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%T from %v to %v: %s, want %s", ticker, lo, hi, text, want)
		}
	}
	check(evenTicks{5}, 0, 17.5, "0 5 10 15")
	check(evenTicks{5}, 0, 1, "0 0.2 0.4 0.6 0.8 1.0")
	check(evenTicks{5}, -2, 2, "–2 –1 0 1 2")
	check(evenTicks{5}, 0, 14080, "0 5k 10k")
	check(evenTicks{5}, 0, 2.5e6, "0 500k 1000k 1500k 2000k 2500k")
	check(evenTicks{5}, 0, 3e10, "0 10G 20G 30G")
	check(evenTicks{5}, 0, 0.00042, "0 0.0001 0.0002 0.0003 0.0004")
	check(evenTicks{5}, 0, math.Inf(1), "")
	check(evenTicks{5}, 3, 3, "")
	numbers := logTicks{func(v float64) string { return tickLabel(v, v) }}
	check(numbers, 0.01, 130, "0.01 0.1 1 10 100")
	check(numbers, 300, 60000, "500 1k 2k 5k 10k 20k 50k")
	check(numbers, 4.5, 8.5, "5 6 7 8")
	check(logTicks{timeLabel}, 0.1, 3e6, "100 ns 10 µs 1 ms 100 ms")
	check(logTicks{timeLabel}, 300, 9000, "500 µs 1 ms 2 ms 5 ms")
	check(byteTicks{8}, 2, 64, "2 4 8 16 32 64")
	check(byteTicks{8}, 4096, 16<<20, "4K 16K 64K 256K 1M 4M 16M")
	check(byteTicks{8}, 4096, 1<<30, "4K 32K 256K 2M 16M 128M 1G")
}

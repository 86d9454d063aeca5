package figure

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// evenTicks are at multiples of 1, 2 or 5 times a power of ten, about as many as Most.
type evenTicks struct{ most int }

// Ticks returns the ticks between min and max, all with labels.
func (e evenTicks) Ticks(min, max float64) []plot.Tick {
	step := stepFor(max-min, e.most)
	if step <= 0 || math.IsInf(step, 0) || math.IsNaN(step) {
		return nil
	}
	var ticks []plot.Tick
	for i := math.Ceil(min/step - 1e-9); i*step <= max+step*1e-9 && len(ticks) <= 2*e.most; i++ {
		v := i * step
		ticks = append(ticks, plot.Tick{Value: v, Label: tickLabel(v, step)})
	}
	return ticks
}

// stepFor returns the smallest step of 1, 2 or 5 times a power of ten that divides span into at most n parts.
func stepFor(span float64, n int) float64 {
	if !(span > 0) || math.IsInf(span, 0) {
		return 0
	}
	power := math.Pow(10, math.Floor(math.Log10(span/float64(n))))
	for _, f := range []float64{1, 2, 5, 10} {
		if span <= f*power*float64(n)*(1+1e-9) {
			return f * power
		}
	}
	return 10 * power
}

// tickLabel writes v with as many decimals as step has, and thousands, millions and milliards as k, M and G.
func tickLabel(v, step float64) string {
	unit, suffix := 1.0, ""
	switch largest := math.Max(math.Abs(v), step); {
	case step >= 1e9 || largest >= 1e10:
		unit, suffix = 1e9, "G"
	case step >= 1e6 || largest >= 1e7:
		unit, suffix = 1e6, "M"
	case step >= 1e3 || largest >= 1e4:
		unit, suffix = 1e3, "k"
	}
	if math.Abs(v) < step*1e-6 {
		return "0"
	}
	decimals := int(max(0, math.Ceil(-math.Log10(step/unit)-1e-9)))
	if decimals > 6 || math.Abs(v) >= 1e13 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strings.Replace(strconv.FormatFloat(v/unit, 'f', decimals, 64), "-", "–", 1) + suffix
}

// logTicks are at the powers of ten, with unlabelled ones between them. A range of few decades gets labels there as well.
type logTicks struct{ label func(v float64) string }

func (l logTicks) Ticks(min, max float64) []plot.Tick {
	decades := math.Log10(max / min)
	var ticks []plot.Tick
	every := int(math.Max(1, math.Ceil(decades/7)))
	first := int(math.Floor(math.Log10(min)))
	for e := first; e <= int(math.Ceil(math.Log10(max))) && len(ticks) < 1000; e++ {
		for d := 1; d < 10; d++ {
			v := float64(d) * math.Pow(10, float64(e))
			if v < min*(1-1e-9) || v > max*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: v}
			labelled := d == 1 && (e-first)%every == 0
			labelled = labelled || decades < 2.5 && (d == 2 || d == 5) || decades < 1.2 && (d == 3 || d == 7) || decades < 0.6
			if labelled {
				t.Label = l.label(v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// timeLabel writes microseconds: 5 µs, 10 ms, 2 s.
func timeLabel(us float64) string {
	for _, u := range []struct {
		size float64
		unit string
	}{{1e6, "s"}, {1e3, "ms"}, {1, "µs"}} {
		if us >= u.size*(1-1e-9) {
			return strconv.FormatFloat(us/u.size, 'g', 3, 64) + " " + u.unit
		}
	}
	return strconv.FormatFloat(us*1e3, 'g', 3, 64) + " ns"
}

// byteTicks are at powers of two, labelled in bytes, KiB (K), MiB (M) and GiB (G).
type byteTicks struct{ most int }

func (b byteTicks) Ticks(min, max float64) []plot.Tick {
	from, to := math.Ceil(math.Log2(min)-1e-9), math.Floor(math.Log2(max)+1e-9)
	every := 1
	for (to-from)/float64(every) >= float64(b.most) {
		every++
	}
	var ticks []plot.Tick
	for e := from; e <= to; e++ {
		t := plot.Tick{Value: math.Exp2(e)}
		if int(e-from)%every == 0 {
			t.Label = sizeLabel(t.Value)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// sizeLabel writes a size: 512, 4K, 16M.
func sizeLabel(v float64) string {
	for _, u := range []struct {
		size   float64
		suffix string
	}{{1 << 30, "G"}, {1 << 20, "M"}, {1 << 10, "K"}} {
		if v >= u.size {
			return strconv.FormatFloat(v/u.size, 'g', 4, 64) + u.suffix
		}
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Scale says how an axis is divided.
type Scale int

// The scales. Bytes and Time are logarithmic: Bytes has its ticks at powers of two, Time is of microseconds and has a unit
// at each tick.
const (
	Linear Scale = iota // from 0, or from the least value if that is negative
	Log
	Bytes
	Time
)

// An Axis is what a figure measures: its name with its unit, and its scale.
type Axis struct {
	Label string
	Scale Scale
	Tight bool // Linear: begins and ends with the data
}

// takes reports whether the axis can show v.
func (a Axis) takes(v float64) bool {
	const largest = 1e300 // a range beyond this has no length
	if math.IsNaN(v) || math.Abs(v) > largest {
		return false
	}
	return a.Scale == Linear || v > 1/largest
}

// at is where v stands on the axis: logarithmic axes are laid out in powers of ten.
func (a Axis) at(v float64) float64 {
	if a.Scale == Linear {
		return v
	}
	return math.Log10(v)
}

// powers are ticks of a logarithmic axis, where at puts them.
type powers struct{ plot.Ticker }

func (t powers) Ticks(min, max float64) []plot.Tick {
	ticks := t.Ticker.Ticks(math.Pow(10, min), math.Pow(10, max))
	for i := range ticks {
		ticks[i].Value = math.Log10(ticks[i].Value)
	}
	return ticks
}

// span is a range of values.
type span struct{ lo, hi float64 }

func noSpan() span { return span{math.Inf(1), math.Inf(-1)} }

func (s *span) add(values ...float64) {
	for _, v := range values {
		s.lo, s.hi = min(s.lo, v), max(s.hi, v)
	}
}

// fit gives a range of the plot's axis that shows all values of s, and its ticks.
func (a Axis) fit(to *plot.Axis, s span) {
	switch {
	case a.Scale == Linear && a.Tight:
		to.Tick.Marker = evenTicks{6}
		if s.hi <= s.lo {
			pad := math.Max(math.Abs(s.lo)*0.1, 0.5)
			s.lo, s.hi = s.lo-pad, s.hi+pad
		}
	case a.Scale == Linear:
		s.lo, s.hi = min(s.lo, 0), max(s.hi, 0)
		if s.hi <= s.lo {
			s.hi = s.lo + 1
		}
		step := stepFor((s.hi-s.lo)*1.03, 5)
		s.lo, s.hi = math.Floor(s.lo/step+1e-9)*step, math.Max(s.hi*1.03, math.Ceil(s.hi/step)*step-step/2)
		to.Tick.Marker = evenTicks{5}
	default:
		const room = 0.04 // of the axis, at both ends
		margin := max(1.12, math.Pow(s.hi/s.lo, room))
		switch a.Scale {
		case Bytes:
			to.Tick.Marker, margin = powers{byteTicks{8}}, 1.0
		case Time:
			to.Tick.Marker = powers{logTicks{timeLabel}}
		default:
			to.Tick.Marker = powers{logTicks{func(v float64) string { return tickLabel(v, v) }}}
		}
		if s.hi <= s.lo {
			margin = 2
		}
		s.lo, s.hi = s.lo/margin, s.hi*margin
	}
	to.Min, to.Max = a.at(s.lo), a.at(s.hi)
}

// newPlot makes an empty plot in the style of all figures.
func newPlot() *plot.Plot {
	p := plot.New()
	p.TextHandler = fonts()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.LineStyle = draw.LineStyle{Color: ink, Width: 0.5}
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 3
		a.Label.TextStyle = style(textSize, text.XCenter, text.YBottom)
		a.Label.Padding = 1.5
	}
	p.X.Tick.Label = style(textSize, text.XCenter, text.YTop)
	p.Y.Tick.Label = style(textSize, text.XRight, text.YCenter)
	p.Legend.TextStyle = style(textSize, text.XLeft, text.YCenter)
	return p
}

// bare are the ticks of another axis without their labels: an inner panel's, whose labels stand at the edge.
type bare struct{ plot.Ticker }

func (b bare) Ticks(min, max float64) []plot.Tick {
	var ticks []plot.Tick
	for _, t := range b.Ticker.Ticks(min, max) {
		if t.Label != "" {
			ticks = append(ticks, plot.Tick{Value: t.Value})
		}
	}
	return ticks
}

// grid are faint lines at the labelled ticks of the vertical axis, behind the data.
type grid struct{ ticks plot.Ticker }

func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	for _, t := range g.ticks.Ticks(p.Y.Min, p.Y.Max) {
		if at := y(t.Value); t.Label != "" && at > c.Min.Y+1 && at <= c.Max.Y {
			c.StrokeLine2(draw.LineStyle{Color: faint, Width: 0.4}, c.Min.X, at, c.Max.X, at)
		}
	}
}

// rightOf is where a key's text begins behind its sample.
const rightOf = vg.Length(3)

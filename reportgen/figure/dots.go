package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Dots compare series within groups: a mark per series, and where there is a second value a thin line up to its bar.
type Dots struct {
	Y      Axis
	Series []string
	Groups []Group
	Low    string // what the marks are: p50; empty if there is one value only
	High   string // what the bars at the ends of the lines are: p99
	Wide   bool
}

// A Group is a place on the horizontal axis.
type Group struct {
	Label string
	Dots  []Dot
}

// A Dot is one series in a group.
type Dot struct {
	Series int // index of Dots.Series
	Low    Point
	High   *Point // nil: there is no second value
}

func (d *Dots) sheet() *sheet {
	s := &sheet{width: widthOf(d.Wide), row: panelHeight, cols: 1}
	p := newPlot()
	p.Y.Label.Text = d.Y.Label
	d.Y.fit(&p.Y, d.values())
	var names []string
	for _, g := range d.Groups {
		names = append(names, g.Label)
	}
	s.row += nominal(p, names, s.width)
	p.Add(grid{p.Y.Tick.Marker}, dotsPlotter{d})
	s.panels = []*plot.Plot{p}
	for i, name := range d.Series {
		s.keys = append(s.keys, glyphKey(name, lookOf(i).mark(markRadius)))
	}
	if d.High != "" {
		s.keys = append(s.keys, key{d.Low + " (mark) to " + d.High + " (bar)", func(c *draw.Canvas, from, to vg.Point) {
			stem(c, to.X-5, from.Y-3, from.Y+3, capWidth, ink)
			c.DrawGlyphNoClip(lookOf(0).mark(1.2), vg.Point{X: to.X - 5, Y: from.Y - 3})
		}})
	}
	return s
}

func (d *Dots) values() span {
	s := noSpan()
	for _, g := range d.Groups {
		for _, dot := range g.Dots {
			if d.Y.takes(dot.Low.Y) {
				s.add(dot.Low.Y)
			}
			if dot.High != nil && d.Y.takes(dot.High.Y) {
				s.add(dot.High.Y)
			}
		}
	}
	return s
}

// mostMarks is how many marks, and the gaps between groups, a page is wide enough for.
const mostMarks = 200

// crowded reports whether the marks are too close to be told apart.
func (d *Dots) crowded() bool { return len(d.Groups)*(len(d.Series)+1) > mostMarks }

func (d *Dots) empty() bool { return math.IsInf(d.values().lo, 0) }

func (d *Dots) marks() []mark {
	var all []mark
	for _, g := range d.Groups {
		for _, dot := range g.Dots {
			if d.Y.takes(dot.Low.Y) {
				all = append(all, mark{d.Low, d.Series[dot.Series], g.Label, dot.Low})
			}
			if dot.High != nil && d.Y.takes(dot.High.Y) {
				all = append(all, mark{d.High, d.Series[dot.Series], g.Label, *dot.High})
			}
		}
	}
	return all
}

type dotsPlotter struct{ *Dots }

func (d dotsPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	slot := (x(1) - x(0)) / vg.Length(len(d.Series)+1)
	radius := min(markRadius, slot*0.45)
	for i, g := range d.Groups {
		if i > 0 {
			between := x(float64(i) - 0.5)
			c.StrokeLine2(draw.LineStyle{Color: faint, Width: 0.4}, between, c.Min.Y, between, c.Max.Y)
		}
		for _, dot := range g.Dots {
			if !d.Y.takes(dot.Low.Y) {
				continue
			}
			at := vg.Point{X: x(float64(i)-0.5) + slot*vg.Length(dot.Series+1), Y: y(d.Y.at(dot.Low.Y))}
			if dot.High != nil && d.Y.takes(dot.High.Y) {
				stem(&c, at.X, at.Y, y(d.Y.at(dot.High.Y)), radius, lookOf(dot.Series).color)
			}
			c.DrawGlyphNoClip(lookOf(dot.Series).mark(radius), at)
		}
	}
}

// stem draws the line from the first value to the second, with a bar of the given half width there.
func stem(c *draw.Canvas, x, low, high, half vg.Length, clr color.Color) {
	sty := draw.LineStyle{Color: clr, Width: 0.6}
	c.StrokeLine2(sty, x, low, x, high)
	c.StrokeLine2(sty, x-half, high, x+half, high)
}

package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	markRadius = vg.Length(2)
	spotRadius = vg.Length(1.6)
	capWidth   = vg.Length(2)
)

var (
	noGlyph     = draw.GlyphStyle{}
	switchStyle = draw.LineStyle{Color: mid, Width: 0.7, Dashes: []vg.Length{3, 2}}
	spot        = draw.GlyphStyle{Color: ink, Radius: spotRadius, Shape: hollow{}}
)

// styles are how a look draws its line and its points; one of them may be missing.
func (l Look) styles() (draw.LineStyle, draw.GlyphStyle) {
	switch {
	case l >= 0:
		k := lookOf(int(l))
		return k.line(), k.mark(markRadius)
	case l == LookRep:
		return draw.LineStyle{Color: mid, Width: 0.5}, noGlyph
	case l == LookCompare:
		return draw.LineStyle{Color: mid, Width: 0.8, Dashes: []vg.Length{1, 1.5}}, noGlyph
	}
	return draw.LineStyle{}, spot
}

func keyOf(k Key) key {
	line, glyph := k.Look.styles()
	if line.Width == 0 {
		return glyphKey(k.Name, glyph)
	}
	return lineKey(k.Name, line, glyph)
}

// curve draws a series. place and of say which of the panel's series it is, so that the marks of several do not coincide.
type curve struct {
	series    *Series
	place, of int
	x, y      Axis
}

const (
	allMarked    = 24            // a line of so many points has a mark at each
	betweenMarks = vg.Length(18) // of a longer one: close enough to tell it from the others
)

// beside is how far the single reps stand beside the median and its interval.
const beside = vg.Length(5)

func (u *curve) Plot(c draw.Canvas, p *plot.Plot) {
	line, glyph := u.series.Look.styles()
	var run, spots []vg.Point
	stroke := func() {
		if line.Width > 0 && len(run) > 1 {
			c.StrokeLines(line, c.ClipLinesXY(thin(run))...)
		} else if glyph.Shape == nil {
			spots = append(spots, run...)
		}
		run = run[:0]
	}
	every, offset := u.markEvery(line, c.Max.X-c.Min.X)
	for i, pt := range u.series.Points {
		at, ok := u.point(&c, p, pt.X, pt.Y)
		if !ok {
			stroke()
			continue
		}
		run = append(run, at)
		if lo, ok := u.point(&c, p, pt.X, pt.Lo); ok && pt.Level > 0 {
			if hi, ok := u.point(&c, p, pt.X, pt.Hi); ok {
				whisker(&c, at.X, lo.Y, hi.Y, capWidth)
			}
		}
		if glyph.Shape != nil && i%every == offset {
			spots = append(spots, at)
		}
	}
	stroke()
	if glyph.Shape == nil {
		glyph = spot // of a line that is a single point
	}
	for _, at := range spots {
		if u.series.Look == LookSpots {
			at.X += beside
		}
		c.DrawGlyphNoClip(glyph, at)
	}
}

// markEvery says which points get a mark: of a long line some, beginning at another one in each series.
func (u *curve) markEvery(line draw.LineStyle, width vg.Length) (every, offset int) {
	n, marks := len(u.series.Points), max(2, int(width/betweenMarks))
	if line.Width == 0 || n <= max(allMarked, 2*marks) {
		return 1, 0
	}
	every = n / marks
	return every, every * u.place / u.of
}

// point returns where a point is drawn, and whether it lies within the plot's axes.
func (u *curve) point(c *draw.Canvas, p *plot.Plot, x, y float64) (vg.Point, bool) {
	if !u.x.takes(x) || !u.y.takes(y) {
		return vg.Point{}, false
	}
	x, y = u.x.at(x), u.y.at(y)
	toX, toY := p.Transforms(c)
	return vg.Point{X: toX(x), Y: toY(y)}, x >= p.X.Min && x <= p.X.Max && y >= p.Y.Min && y <= p.Y.Max
}

// thin drops points of a line that cannot be told apart on paper: of those within a fifth of a point in X it keeps the
// first, the lowest, the highest and the last.
func thin(points []vg.Point) []vg.Point {
	const (
		few   = 2000
		width = vg.Length(0.2)
	)
	if len(points) <= few {
		return points
	}
	var kept []vg.Point
	for len(points) > 0 {
		n, low, high := 1, 0, 0
		for n < len(points) && points[n].X < points[0].X+width {
			if points[n].Y < points[low].Y {
				low = n
			}
			if points[n].Y > points[high].Y {
				high = n
			}
			n++
		}
		last := -1
		for _, i := range []int{0, min(low, high), max(low, high), n - 1} {
			if i != last {
				kept = append(kept, points[i])
			}
			last = i
		}
		points = points[n:]
	}
	return kept
}

// whisker draws an interval with bars of the given half width at its ends.
func whisker(c *draw.Canvas, x, lo, hi, half vg.Length) {
	sty := draw.LineStyle{Color: ink, Width: 0.7}
	c.StrokeLine2(sty, x, lo, x, hi)
	c.StrokeLine2(sty, x-half, lo, x+half, lo)
	c.StrokeLine2(sty, x-half, hi, x+half, hi)
}

// switches draws the moments at which the workload changed.
type switches []Switch

func (s switches) Plot(c draw.Canvas, p *plot.Plot) {
	const many = 15
	x, _ := p.Transforms(&c)
	sty := switchStyle
	if len(s) > many {
		sty.Width /= 2
	}
	for _, w := range s {
		if w.X >= p.X.Min && w.X <= p.X.Max {
			c.StrokeLine2(sty, x(w.X), c.Min.Y, x(w.X), c.Max.Y)
		}
	}
}

// hollow is a circle filled with white, which stays visible on a bar and on another circle.
type hollow struct{}

func (hollow) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	c.SetColor(paper)
	draw.CircleGlyph{}.DrawGlyph(c, sty, pt)
	c.SetLineStyle(draw.LineStyle{Color: sty.Color, Width: 0.6})
	var p vg.Path
	p.Move(vg.Point{X: pt.X + sty.Radius, Y: pt.Y})
	p.Arc(pt, sty.Radius, 0, 2*math.Pi)
	p.Close()
	c.Stroke(p)
}

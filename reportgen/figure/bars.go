package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars compare cells: a bar to each median, its interval, and the single reps beside it.
type Bars struct {
	Y    Axis
	Bars []Bar
	Wide bool
}

// A Bar is one cell. Median holds the interval; a cell without a value has no bar, and keeps its place.
type Bar struct {
	Label  string
	Median *Point
	Reps   []Point
	AA     bool // the cell repeats another one
}

const barWidth = 0.62 // of the room that a cell has

func (b *Bars) sheet() *sheet {
	s := &sheet{width: widthOf(b.Wide), row: panelHeight, cols: 1}
	p := newPlot()
	p.Y.Label.Text = b.Y.Label
	b.Y.fit(&p.Y, b.values())
	var names []string
	aa, intervals := false, false
	for _, bar := range b.Bars {
		names = append(names, bar.Label)
		aa = aa || bar.AA
		intervals = intervals || bar.Median != nil && bar.Median.Level > 0
	}
	s.row += nominal(p, names, s.width)
	p.Add(grid{p.Y.Tick.Marker}, barsPlotter{b})
	s.panels = []*plot.Plot{p}
	s.keys = b.keys(aa, intervals)
	return s
}

func (b *Bars) keys(aa, intervals bool) []key {
	keys := []key{{"median", func(c *draw.Canvas, from, to vg.Point) { box(c, to.X-9, from.Y-2.5, to.X, from.Y+2.5, false) }}}
	if aa {
		keys = append(keys, key{"A/A repeat", func(c *draw.Canvas, from, to vg.Point) { box(c, to.X-9, from.Y-2.5, to.X, from.Y+2.5, true) }})
	}
	if intervals {
		keys = append(keys, key{"interval", func(c *draw.Canvas, from, to vg.Point) { whisker(c, to.X-4, from.Y-3.5, from.Y+3.5, capWidth) }})
	}
	return append(keys, glyphKey("single rep", spot))
}

// values is the range of everything that the axis must show.
func (b *Bars) values() span {
	s := noSpan()
	for _, bar := range b.Bars {
		if bar.Median != nil {
			s.add(bar.Median.Y)
			if bar.Median.Level > 0 && b.Y.takes(bar.Median.Lo) && b.Y.takes(bar.Median.Hi) {
				s.add(bar.Median.Lo, bar.Median.Hi)
			}
		}
		for _, r := range bar.Reps {
			if b.Y.takes(r.Y) {
				s.add(r.Y)
			}
		}
	}
	return s
}

func (b *Bars) marks() []mark {
	var all []mark
	for _, bar := range b.Bars {
		if bar.Median != nil {
			all = append(all, mark{"", "median", bar.Label, *bar.Median})
		}
		for _, r := range bar.Reps {
			if b.Y.takes(r.Y) {
				all = append(all, mark{"", "rep " + number(r.X), bar.Label, r})
			}
		}
	}
	return all
}

type barsPlotter struct{ *Bars }

func (b barsPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, bar := range b.Bars.Bars {
		at := float64(i)
		left, right := x(at-barWidth/2), x(at+barWidth/2)
		if bar.Median == nil {
			sty := style(smallSize, draw.XCenter, draw.YBottom)
			c.FillText(sty, vg.Point{X: x(at), Y: y(max(0, p.Y.Min)) + 1}, "none")
			continue
		}
		box(&c, left, y(0), right, y(bar.Median.Y), bar.AA)
		if bar.Median.Level > 0 {
			whisker(&c, (left+right)/2, y(bar.Median.Lo), y(bar.Median.Hi), min(capWidth, (right-left)/8))
		}
		rep := spot
		rep.Radius = min(spotRadius, (right-left)/9)
		for j, r := range bar.Reps {
			if b.Y.takes(r.Y) {
				c.DrawGlyphNoClip(rep, vg.Point{X: left + (right-left)*repAt(j, len(bar.Reps)), Y: y(r.Y)})
			}
		}
	}
}

// repAt is where the j-th of n reps stands across its bar: side by side, on both sides of the interval in the middle.
func repAt(j, n int) vg.Length {
	const side = 0.34 // of the bar, on each side
	left := (n + 1) / 2
	if j < left {
		return side * (vg.Length(j) + 0.5) / vg.Length(left)
	}
	return 1 - side*(vg.Length(n-j)-0.5)/vg.Length(left)
}

// box draws a bar, hatched if it repeats another one.
func box(c *draw.Canvas, left, bottom, right, top vg.Length, hatched bool) {
	corners := []vg.Point{{X: left, Y: bottom}, {X: left, Y: top}, {X: right, Y: top}, {X: right, Y: bottom}}
	fill := color.Color(color.RGBA{0x9e, 0xc3, 0xdd, 0xff})
	if hatched {
		fill = paper
	}
	c.FillPolygon(fill, corners)
	if hatched {
		hatch(c, left, min(bottom, top), right, max(bottom, top))
	}
	c.StrokeLines(draw.LineStyle{Color: ink, Width: 0.5}, append(corners, corners[0]))
}

// hatch fills a rectangle with lines at 45 degrees.
func hatch(c *draw.Canvas, left, bottom, right, top vg.Length) {
	const gap = vg.Length(3)
	sty := draw.LineStyle{Color: mid, Width: 0.5}
	for d := gap; d < (right-left)+(top-bottom); d += gap {
		x0, y0 := left, bottom+d
		if y0 > top {
			x0, y0 = left+(y0-top), top
		}
		x1, y1 := left+d, bottom
		if x1 > right {
			x1, y1 = right, bottom+(x1-right)
		}
		c.StrokeLine2(sty, x0, y0, x1, y1)
	}
}

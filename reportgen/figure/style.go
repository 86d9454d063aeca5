package figure

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of figures: the column of a two-column paper, and both columns with the gap between them.
const (
	columnWidth = 3.33 * vg.Inch
	pageWidth   = 7 * vg.Inch
	panelHeight = 1.75 * vg.Inch // of a figure of one panel, with its axes
	tileHeight  = 1.35 * vg.Inch // of a row of several panels
)

// Sizes of text.
const (
	textSize  = vg.Length(7)
	smallSize = vg.Length(6)
)

var (
	ink   = color.Gray{0x00}
	faint = color.Gray{0xdd} // grid
	mid   = color.Gray{0x77} // what stands behind the data: phases, a line for comparison
	paper = color.White
)

// A look is how one series differs from the others: by colour, dash and marker at once.
type look struct {
	color  color.Color
	dashes []vg.Length
	shape  draw.GlyphDrawer
}

// looks are in the order of use. Neighbours differ in lightness.
var looks = []look{
	{color.RGBA{0x00, 0x00, 0x00, 0xff}, nil, draw.CircleGlyph{}},
	{color.RGBA{0xd5, 0x5e, 0x00, 0xff}, []vg.Length{4, 1.5}, draw.BoxGlyph{}},
	{color.RGBA{0x00, 0x72, 0xb2, 0xff}, []vg.Length{1, 1.2}, draw.PyramidGlyph{}},
	{color.RGBA{0xe6, 0x9f, 0x00, 0xff}, []vg.Length{5, 1.2, 1, 1.2}, diamond{}},
	{color.RGBA{0x00, 0x9e, 0x73, 0xff}, []vg.Length{2.5, 1}, draw.RingGlyph{}},
	{color.RGBA{0xcc, 0x79, 0xa7, 0xff}, []vg.Length{6, 2}, draw.CrossGlyph{}},
	{color.RGBA{0x56, 0xb4, 0xe9, 0xff}, []vg.Length{1, 2.2}, draw.SquareGlyph{}},
	{color.RGBA{0x66, 0x66, 0x66, 0xff}, []vg.Length{3, 1, 1, 1, 1, 1}, draw.TriangleGlyph{}},
}

// maxSeries is how many series can be told apart.
var maxSeries = len(looks)

func lookOf(i int) look { return looks[i%len(looks)] }

// line is how the series is drawn as a line.
func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: 0.9, Dashes: l.dashes}
}

// mark is how a point of the series is drawn.
func (l look) mark(radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color, Radius: radius, Shape: l.shape}
}

// diamond is a filled square that stands on its corner.
type diamond struct{}

func (diamond) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	r := sty.Radius * 1.3
	var p vg.Path
	p.Move(vg.Point{X: pt.X, Y: pt.Y + r})
	p.Line(vg.Point{X: pt.X + r, Y: pt.Y})
	p.Line(vg.Point{X: pt.X, Y: pt.Y - r})
	p.Line(vg.Point{X: pt.X - r, Y: pt.Y})
	p.Close()
	c.SetColor(sty.Color)
	c.Fill(p)
}

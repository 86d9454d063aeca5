package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A sheet is a figure laid out: keys at the top, and below them panels in rows.
type sheet struct {
	width  vg.Length
	row    vg.Length // height of a row of panels
	cols   int
	panels []*plot.Plot
	titles []string // of the panels, if they have some
	keys   []key
}

// A key tells what a mark stands for.
type key struct {
	name   string
	sample func(c *draw.Canvas, from, to vg.Point) // draws between two points of the same height
}

const (
	keyHeight = vg.Length(9.5)
	keySample = vg.Length(17)
	keyGap    = vg.Length(7)
	keyBelow  = vg.Length(2) // room between the keys and the panels
	titleRoom = vg.Length(10)
	margin    = vg.Length(2)
)

func (s *sheet) rows() int { return (len(s.panels) + s.cols - 1) / s.cols }

func (s *sheet) height() vg.Length {
	return s.row*vg.Length(s.rows()) + keyHeight*vg.Length(len(s.keyRows())) + keyBelow + 2*margin
}

// keyRows breaks the keys into rows that fit the width.
func (s *sheet) keyRows() [][]key {
	var rows [][]key
	var used vg.Length
	for _, k := range s.keys {
		w := keyWidth(k)
		if len(rows) == 0 || used+w > s.width-2*margin {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		used += w + keyGap
	}
	return rows
}

func keyWidth(k key) vg.Length {
	return keySample + rightOf + style(textSize, text.XLeft, text.YCenter).Width(k.name)
}

func (s *sheet) draw(c draw.Canvas) {
	c.SetColor(paper)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	for _, row := range s.keyRows() {
		drawKeys(&c, row)
		c.Max.Y -= keyHeight
	}
	c.Max.Y -= keyBelow
	rows := make([][]*plot.Plot, s.rows())
	for i := range rows {
		rows[i] = make([]*plot.Plot, s.cols)
		copy(rows[i], s.panels[i*s.cols:min(len(s.panels), (i+1)*s.cols)])
	}
	tiles := draw.Tiles{Rows: len(rows), Cols: s.cols, PadX: 6, PadY: 4}
	if len(s.titles) > 0 {
		tiles.PadTop, tiles.PadY = titleRoom, tiles.PadY+titleRoom
	}
	for i, at := range plot.Align(rows, tiles, c) {
		for j, p := range rows[i] {
			if p != nil {
				p.Draw(at[j])
				s.drawTitle(i*s.cols+j, p.DataCanvas(at[j]))
			}
		}
	}
}

// drawTitle writes the title of a panel above its frame, in a row all at the same height.
func (s *sheet) drawTitle(i int, frame draw.Canvas) {
	if len(s.titles) > 0 {
		sty := style(textSize, text.XCenter, text.YBottom)
		frame.FillText(sty, vg.Point{X: frame.Center().X, Y: frame.Max.Y + 2}, cutText(sty, s.titles[i], frame.Max.X-frame.Min.X))
	}
}

// drawKeys draws a row of keys in the middle of the top of c.
func drawKeys(c *draw.Canvas, row []key) {
	total := keyGap * vg.Length(len(row)-1)
	for _, k := range row {
		total += keyWidth(k)
	}
	x, y := c.Center().X-total/2, c.Max.Y-keyHeight/2
	for _, k := range row {
		k.sample(c, vg.Point{X: x, Y: y}, vg.Point{X: x + keySample, Y: y})
		sty := style(textSize, text.XLeft, text.YCenter)
		c.FillText(sty, vg.Point{X: x + keySample + rightOf, Y: y + sty.FontExtents().Descent/2}, k.name)
		x += keyWidth(k) + keyGap
	}
}

// lineKey is the key of a series of lines.
func lineKey(name string, sty draw.LineStyle, glyph draw.GlyphStyle) key {
	return key{name, func(c *draw.Canvas, from, to vg.Point) {
		c.StrokeLine2(sty, from.X, from.Y, to.X, to.Y)
		if glyph.Shape != nil {
			c.DrawGlyphNoClip(glyph, vg.Point{X: (from.X + to.X) / 2, Y: from.Y})
		}
	}}
}

// glyphKey is the key of a series of single marks.
func glyphKey(name string, glyph draw.GlyphStyle) key {
	return key{name, func(c *draw.Canvas, from, to vg.Point) {
		c.DrawGlyphNoClip(glyph, vg.Point{X: to.X - glyph.Radius - 2, Y: from.Y})
	}}
}

// edges takes the labels off the axes of inner panels, where they share those at the edge. Panels without one below them
// keep that of the horizontal axis.
func (s *sheet) edges(shared func(i int) bool) {
	for i, p := range s.panels {
		if i%s.cols != 0 && shared(i) {
			p.Y.Label.Text, p.Y.Tick.Marker = "", bare{p.Y.Tick.Marker}
		}
		if i+s.cols < len(s.panels) {
			p.X.Label.Text, p.X.Tick.Marker = "", bare{p.X.Tick.Marker}
		}
	}
}

package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// nominal gives the horizontal axis a name per place: 0, 1, 2 …. Names that do not fit beside each other are turned.
func nominal(p *plot.Plot, names []string, width vg.Length) {
	ticks := make([]plot.Tick, len(names))
	widest := vg.Length(0)
	for i, name := range names {
		ticks[i] = plot.Tick{Value: float64(i), Label: name}
		widest = max(widest, p.X.Tick.Label.Width(name))
	}
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Tick.Length, p.X.Tick.LineStyle.Color = 2, paper // no ticks, but their room
	slot := (width - 40) / vg.Length(max(1, len(names)))
	switch {
	case widest+4 <= slot:
	case slot > 14:
		p.X.Tick.Label.Rotation = math.Pi / 6
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XRight, text.YTop
	default:
		p.X.Tick.Label.Rotation = math.Pi / 2
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XRight, text.YCenter
		if slot < textSize+1 {
			p.X.Tick.Label.Font.Size = smallSize
		}
	}
}

// extra is what turned names need below the frame.
func extra(p *plot.Plot, names []string) vg.Length {
	if p.X.Tick.Label.Rotation == 0 {
		return 0
	}
	widest := vg.Length(0)
	for _, name := range names {
		widest = max(widest, p.X.Tick.Label.Width(name))
	}
	return max(0, widest*vg.Length(math.Sin(p.X.Tick.Label.Rotation))-6)
}

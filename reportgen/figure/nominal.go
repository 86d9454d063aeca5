package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// nominal gives the horizontal axis a name per place: 0, 1, 2 …. Names that do not fit beside each other are broken into two
// lines at a blank, or turned. It returns how much higher the names then are than one line.
func nominal(p *plot.Plot, names []string, width vg.Length) vg.Length {
	height := vg.Length(0)
	slot := (width - 40) / vg.Length(max(1, len(names)))
	if broken := breakNames(names); widest(p, names)+nameGap > slot && widest(p, broken)+nameGap <= slot {
		names = broken
		height = textSize
	}
	ticks := make([]plot.Tick, len(names))
	for i, name := range names {
		ticks[i] = plot.Tick{Value: float64(i), Label: name}
	}
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Tick.Length, p.X.Tick.LineStyle.Color = 2, paper // no ticks, but their room
	switch {
	case widest(p, names)+nameGap <= slot:
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
	if turned := p.X.Tick.Label.Rotation; turned != 0 {
		height = max(0, widest(p, names)*vg.Length(math.Sin(turned))-textSize+1)
	}
	return height
}

// nameGap is the least room between two names.
const nameGap = vg.Length(4)

// widest is the width of the widest of the names.
func widest(p *plot.Plot, names []string) vg.Length {
	w := vg.Length(0)
	for _, name := range names {
		w = max(w, p.X.Tick.Label.Width(name))
	}
	return w
}

// breakNames breaks each name at the blank that is nearest to its middle.
func breakNames(names []string) []string {
	broken := slices.Clone(names)
	for i, name := range names {
		at := -1
		for j := range name {
			if name[j] == ' ' && (at < 0 || max(j, len(name)-j) < max(at, len(name)-at)) {
				at = j
			}
		}
		if at >= 0 {
			broken[i] = name[:at] + "\n" + name[at+1:]
		}
	}
	return broken
}

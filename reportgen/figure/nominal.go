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
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	p.X.Tick.Length, p.X.Tick.LineStyle.Color = 2, paper // no ticks, but their room
	slot := (width - 40) / vg.Length(max(1, len(names)))
	height := vg.Length(0)
	switch broken := breakNames(names); {
	case widest(p, names)+nameGap <= slot:
	case widest(p, broken)+nameGap <= slot:
		names, height = broken, textSize
	default:
		names = turn(&p.X.Tick.Label, names, slot)
		height = max(0, widest(p, names)*vg.Length(math.Sin(p.X.Tick.Label.Rotation))-textSize+1)
	}
	ticks := make([]plot.Tick, len(names))
	for i, name := range names {
		ticks[i] = plot.Tick{Value: float64(i), Label: name}
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	return height
}

// turn turns names that are slot apart: by 30 degrees, or by 90 where there is no room beside each other or left of the
// first. Then they are cut.
func turn(sty *text.Style, names []string, slot vg.Length) []string {
	const (
		leftOf  = vg.Length(20) // the least room left of the axis
		longest = vg.Length(110)
	)
	sty.Rotation, sty.XAlign, sty.YAlign = math.Pi/6, text.XRight, text.YTop
	fits := slot > 2*textSize
	for i, name := range names {
		left := sty.Width(name) * vg.Length(math.Cos(sty.Rotation))
		fits = fits && left <= leftOf+slot*(vg.Length(i)+0.5)
	}
	if fits {
		return names
	}
	sty.Rotation, sty.YAlign = math.Pi/2, text.YCenter
	if slot < textSize+1 {
		sty.Font.Size = smallSize
	}
	cut := make([]string, len(names))
	for i, name := range names {
		cut[i] = cutText(*sty, name, longest)
	}
	return cut
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

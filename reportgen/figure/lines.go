package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// roomBeside is by how much an axis is longer than the data, so that what stands beside the last point has room.
const roomBeside = 1.06

// Lines are series of points in one panel or several, which share their axes.
type Lines struct {
	X, Y   Axis
	Panels []Panel
	Cols   int // panels in a row
	Keys   []Key
	Wide   bool
}

// A Panel is one frame of Lines.
type Panel struct {
	Title    string
	Y        *Axis // nil: that of all panels
	Series   []Series
	Switches []Switch
}

// A Series is a list of points by X. Those without a finite Y interrupt the line.
type Series struct {
	Name   string
	Look   Look
	Points []Point
}

// A Look says how a series is drawn: 0 and up are the looks that differ from each other.
type Look int

// Looks of what stands behind the series.
const (
	LookRep     Look = -1 - iota // a single rep: thin and grey
	LookCompare                  // a line to compare with: dotted
	LookSpots                    // single reps as circles, not joined
)

// A Key names a look.
type Key struct {
	Name string
	Look Look
}

// A Switch is a moment at which the workload changed: a dashed line from the bottom to the top.
type Switch struct {
	X       float64
	Text    string
	Origins []results.Origin
}

// switchName is the key of the switches.
const switchName = "phase switch"

func (l *Lines) sheet() *sheet {
	s := &sheet{width: widthOf(l.Wide), row: panelHeight, cols: max(1, min(l.Cols, len(l.Panels)))}
	if len(l.Panels) > s.cols || s.cols > 1 {
		s.row = tileHeight
	}
	x, y := l.ranges(l.Panels)
	switched := false
	for i := range l.Panels {
		panel := &l.Panels[i]
		if panel.Y != nil {
			_, y = l.ranges(l.Panels[i : i+1])
		}
		s.panels = append(s.panels, l.plot(panel, x, y))
		switched = switched || len(panel.Switches) > 0
	}
	for _, k := range l.Keys {
		s.keys = append(s.keys, keyOf(k))
	}
	if switched {
		s.keys = append(s.keys, lineKey(switchName, switchStyle, noGlyph))
	}
	if slices.ContainsFunc(l.Panels, func(p Panel) bool { return p.Title != "" }) {
		for _, p := range l.Panels {
			s.titles = append(s.titles, p.Title)
		}
	}
	s.edges(func(i int) bool { return l.Panels[i].Y == nil })
	return s
}

// plot draws one panel with the given ranges of its axes.
func (l *Lines) plot(panel *Panel, x, y span) *plot.Plot {
	axis := l.vertical(panel)
	p := newPlot()
	p.X.Label.Text, p.Y.Label.Text = l.X.Label, axis.Label
	l.X.fit(&p.X, x)
	axis.fit(&p.Y, y)
	p.Add(grid{p.Y.Tick.Marker}, switches(panel.Switches))
	for i := range panel.Series {
		p.Add(&curve{series: &panel.Series[i], place: i, of: len(panel.Series), x: l.X, y: axis})
	}
	return p
}

// vertical is the axis of a panel.
func (l *Lines) vertical(panel *Panel) Axis {
	if panel.Y != nil {
		return *panel.Y
	}
	return l.Y
}

// ranges are those of all points that can be shown.
func (l *Lines) ranges(panels []Panel) (x, y span) {
	x, y = noSpan(), noSpan()
	for i := range panels {
		axis := l.vertical(&panels[i])
		for _, s := range panels[i].Series {
			for _, p := range s.Points {
				if !l.X.takes(p.X) || !axis.takes(p.Y) {
					continue
				}
				x.add(p.X)
				if s.Look == LookSpots {
					x.add(p.X * roomBeside)
				}
				y.add(p.Y)
				if p.Level > 0 && axis.takes(p.Lo) && axis.takes(p.Hi) {
					y.add(p.Lo, p.Hi)
				}
			}
		}
	}
	return x, y
}

// empty reports whether there is no point that can be shown.
func (l *Lines) empty() bool {
	x, _ := l.ranges(l.Panels)
	return math.IsInf(x.lo, 0)
}

func (l *Lines) marks() []mark {
	var all []mark
	for i := range l.Panels {
		panel := &l.Panels[i]
		for _, s := range panel.Series {
			for _, p := range s.Points {
				if l.X.takes(p.X) && l.vertical(panel).takes(p.Y) {
					all = append(all, mark{panel.Title, s.Name, number(p.X), p})
				}
			}
		}
		for _, w := range panel.Switches {
			all = append(all, mark{panel.Title, switchName, number(w.X), Point{Y: math.NaN(), Origins: w.Origins}})
		}
	}
	return all
}

func widthOf(wide bool) vg.Length {
	if wide {
		return pageWidth
	}
	return columnWidth
}

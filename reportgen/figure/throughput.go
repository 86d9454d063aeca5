package figure

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gotestbed/gotestbed/reportgen/crestlog"
	"github.com/gotestbed/gotestbed/reportgen/results"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// Logs count time in ticks of 100 ns. A compute node reports every half second; where a run is scaled down, more often.
const (
	ticksPerSecond  = 10_000_000
	halfSecondTicks = ticksPerSecond / 2
)

// maxPanels is how many cells have a panel of their own.
const maxPanels = 24

// throughput makes the figure of committed throughput over time, with a panel per cell.
func (s *study) throughput(set *Set) {
	name := s.slug + "_throughput"
	if len(s.cells) > maxPanels {
		set.miss(s.exp.Name, name, "%s has %d cells, and there is room for %d panels", label(s.exp.Name), len(s.cells), maxPanels)
		return
	}
	chart := &Lines{X: Axis{Label: "time (s)"}, Y: Axis{Label: "committed (KOPS)"}, Cols: columns(len(s.cells)), Wide: len(s.cells) > 2}
	var alt []string
	phases := ""
	for _, c := range s.cells {
		p := c.throughputPanel()
		sw := s.switches(c, 0, lastX(p.Series))
		p.Switches = sw.at
		if len(sw.at) > 0 {
			phases = sw.how
		}
		chart.Panels = append(chart.Panels, p)
		if n := len(p.Series); n > 0 {
			y := noSpan()
			for _, pt := range p.Series[n-1].Points {
				if !math.IsNaN(pt.Y) {
					y.add(pt.Y)
				}
			}
			alt = append(alt, fmt.Sprintf("%s %s to %s", c.label, short(y.lo), short(y.hi)))
		}
	}
	if chart.empty() {
		set.miss(s.exp.Name, name, "no log of %s has throughput over time", label(s.exp.Name))
		return
	}
	chart.Keys = []Key{{"median of the reps", 0}, {"single rep", LookRep}}
	f := s.figure(name, "Committed throughput over time", chart, chart.Wide)
	f.Caption = "Committed throughput over time: sums over the compute nodes of what each reports for every interval, counted from the node's first; a late report stands for the intervals since the last. Thin lines are single reps, the marked line their median." +
		phases + source(s.run)
	f.Alt = "Lines of committed KOPS over time, median of the reps: " + join(alt) + "."
	set.add(f)
}

// columns is how many of n panels stand in a row, so that all rows are as full as can be.
func columns(n int) int {
	const most = 5
	rows := (n + most - 1) / most
	return (n + rows - 1) / max(1, rows)
}

// lastX is the greatest X of any point.
func lastX(series []Series) float64 {
	x := 0.0
	for _, s := range series {
		for _, p := range s.Points {
			x = max(x, p.X)
		}
	}
	return x
}

// throughputPanel has a series per rep and, last, their median.
func (c *cellData) throughputPanel() Panel {
	p := Panel{Title: c.label}
	at := map[int][]Point{}
	reps := 0
	step := c.interval()
	for i, logs := range c.logs {
		points := sumOverNodes(logs, step)
		if len(points) == 0 {
			continue
		}
		reps++
		p.Series = append(p.Series, Series{Name: fmt.Sprintf("rep %d", c.used[i].Rep), Look: LookRep, Points: points})
		for _, pt := range points {
			if !math.IsNaN(pt.Y) {
				place := int(math.Round(pt.X * ticksPerSecond / step))
				at[place] = append(at[place], pt)
			}
		}
	}
	m := Series{Name: "median", Look: 0}
	last := -1
	for _, place := range slices.Sorted(maps.Keys(at)) {
		if pt := median(at[place]); pt != nil && len(at[place]) == reps {
			x := at[place][0].X
			m.Points = append(m.Points, gap(last, place, x)...)
			m.Points = append(m.Points, Point{X: x, Y: pt.Y, Origins: pt.Origins})
			last = place
		}
	}
	if len(m.Points) > 0 {
		p.Series = append(p.Series, m)
	}
	return p
}

// interval is the time between two reports in the logs of a cell, in ticks: the median, to a tenth of a millisecond.
func (c *cellData) interval() float64 {
	var steps []float64
	for _, logs := range c.logs {
		if logs == nil {
			continue
		}
		for _, n := range logs.CNs {
			if n == nil {
				continue
			}
			for i := 1; i < len(n.Intervals); i++ {
				if d := n.Intervals[i].Tick - n.Intervals[i-1].Tick; d > 0 {
					steps = append(steps, float64(d))
				}
			}
		}
	}
	const tenth = ticksPerSecond / 10_000
	if m := stats.Median(steps); m.HasValue() && m.Median > tenth {
		return math.Round(m.Median/tenth) * tenth
	}
	return halfSecondTicks
}

// longestGap is how many intervals the line after a gap may stand for.
const longestGap = 24

// sumOverNodes adds up what the compute nodes of an attempt committed in each interval. A node that was late reports its mean
// rate since its last line, which then stands for every interval since; an interval that a node says nothing about has no sum.
func sumOverNodes(logs *crestlog.Series, step float64) []Point {
	if logs == nil {
		return nil
	}
	at := map[int]*Point{}
	nodes := 0
	for _, n := range logs.CNs {
		if n == nil || len(n.Intervals) == 0 {
			continue
		}
		nodes++
		last := -1
		for _, v := range n.Intervals {
			since := float64(v.Tick-n.Intervals[0].Tick) / step
			place := max(last+1, int(math.Max(0, math.Min(math.Round(since), math.MaxInt32))))
			from := last + 1
			if place-from >= longestGap {
				from = place
			}
			last = place
			for i := from; i <= place && !math.IsNaN(v.CommitKOPS); i++ {
				if at[i] == nil {
					at[i] = &Point{X: step * float64(i+1) / ticksPerSecond}
				}
				at[i].Y += v.CommitKOPS
				at[i].Origins = append(at[i].Origins, results.Origin{File: n.Log.Name, Line: v.Line})
			}
		}
	}
	var points []Point
	last := -1
	for _, place := range slices.Sorted(maps.Keys(at)) {
		if p := at[place]; len(p.Origins) == nodes {
			points = append(points, gap(last, place, p.X)...)
			if v := math.Round(p.Y*1e9) / 1e9; !math.IsInf(v, 0) {
				p.Y = v // 3.4, not the 3.4000000000000004 that binary fractions add up to
			}
			points = append(points, *p)
			last = place
		}
	}
	return points
}

// gap is a point without a value that interrupts a line where an interval before place has no sum.
func gap(last, place int, x float64) []Point {
	if last < 0 || place == last+1 {
		return nil
	}
	return []Point{{X: x, Y: math.NaN()}}
}

package figure

import (
	"fmt"

	"github.com/gotestbed/gotestbed/reportgen/results"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// bars makes the figure that compares the cells by a metric.
func (s *study) bars(set *Set, name, metric, axis, title string) {
	chart := &Bars{Y: Axis{Label: axis}}
	var medians []*Point
	var absent, alt []string
	for _, c := range s.cells {
		bar := c.bar(metric, chart.Y)
		chart.Bars = append(chart.Bars, bar)
		if bar.Median == nil {
			absent = append(absent, c.label)
			continue
		}
		medians = append(medians, bar.Median)
		alt = append(alt, c.label+" "+shortInterval(bar.Median))
	}
	if len(medians) == 0 {
		set.miss(s.exp.Name, name, "no log of %s has %s", label(s.exp.Name), metric)
		return
	}
	chart.Wide = len(s.cells) > 12
	f := s.figure(name, title, chart, chart.Wide)
	f.Caption = fmt.Sprintf("%s per cell of %s: bars are medians of %s", title, label(s.exp.Name), s.repsOf())
	if l := levels(medians); l != "" {
		f.Caption += ", lines the order-statistic interval of the median at " + l
	}
	f.Caption += ", circles the single reps." + absentCells(absent) + source(s.run)
	f.Alt = "Bar chart of " + axis + " per cell: " + join(alt) + "."
	set.add(f)
}

func shortInterval(p *Point) string {
	if p.Level == 0 {
		return short(p.Y)
	}
	return fmt.Sprintf("%s [%s, %s]", short(p.Y), short(p.Lo), short(p.Hi))
}

// bar summarizes a metric of a cell.
func (c *cellData) bar(metric string, y Axis) Bar {
	b := Bar{Label: c.label, AA: c.aa}
	for _, a := range c.used {
		if m, ok := a.Metrics[metric]; ok && y.takes(m.Value) {
			b.Reps = append(b.Reps, Point{X: float64(a.Rep), Y: m.Value, Origins: m.Origins})
		}
	}
	b.Median = median(b.Reps)
	return b
}

// median returns the median of points and its interval, made of the lines of all of them; nil if there is none.
func median(points []Point) *Point {
	var values []float64
	var from []results.Origin
	for _, p := range points {
		values = append(values, p.Y)
		from = append(from, p.Origins...)
	}
	sum := stats.Summarize(values)
	if !sum.HasValue() {
		return nil
	}
	m := &Point{Y: sum.Median, Origins: from}
	if sum.HasInterval() {
		m.Lo, m.Hi, m.Level = sum.Lo, sum.Hi, sum.Level
	}
	return m
}

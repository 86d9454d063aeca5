package figure

import (
	"fmt"
	"math"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// balance makes the figure of what each compute node committed.
func (s *study) balance(set *Set) {
	name := s.slug + "_balance"
	nodes := 0
	for _, c := range s.cells {
		for _, logs := range c.logs {
			if logs != nil {
				nodes = max(nodes, len(logs.CNs))
			}
		}
	}
	chart := &Dots{Y: Axis{Label: "committed (txn per node)"}, Wide: nodes*len(s.cells) > 24}
	for i := range nodes {
		chart.Series = append(chart.Series, fmt.Sprintf("cn%d", i))
	}
	var alt []string
	for _, c := range s.cells {
		g := Group{Label: c.label}
		y := noSpan()
		for i := range nodes {
			if m := median(c.committed(i)); m != nil {
				g.Dots = append(g.Dots, Dot{Series: i, Low: *m})
				y.add(m.Y)
			}
		}
		if len(g.Dots) > 0 {
			alt = append(alt, fmt.Sprintf("%s %s to %s", c.label, short(y.lo), short(y.hi)))
		}
		chart.Groups = append(chart.Groups, g)
	}
	if chart.empty() {
		set.miss(s.exp.Name, name, "no log of a compute node of %s has a committed count", label(s.exp.Name))
		return
	}
	if chart.crowded() {
		set.miss(s.exp.Name, name, "%d compute nodes in %d cells are more than can be told apart", nodes, len(s.cells))
		return
	}
	f := s.figure(name, "Balance of the compute nodes", chart, chart.Wide)
	f.Caption = fmt.Sprintf("Transactions that each compute node committed, median of %s.%s", s.repsOf(), source(s.run))
	f.Alt = "Marks per compute node of committed transactions, least to most: " + join(alt) + "."
	set.add(f)
}

// committed are the counts of a compute node, one per rep.
func (c *cellData) committed(node int) []Point {
	var points []Point
	for i, logs := range c.logs {
		if logs == nil || node >= len(logs.CNs) || logs.CNs[node] == nil {
			continue
		}
		l := logs.CNs[node].Log
		if l.Committed.OK() && !math.IsInf(l.Committed.V, 0) {
			points = append(points, Point{X: float64(c.used[i].Rep), Y: l.Committed.V, Origins: []results.Origin{{File: l.Name, Line: l.Committed.Line}}})
		}
	}
	return points
}

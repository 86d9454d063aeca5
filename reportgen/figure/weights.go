package figure

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/crestlog"
	"github.com/gotestbed/gotestbed/reportgen/results"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// weightNames are the four weights, in the order in which they are drawn.
var weightNames = []string{"atomic", "rpc", "move", "load"}

// maxSwitches bounds the switches that are drawn.
const maxSwitches = 1000

// isDrift reports whether the experiment is the one whose workload drifts.
func (s *study) isDrift() bool { return s.exp.Name == "drift" }

// weights makes the figure of the tuner's weights over time: one node of the cell that drifts slowest, and for the
// reader who wants to see whether it is typical, all nodes of the first rep of all cells.
func (s *study) weights(set *Set) {
	if !s.isDrift() {
		return
	}
	const name = "sgd_weights"
	c, rep, node := s.tuned()
	if c == nil {
		set.miss(s.exp.Name, name, "no log of %s has lines of the tuner's weights", label(s.exp.Name))
		return
	}
	panel := weightPanel("", c.logs[rep].CNs[node])
	sw := s.switches(c, node, lastX(panel.Series))
	panel.Switches = sw.at
	chart := weightLines([]Panel{panel}, 1)
	f := s.figure(name, "Weights of the tuner", chart, false)
	f.Caption = fmt.Sprintf("The tuner's four cost weights over time in %s (rep %d, cn%d), every point a line of its log.%s%s", c.label, c.used[rep].Rep, node, sw.how, source(s.run))
	f.Alt = fmt.Sprintf("Lines of four weights over %s s of %s with %d phase switches: %s.", short(lastX(panel.Series)), c.label, len(sw.at), join(firstAndLast(panel)))
	set.add(f)
	s.allWeights(set)
}

// tuned picks what the figure shows: drift_5sec, else the first cell that drifts, else the first that has weights; of it the
// first rep, and the first node, with weights.
func (s *study) tuned() (c *cellData, rep, node int) {
	best := 0
	for _, candidate := range s.cells {
		r, n, ok := candidate.firstWeights()
		if !ok || candidate.aa {
			continue
		}
		rank := 1
		if candidate.cell.Name == "drift_5sec" {
			rank = 3
		} else if _, drifts := periodOf(candidate.cell.Name); drifts {
			rank = 2
		}
		if rank > best {
			best, c, rep, node = rank, candidate, r, n
		}
	}
	return c, rep, node
}

func (c *cellData) firstWeights() (rep, node int, ok bool) {
	for i, logs := range c.logs {
		if logs == nil {
			continue
		}
		for j, n := range logs.CNs {
			if n != nil && len(n.Weights) > 0 {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// allWeights makes the figure of all nodes of the first rep of each cell.
func (s *study) allWeights(set *Set) {
	var panels []Panel
	cols := 0
	for _, c := range s.cells {
		rep, _, ok := c.firstWeights()
		if !ok || c.aa {
			continue
		}
		cols = max(cols, len(c.logs[rep].CNs))
		for i, n := range c.logs[rep].CNs {
			if n != nil && len(n.Weights) > 0 {
				p := weightPanel(fmt.Sprintf("%s cn%d", c.label, i), n)
				p.Switches = s.switches(c, i, lastX(p.Series)).at
				panels = append(panels, p)
			}
		}
	}
	if len(panels) < 2 {
		return
	}
	const name = "sgd_weights_all"
	if len(panels) > maxPanels {
		set.miss(s.exp.Name, name, "%d nodes and cells have weights, and there is room for %d panels", len(panels), maxPanels)
		return
	}
	chart := weightLines(panels, min(cols, 4))
	chart.Wide = true
	f := s.figure(name, "Weights of the tuner, all nodes", chart, true)
	f.Caption = "The tuner's four cost weights over time, on every compute node in the first rep of each cell." + source(s.run)
	f.Alt = fmt.Sprintf("Lines of four weights over time in %d panels, one per cell and compute node.", len(panels))
	set.add(f)
}

// weightLines are the axes and keys of a figure of weights. Weights that lie decades apart get a logarithmic axis.
func weightLines(panels []Panel, cols int) *Lines {
	l := &Lines{X: Axis{Label: "time (s)"}, Y: Axis{Label: "weight"}, Panels: panels, Cols: cols}
	for i, name := range weightNames {
		l.Keys = append(l.Keys, Key{name, Look(i)})
	}
	if decadesApart(panels) {
		l.Y.Scale, l.Y.Label = Log, "weight (log scale)"
	}
	return l
}

// decadesApart reports whether one weight, by its median, is over twenty times another, and no weight is 0 or less.
func decadesApart(panels []Panel) bool {
	medians := noSpan()
	for i := range weightNames {
		var values []float64
		for _, p := range panels {
			for _, pt := range p.Series[i].Points {
				if pt.Y <= 0 {
					return false
				}
				values = append(values, pt.Y)
			}
		}
		if m := stats.Median(values); m.HasValue() {
			medians.add(m.Median)
		}
	}
	return medians.hi > 20*medians.lo
}

func weightPanel(title string, n *crestlog.NodeSeries) Panel {
	p := Panel{Title: title, Series: make([]Series, len(weightNames))}
	for i, name := range weightNames {
		p.Series[i] = Series{Name: name, Look: Look(i)}
	}
	for _, w := range n.Weights {
		from := []results.Origin{{File: n.Log.Name, Line: w.Line}}
		for i, v := range []float64{w.Atomic, w.RPC, w.Move, w.Load} {
			p.Series[i].Points = append(p.Series[i].Points, Point{X: w.Seconds, Y: v, Origins: from})
		}
	}
	return p
}

func firstAndLast(p Panel) []string {
	var parts []string
	for _, s := range p.Series {
		first, last := s.Points[0], s.Points[len(s.Points)-1]
		parts = append(parts, fmt.Sprintf("%s from %s to %s", s.Name, short(first.Y), short(last.Y)))
	}
	return parts
}

// switched are the moments at which a cell's workload changed, and a sentence on how they are known.
type switched struct {
	at  []Switch
	how string
}

// switches finds them in the log of a node, else in that of another process of the same attempt. Logs that do not print
// them leave the period in the cell's name; not where the run says that it was changed.
func (s *study) switches(c *cellData, node int, until float64) switched {
	if !s.isDrift() {
		return switched{}
	}
	for _, logs := range c.logs {
		if logs == nil {
			continue
		}
		if at := logged(logs, node); len(at) > 0 {
			return switched{at, " Dashed lines are the phase switches that the log prints."}
		}
	}
	period, ok := periodOf(c.cell.Name)
	switch {
	case !ok:
		return switched{}
	case len(s.exp.Notes) > 0:
		return switched{how: " When the phases switched is not in the logs."}
	}
	w := switched{how: fmt.Sprintf(" Dashed lines are every %v s, by the cell's name: when the phases switched is not in the logs.", period)}
	for x := period; x <= until && len(w.at) < maxSwitches; x += period {
		w.at = append(w.at, Switch{X: x})
	}
	return w
}

// logged are the switches in a node's log, else those in the first log that has some.
func logged(logs *crestlog.Series, node int) []Switch {
	all := append([]*crestlog.NodeSeries{}, logs.CNs...)
	if node < len(all) {
		all = append([]*crestlog.NodeSeries{all[node]}, all...)
	}
	for _, n := range append(all, logs.Others...) {
		if n == nil || len(n.Phases) == 0 {
			continue
		}
		var at []Switch
		for _, p := range n.Phases {
			if p.Seconds > 0 && len(at) < maxSwitches {
				text := strings.TrimSpace(fmt.Sprintf("phase %d %s", p.N, p.Text))
				at = append(at, Switch{X: p.Seconds, Text: text, Origins: []results.Origin{{File: n.Log.Name, Line: p.Line}}})
			}
		}
		return at
	}
	return nil
}

var periodName = regexp.MustCompile(`^drift_([0-9]{1,4}(?:\.[0-9]{1,3})?)sec`)

// periodOf returns the seconds between two phases that a cell's name states: 5 for drift_5sec.
func periodOf(cell string) (seconds float64, ok bool) {
	m := periodName.FindStringSubmatch(cell)
	if m == nil {
		return 0, false
	}
	seconds, err := strconv.ParseFloat(m[1], 64)
	return seconds, err == nil && seconds > 0
}

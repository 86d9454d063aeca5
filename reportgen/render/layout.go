package render

import (
	"math"
	"regexp"
	"slices"
	"strconv"
)

// A column makes the cells of one column. Texts are plain: each format has yet to escape them.
type column struct {
	head   string
	metric string // whose median the column shows; empty for others
	text   func(*Row) string
	value  func(*Row) float64  // to sort by; NaN for none
	doubts func(*Row) []string // about the number
}

// layout returns the columns that an experiment's question asks for: a ratio to the baseline where cells are compared,
// speed-up and efficiency where they differ in compute nodes, the tuner's lines where the tuner is the subject.
func (t *Table) layout() []column {
	list := []column{{head: "cell", text: (*Row).label}, {head: "n", text: (*Row).n, value: func(r *Row) float64 { return float64(len(r.Used)) }}}
	for _, c := range metricColumns {
		switch c.metric {
		case commitKOPS:
			list = append(list, intervalColumn(), levelColumn())
		case sgdLines:
			if t.isTuner() {
				list = append(list, metricColumn(c.metric, c.head, c.digits))
			}
		default:
			list = append(list, metricColumn(c.metric, c.head, c.digits))
		}
	}
	switch {
	case len(t.Rows) < 2:
		return list
	case t.isScaleOut():
		return append(list, t.speedUpColumn(), t.efficiencyColumn(), t.pColumn())
	}
	return append(list, deltaColumn(), t.pColumn())
}

// isTuner reports whether the experiment is about the tuner, and its logs have the tuner's lines.
func (t *Table) isTuner() bool {
	subject := slices.Contains([]string{"a1b", "drift"}, t.Experiment) || slices.Contains([]string{"TestA1Tuner", "TestDrift"}, t.Test)
	return subject && slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Values[sgdLines].HasValue() })
}

var scaleCell = regexp.MustCompile(`^cn(\d{1,4})$`)

// computeNodes returns the number in the name of a cell like cn8, 0 for other names.
func (r *Row) computeNodes() int {
	if m := scaleCell.FindStringSubmatch(r.Cell.Name); m != nil {
		n, _ := strconv.Atoi(m[1]) // digits
		return n
	}
	return 0
}

// isScaleOut reports whether all cells but repetitions differ in compute nodes.
func (t *Table) isScaleOut() bool {
	return !slices.ContainsFunc(t.Rows, func(r Row) bool { return !r.isAA() && r.computeNodes() == 0 })
}

func metricColumn(metric, head string, digits int) column {
	return column{head: head, metric: metric,
		text:   func(r *Row) string { return r.text(metric, digits) },
		value:  func(r *Row) float64 { return r.median(metric) },
		doubts: func(r *Row) []string { return r.Values[metric].Warnings }}
}

func intervalColumn() column {
	c := metricColumn(commitKOPS, headOf(commitKOPS)+" [interval]", 4)
	c.text = (*Row).interval
	return c
}

func levelColumn() column {
	return column{head: "level", text: (*Row).level, value: func(r *Row) float64 {
		if s := r.Values[commitKOPS]; s.HasInterval() {
			return s.Level
		}
		return math.NaN()
	}}
}

func deltaColumn() column {
	return column{head: "Δ to baseline [interval]", text: (*Row).delta,
		value: func(r *Row) float64 { return r.factor() }, doubts: func(r *Row) []string { return r.Delta.Warnings }}
}

func (t *Table) pColumn() column {
	head := "p"
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Delta.Family > 1 }) {
		head = "p (Holm)"
	}
	return column{head: head, text: (*Row).p, value: func(r *Row) float64 { return r.Delta.PHolm }, doubts: func(r *Row) []string { return r.Delta.Warnings }}
}

func (t *Table) speedUpColumn() column {
	c := deltaColumn()
	c.head = "speed-up [interval]"
	if base := t.baseline(); base != nil {
		c.head = "speed-up to " + base.label() + " [interval]"
	}
	c.text = (*Row).speedUp
	return c
}

func (t *Table) efficiencyColumn() column {
	value := func(r *Row) float64 {
		base := t.baseline()
		if base == nil || r.isAA() || base.computeNodes() == 0 {
			return math.NaN()
		}
		return r.factor() * float64(base.computeNodes()) / float64(r.computeNodes())
	}
	return column{head: "efficiency", value: value, text: func(r *Row) string {
		if v := value(r); !math.IsNaN(v) && !math.IsInf(v, 0) {
			return formatNumber(v, 3)
		}
		return absent
	}}
}

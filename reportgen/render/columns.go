package render

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// absent stands for a number that there is not.
const absent = "—"

// commitKOPS is the metric that carries the interval and the comparison.
const commitKOPS = "commit_kops"

// sgdLines is the metric that only experiments with the tuner show.
const sgdLines = "n_sgd_logs"

// metricColumns are the metrics that become columns, with their names in print and their significant digits.
var metricColumns = []struct {
	metric, head string
	digits       int
}{
	{"tried_kops", "tried KOPS", 4},
	{commitKOPS, "commit KOPS", 4},
	{"commit_rate", "commit rate", 3},
	{"atomic_per_txn", "atomic/txn", 3},
	{"cn_balance", "CN balance", 3},
	{sgdLines, "SGD lines", 3},
}

// headOf returns the name of a metric in print.
func headOf(metric string) string {
	for _, c := range metricColumns {
		if c.metric == metric {
			return c.head
		}
	}
	return metric
}

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

// isTuner reports whether the experiment is about the tuner.
func (t *Table) isTuner() bool {
	return slices.Contains([]string{"a1b", "drift"}, t.Experiment) || slices.Contains([]string{"TestA1Tuner", "TestDrift"}, t.Test)
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

// n is the number of reps, of which a cell that was put off has none to count.
func (r *Row) n() string {
	if r.deferred() {
		return absent
	}
	return fmt.Sprint(len(r.Used))
}

func (r *Row) median(metric string) float64 {
	if s, ok := r.Values[metric]; ok {
		return s.Median
	}
	return math.NaN()
}

func (r *Row) text(metric string, digits int) string {
	s := r.Values[metric]
	switch {
	case !s.HasValue():
		return absent
	case isCount(metric) && s.Median == math.Trunc(s.Median) && math.Abs(s.Median) < 1e12:
		return strconv.FormatFloat(s.Median, 'f', 0, 64)
	}
	return formatNumber(s.Median, digits)
}

// isCount reports whether whole values of a metric are printed as such: counts, and latencies in microseconds. The columns that
// every table has are measured rates and ratios: 14.00.
func isCount(metric string) bool {
	return metric == sgdLines || headOf(metric) == metric
}

// interval prints the median of commit KOPS with its interval, or that the cell was put off and by which criterion.
func (r *Row) interval() string {
	if r.deferred() {
		return fmt.Sprintf("deferred (%d)", r.Cell.Deferred.Criterion)
	}
	s := r.Values[commitKOPS]
	if !s.HasInterval() {
		return r.text(commitKOPS, 4)
	}
	return fmt.Sprintf("%s [%s, %s]", formatNumber(s.Median, 4), formatNumber(s.Lo, 4), formatNumber(s.Hi, 4))
}

func (r *Row) level() string {
	if s := r.Values[commitKOPS]; s.HasInterval() {
		return stats.FormatLevel(s.Level)
	}
	return absent
}

// compared reports whether the row has a difference to print.
func (r *Row) compared() bool {
	return !r.Baseline && r.Delta.N > 0 && r.Delta.NBase > 0 && r.Delta.HasValue()
}

// factor is by how much the row is larger than what it is compared to: 1 for the baseline, NaN if nothing is known.
func (r *Row) factor() float64 {
	switch {
	case r.Baseline && len(r.metric(commitKOPS)) > 0:
		return 1
	case r.compared():
		return 1 + r.Delta.Percent/100
	}
	return math.NaN()
}

// delta prints the difference with its interval. The sign ≈ marks one that is within the noise floor.
func (r *Row) delta() string {
	d := r.Delta
	switch {
	case r.Baseline && len(r.Used) > 0:
		return "baseline"
	case !r.compared():
		return absent
	case d.HasInterval():
		return r.marked(fmt.Sprintf("%s [%s, %s]", formatPercent(d.Percent), signed(d.Lo), signed(d.Hi)))
	}
	return r.marked(formatPercent(d.Percent))
}

// speedUp prints the difference as a factor: ×3.72 [3.60, 3.85].
func (r *Row) speedUp() string {
	if !r.compared() {
		return r.delta()
	}
	text := "×" + formatNumber(r.factor(), 3)
	if d := r.Delta; d.HasInterval() {
		text += fmt.Sprintf(" [%s, %s]", formatNumber(1+d.Lo/100, 3), formatNumber(1+d.Hi/100, 3))
	}
	return r.marked(text)
}

func (r *Row) marked(text string) string {
	if r.InNoise {
		text += " ≈"
	}
	return text
}

// p prints the corrected p with its doubt: "0.100 ~" is no difference that the reps can prove.
func (r *Row) p() string {
	d := r.Delta
	switch {
	case r.Baseline || d.N == 0 || d.NBase == 0 || !d.HasTest():
		return absent
	case r.isAA():
		return "A/A"
	case d.Significant():
		return stats.FormatP(d.PHolm)
	}
	return stats.FormatP(d.PHolm) + " ~"
}

// formatPercent writes a signed percentage with one decimal, and no sign on zero.
func formatPercent(v float64) string { return signed(v) + " %" }

func signed(v float64) string {
	if math.Abs(v) < 0.05 {
		return "0.0"
	}
	return fmt.Sprintf("%+.1f", v)
}

// percentText writes a percentage without a sign.
func percentText(v float64) string { return fmt.Sprintf("%.1f %%", v) }

func abs(v float64) float64 { return math.Abs(v) }

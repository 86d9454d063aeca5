package render

import (
	"fmt"
	"math"
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

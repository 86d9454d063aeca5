package render

import (
	"fmt"
	"math"

	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// absent stands for a number that there is not.
const absent = "—"

// commitKOPS is the metric that carries the interval and the comparison.
const commitKOPS = "commit_kops"

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
}

// header and cells are the columns of the table, as plain text that each format has yet to escape.
var header = []string{"cell", "n", "tried KOPS", "commit KOPS [interval]", "level", "commit rate", "atomic/txn", "CN balance", "Δ to baseline"}

func (r *Row) cells() []string {
	return []string{
		r.label(),
		fmt.Sprint(len(r.Used)),
		r.text("tried_kops", 4),
		r.interval(),
		r.level(),
		r.text("commit_rate", 3),
		r.text("atomic_per_txn", 3),
		r.text("cn_balance", 3),
		r.delta(),
	}
}

func (r *Row) text(metric string, digits int) string {
	s := r.Values[metric]
	if !s.HasValue() {
		return absent
	}
	return formatNumber(s.Median, digits)
}

func (r *Row) interval() string {
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

// delta prints the difference with its doubt: "+4.1 % ~ (p=0.100)" is no difference that the reps can prove.
func (r *Row) delta() string {
	d := r.Delta
	switch {
	case r.Baseline && len(r.Used) > 0:
		return "baseline"
	case r.Baseline || d.N == 0 || d.NBase == 0 || !d.HasValue():
		return absent
	case d.Significant():
		return formatPercent(d.Percent) + " (" + formatP(d.P) + ")"
	}
	return formatPercent(d.Percent) + " ~ (" + formatP(d.P) + ")"
}

// formatPercent writes a signed percentage with one decimal, and no sign on zero.
func formatPercent(v float64) string {
	if math.Abs(v) < 0.05 {
		return "0.0 %"
	}
	return fmt.Sprintf("%+.1f %%", v)
}

func formatP(p float64) string {
	if p < 0.001 {
		return "p<0.001"
	}
	return fmt.Sprintf("p=%.3f", p)
}

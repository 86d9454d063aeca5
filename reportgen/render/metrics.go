package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// MetricsCSV writes every metric of every cell with all that is known of its median: one line per cell and metric.
type MetricsCSV struct{}

// File returns <experiment>.metrics.csv.
func (MetricsCSV) File(experiment string) string { return experiment + ".metrics.csv" }

var metricsHeader = []string{"run", "experiment", "cell", "label", "metric", "unit", "n", "median", "lo", "hi", "level", "method",
	"bootstrap_lo", "bootstrap_hi", "bootstrap_nominal", "bootstrap_coverage_normal", "spread_percent", "reps_for_2_percent", "warnings"}

// Write writes the header and the lines, cells in table order, metrics by name. Levels are fractions; the spread is the
// standard deviation in percent of the median.
func (MetricsCSV) Write(w io.Writer, t *Table) error {
	out := csv.NewWriter(w)
	out.Write(metricsHeader) // errors are kept until Error
	for i := range t.Rows {
		r := &t.Rows[i]
		for _, metric := range slices.Sorted(maps.Keys(r.Values)) {
			out.Write(append([]string{csvText(t.Run), csvText(t.Experiment), csvText(r.Cell.Name), csvText(r.label())}, r.metricFields(metric)...))
		}
	}
	out.Flush()
	return out.Error()
}

// metricFields are the fields of a line from the metric's name on.
func (r *Row) metricFields(metric string) []string {
	computed := func(v float64) string { return formatFull(roundTo(v, 12)) }
	s, values := r.Values[metric], r.metric(metric)
	fields := []string{csvText(metric), csvText(r.unit(metric)), fmt.Sprint(s.N), formatFull(s.Median), "", "", "", ""}
	if s.HasInterval() {
		copy(fields[4:], []string{formatFull(s.Lo), formatFull(s.Hi), computed(s.Level), s.Method})
	}
	boot := make([]string, 4)
	if b := stats.BootstrapMedian(values); b.HasInterval() {
		boot = []string{computed(b.Lo), computed(b.Hi), formatFull(b.Nominal), formatFull(b.Coverage)}
	}
	reps := ""
	if n := stats.RepsNeeded(values, precision); n > 0 {
		reps = fmt.Sprint(n)
	}
	warnings := slices.Clone(s.Warnings)
	for _, o := range stats.Outliers(values) {
		warnings = append(warnings, o.String())
	}
	return slices.Concat(fields, boot, []string{computed(stats.RelativeSpread(values)), reps, csvText(strings.Join(warnings, "; "))})
}

// unit returns the unit of a metric in the first attempt that has it.
func (r *Row) unit(metric string) string {
	for _, a := range r.Used {
		if m, ok := a.Metrics[metric]; ok {
			return m.Unit
		}
	}
	return ""
}

// maxBeside is how many cells the grid of the other metrics has room for.
const maxBeside = 8

// OtherMetrics is the grid of the metrics that have no column: one row each, one column per cell with reps. It is nil if
// there are none or too many cells; the CSV of the metrics has them in any case. Counts of transactions are left to it.
func (t *Table) OtherMetrics() *Grid {
	g := &Grid{Title: t.Experiment + ": other metrics, medians", Label: FileName(t.Experiment) + "-metrics", Head: []string{"metric", "unit"}, Right: 2}
	var rows []*Row
	units := map[string]string{}
	for i := range t.Rows {
		r := &t.Rows[i]
		if len(r.Used) == 0 {
			continue
		}
		rows, g.Head = append(rows, r), append(g.Head, r.label())
		for metric := range r.Values {
			units[metric] = r.unit(metric)
		}
	}
	hidden := []string{"tried", "committed"}
	for _, c := range t.columns {
		hidden = append(hidden, c.metric)
	}
	for _, metric := range slices.Sorted(maps.Keys(units)) {
		if !slices.Contains(hidden, metric) {
			line := []string{metric, orAbsent(units[metric])}
			for _, r := range rows {
				line = append(line, r.text(metric, 4))
			}
			g.Rows = append(g.Rows, line)
		}
	}
	if len(g.Rows) == 0 || len(rows) > maxBeside {
		return nil
	}
	return g
}

package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// compare sets the difference of every row to the baseline, if the run has one, as one family of comparisons. A/A cells are
// no part of the family: they are compared to the cell that they repeat, and what is larger elsewhere is no noise.
func (t *Table) compare() {
	t.compareAA()
	base := t.baseline()
	if base == nil {
		return
	}
	var rows []*Row
	var samples [][]float64
	for i := range t.Rows {
		if r := &t.Rows[i]; !r.Baseline && !r.isAA() {
			rows, samples = append(rows, r), append(samples, r.metric(commitKOPS))
		}
	}
	for i, d := range stats.CompareAll(base.metric(commitKOPS), samples) {
		r := rows[i]
		r.Delta = d
		if t.AA != nil && d.HasValue() && t.AA.AA.Hides(d.Percent) {
			r.InNoise = true
			r.Delta.Warnings = append(r.Delta.Warnings, "Δ is within the noise floor of "+percentText(t.AA.AA.Floor))
		}
	}
}

// compareAA judges the A/A cells. The table goes by the one that repeats the baseline, or else by the first.
func (t *Table) compareAA() {
	for i := range t.Rows {
		r := &t.Rows[i]
		of := t.row(r.Cell.AAOf)
		if !r.isAA() || of == nil || of == r {
			continue
		}
		r.AA = stats.JudgeAA(of.metric(commitKOPS), r.metric(commitKOPS))
		r.Delta = r.AA.Delta
		if t.AA == nil || of.Baseline {
			t.AA = r
		}
	}
}

// judge looks for what makes the numbers of the whole table doubtful.
func (t *Table) judge() {
	var groups [][]stats.Point
	for i := range t.Rows {
		groups = append(groups, t.Rows[i].order())
	}
	if t.Trend = stats.MannKendall(groups); t.Trend.Significant() {
		t.Warnings = append(t.Warnings, "in the order of the run, commit KOPS "+t.Trend.String()+": something besides the cells changed")
	}
	if t.AA != nil {
		for _, w := range t.AA.AA.Warnings() {
			t.Warnings = append(t.Warnings, "A/A: "+w)
		}
	}
	if least, most := t.rangeOfN(); least < most {
		t.Warnings = append(t.Warnings, fmt.Sprintf("cells differ in n (%d to %d): compare their intervals, not their medians alone", least, most))
	}
}

// order returns the reps of a row with their places in the order of the run, as far as these are known.
func (r *Row) order() []stats.Point {
	var points []stats.Point
	for _, a := range r.Used {
		if m, ok := a.Metrics[commitKOPS]; ok && a.Position >= 0 {
			points = append(points, stats.Point{Time: float64(a.Position), Value: m.Value})
		}
	}
	return points
}

// rangeOfN returns the fewest and the most reps of the rows that have any.
func (t *Table) rangeOfN() (least, most int) {
	for _, r := range t.Rows {
		if n := len(r.Used); n > 0 {
			if least == 0 || n < least {
				least = n
			}
			most = max(most, n)
		}
	}
	return least, most
}

// outlierMetrics are those whose outliers are looked for. The others follow from them.
var outlierMetrics = []string{commitKOPS, "atomic_per_txn", "cn_balance"}

// outliers describes the reps of a row that lie far from the others.
func (r *Row) outliers() []string {
	var list []string
	for _, metric := range outlierMetrics {
		var reps []int
		for _, a := range r.Used {
			if _, ok := a.Metrics[metric]; ok {
				reps = append(reps, a.Rep)
			}
		}
		for _, o := range stats.Outliers(r.metric(metric)) {
			list = append(list, fmt.Sprintf("rep %d: %s: %v", reps[o.Index], headOf(metric), o))
		}
	}
	return list
}

// warmup describes the warm-up of the reps that have one by the rep where it does most, empty if none has.
func (r *Row) warmup() string {
	n, worst := 0, -1
	for i, a := range r.Used {
		if !a.Warmup.Found() {
			continue
		}
		if n++; worst < 0 || abs(a.Warmup.Effect) > abs(r.Used[worst].Warmup.Effect) {
			worst = i
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("warm-up in %d of %s, most in rep %d: %v", n, count(len(r.Used), "rep"), r.Used[worst].Rep, r.Used[worst].Warmup)
}

// AllWarnings are the doubts about the numbers of a row, those about the whole table included.
func (t *Table) AllWarnings(r *Row) []string {
	list := slices.Clone(r.Values[commitKOPS].Warnings)
	for i := range list {
		list[i] = headOf(commitKOPS) + ": " + list[i]
	}
	for _, c := range metricColumns {
		if w := r.notFinite(c.metric); w != "" && c.metric != commitKOPS {
			list = append(list, c.head+": "+w)
		}
		if have := len(r.metric(c.metric)); have > 0 && have < len(r.Used) {
			list = append(list, partly(c.head, have, len(r.Used)))
		}
	}
	for _, w := range r.Delta.Warnings {
		list = append(list, "delta: "+w)
	}
	list = append(list, r.outliers()...)
	if w := r.warmup(); w != "" {
		list = append(list, w)
	}
	for _, a := range r.Used {
		for _, w := range a.Warnings {
			list = append(list, fmt.Sprintf("rep %d: %s", a.Rep, w))
		}
	}
	if len(r.Used) == 0 {
		return list
	}
	return append(list, t.Warnings...)
}

// notFinite is the warning that values of a metric were left out, empty if none was.
func (r *Row) notFinite(metric string) string {
	for _, w := range r.Values[metric].Warnings {
		if strings.Contains(w, "not finite") {
			return w
		}
	}
	return ""
}

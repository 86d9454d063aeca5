package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// CSV writes one line per cell with every number in full precision. An empty field is an absent number.
type CSV struct{}

// File returns <experiment>.csv.
func (CSV) File(experiment string) string { return experiment + ".csv" }

var csvHeader = []string{"run", "system", "cluster", "experiment", "cell", "label", "n", "tried_kops",
	"commit_kops", "commit_kops_lo", "commit_kops_hi", "level", "method", "commit_rate", "atomic_per_txn", "cn_balance",
	"delta_percent", "p", "p_smallest", "not_used", "warnings"}

// Write writes the header and the lines. level is a fraction: 0.75. What was computed is rounded to 12 digits, so that binary
// fractions leave no tail; medians are as exact as the logs.
func (CSV) Write(w io.Writer, t *Table) error {
	out := csv.NewWriter(w)
	out.Write(csvHeader) // errors are kept until Error
	for _, r := range t.Rows {
		out.Write(csvRow(t, &r))
	}
	out.Flush()
	return out.Error()
}

func csvRow(t *Table, r *Row) []string {
	value := func(metric string) string {
		if s, ok := r.Values[metric]; ok {
			return formatFull(s.Median)
		}
		return ""
	}
	lo, hi, level, method := "", "", "", ""
	if s := r.Values[commitKOPS]; s.HasInterval() {
		lo, hi, level, method = formatFull(s.Lo), formatFull(s.Hi), formatFull(roundTo(s.Level, 12)), s.Method
	}
	delta, p, smallest := "", "", ""
	if d := r.Delta; !r.Baseline && d.N > 0 && d.NBase > 0 {
		delta, p, smallest = formatFull(roundTo(d.Percent, 12)), formatFull(roundTo(d.P, 12)), formatFull(roundTo(d.MinP, 12))
	}
	return []string{csvText(t.Run), csvText(t.System), csvText(t.Cluster), csvText(t.Experiment),
		csvText(r.Cell.Name), csvText(r.label()), fmt.Sprint(len(r.Used)), value("tried_kops"),
		value(commitKOPS), lo, hi, level, method, value("commit_rate"), value("atomic_per_txn"), value("cn_balance"),
		delta, p, smallest, fmt.Sprint(countNotUsed(t.NotUsed, r.Cell.Name)), csvText(strings.Join(rowWarnings(r), "; "))}
}

func countNotUsed(list []NotUsed, cell string) int {
	n := 0
	for _, u := range list {
		if u.Cell.Name == cell {
			n += u.Last - u.First + 1
		}
	}
	return n
}

// rowWarnings are the doubts about the numbers of one line.
func rowWarnings(r *Row) []string {
	var list []string
	for _, c := range metricColumns {
		for _, w := range r.Values[c.metric].Warnings {
			list = append(list, c.head+": "+w)
		}
		if have := len(r.metric(c.metric)); have > 0 && have < len(r.Used) {
			list = append(list, partly(c.head, have, len(r.Used)))
		}
	}
	for _, w := range r.Delta.Warnings {
		list = append(list, "delta: "+w)
	}
	for _, a := range r.Used {
		for _, w := range a.Warnings {
			list = append(list, fmt.Sprintf("rep %d: %s", a.Rep, w))
		}
	}
	return list
}

// csvText makes a text that no spreadsheet evaluates.
func csvText(s string) string {
	s = Clean(s)
	first := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) })
	if first >= 0 && strings.ContainsRune("=+-@＝＋－＠", []rune(s[first:])[0]) {
		return "'" + s
	}
	return s
}

package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
)

// CSV writes one line per cell with every number in full precision. An empty field is an absent number.
type CSV struct{}

// File returns <experiment>.csv.
func (CSV) File(experiment string) string { return experiment + ".csv" }

var csvHeader = []string{"run", "system", "cluster", "experiment", "cell", "label", "n", "tried_kops",
	"commit_kops", "commit_kops_lo", "commit_kops_hi", "level", "method", "commit_rate", "atomic_per_txn", "cn_balance", "n_sgd_logs",
	"delta_percent", "delta_lo", "delta_hi", "delta_level", "p", "p_holm", "p_holm_smallest", "comparisons", "aa_of", "noise_floor_percent",
	"deferred", "not_used", "warnings"}

// Write writes the header and the lines. level is a fraction: 0.75. What was computed is rounded to 12 digits, so that binary
// fractions leave no tail; medians are as exact as the logs.
func (CSV) Write(w io.Writer, t *Table) error {
	out := csv.NewWriter(w)
	out.Write(csvHeader) // errors are kept until Error
	for i := range t.Rows {
		out.Write(csvRow(t, &t.Rows[i]))
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
	row := []string{csvText(t.Run), csvText(t.System), csvText(t.Cluster), csvText(t.Experiment),
		csvText(r.Cell.Name), csvText(r.label()), fmt.Sprint(len(r.Used)), value("tried_kops"),
		value(commitKOPS), lo, hi, level, method, value("commit_rate"), value("atomic_per_txn"), value("cn_balance"), value(sgdLines)}
	row = append(row, deltaFields(r)...)
	return append(row, deferredField(r), fmt.Sprint(countNotUsed(t.NotUsed, r.Cell.Name)), csvText(strings.Join(t.AllWarnings(r), "; ")))
}

// deltaFields are those of the comparison, from delta_percent to noise_floor_percent.
func deltaFields(r *Row) []string {
	fields := make([]string, 10)
	computed := func(v float64) string { return formatFull(roundTo(v, 12)) }
	d := r.Delta
	if !r.Baseline && d.N > 0 && d.NBase > 0 {
		copy(fields, []string{computed(d.Percent), "", "", "", computed(d.P), computed(d.PHolm), computed(d.MinPHolm), fmt.Sprint(d.Family)})
		if d.HasInterval() {
			fields[1], fields[2], fields[3] = computed(d.Lo), computed(d.Hi), computed(d.Level)
		}
	}
	if r.isAA() {
		fields[8] = csvText(r.Cell.AAOf)
		if d.N > 0 && d.NBase > 0 {
			fields[9] = computed(r.AA.Floor)
		}
	}
	return fields
}

func deferredField(r *Row) string {
	if r.Cell.Deferred == nil {
		return ""
	}
	return fmt.Sprint(r.Cell.Deferred.Criterion)
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

// plainNumber matches what a spreadsheet takes for a number, never for a formula.
var plainNumber = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$`)

// csvText makes a text that no spreadsheet evaluates.
func csvText(s string) string {
	s = Clean(s)
	if plainNumber.MatchString(s) {
		return s
	}
	first := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) })
	if first >= 0 && strings.ContainsRune("=+-@＝＋－＠", []rune(s[first:])[0]) {
		return "'" + s
	}
	return s
}

package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// AttemptsCSV writes the raw numbers in long form: one line per attempt and metric, used or not, each with the lines of the
// logs that it was read from. An attempt without metrics has one line with no metric.
type AttemptsCSV struct{}

// File returns <experiment>.attempts.csv.
func (AttemptsCSV) File(experiment string) string { return experiment + ".attempts.csv" }

var attemptsHeader = []string{"run", "experiment", "cell", "label", "rep", "try", "position", "verdict", "used", "reason",
	"dir", "metric", "value", "unit", "origins"}

// Write writes the header and the lines, by cell in table order, rep and try.
func (AttemptsCSV) Write(w io.Writer, t *Table) error {
	out := csv.NewWriter(w)
	out.Write(attemptsHeader) // errors are kept until Error
	for _, r := range t.Rows {
		for _, e := range entries(t, &r) {
			for _, line := range attemptLines(t, &r, e) {
				out.Write(line)
			}
		}
	}
	out.Flush()
	return out.Error()
}

// An entry is an attempt of a row, used or not.
type entry struct {
	NotUsed
	used bool
}

func entries(t *Table, r *Row) []entry {
	var list []entry
	for _, a := range r.Used {
		list = append(list, entry{NotUsed{Cell: r.Cell, First: a.Rep, Last: a.Rep, Try: a.Try, Attempt: a}, true})
	}
	for _, n := range t.NotUsed {
		if n.Cell.Name == r.Cell.Name {
			list = append(list, entry{n, false})
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int {
		if a.First != b.First {
			return a.First - b.First
		}
		return a.Try - b.Try
	})
	return list
}

func attemptLines(t *Table, r *Row, e entry) [][]string {
	a := e.Attempt
	try, position := "", ""
	if e.Try > 0 {
		try = fmt.Sprint(e.Try)
	}
	if a.Position >= 0 {
		position = fmt.Sprint(a.Position)
	}
	head := []string{csvText(t.Run), csvText(t.Experiment), csvText(r.Cell.Name), csvText(r.label()), e.reps(), try, position,
		csvText(string(a.Verdict)), fmt.Sprint(e.used), csvText(a.Reason), csvText(a.Dir)}
	if len(a.Metrics) == 0 {
		return [][]string{append(head, "", "", "", "")}
	}
	var lines [][]string
	for _, name := range sortedNames(a.Metrics) {
		m := a.Metrics[name]
		lines = append(lines, append(slices.Clone(head), csvText(name), formatFull(m.Value), csvText(m.Unit), csvText(origins(m))))
	}
	return lines
}

func sortedNames(metrics map[string]results.Metric) []string {
	names := make([]string, 0, len(metrics))
	for name := range metrics {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func origins(m results.Metric) string {
	list := make([]string, 0, len(m.Origins))
	for _, o := range m.Origins {
		list = append(list, o.String())
	}
	return strings.Join(list, " ")
}

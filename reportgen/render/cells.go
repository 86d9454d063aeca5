package render

import "github.com/gotestbed/gotestbed/reportgen/stats"

// A TableCell is one cell of a table, with what its text was made of.
type TableCell struct {
	Text    string
	Metric  string        // the metric whose summary the cell shows; empty for the others
	Summary stats.Summary // of the metric
}

// Header returns the heads of the columns.
func (t *Table) Header() []string { return append([]string{}, header...) }

// Cells returns the cells of a row, in the order of Header.
func (t *Table) Cells(r *Row) []TableCell {
	texts := r.cells()
	cells := make([]TableCell, len(texts))
	for i, text := range texts {
		cells[i] = TableCell{Text: text, Metric: columnMetric(header[i])}
		cells[i].Summary = r.Values[cells[i].Metric]
	}
	return cells
}

// columnMetric returns the metric of a column.
func columnMetric(head string) string {
	if head == "commit KOPS [interval]" {
		return commitKOPS
	}
	for _, c := range metricColumns {
		if c.head == head {
			return c.metric
		}
	}
	return ""
}

// Footnotes are the notes, and the first of the doubts.
func (t *Table) Footnotes() []string { return t.footnotes() }

// Heading is the experiment and its question.
func (t *Table) Heading() string { return t.title() }

// LabelOf is how a cell is printed.
func LabelOf(r *Row) string { return r.label() }

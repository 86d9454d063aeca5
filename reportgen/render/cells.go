package render

import (
	"math"

	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// A TableCell is one cell of a table, with what its text was made of.
type TableCell struct {
	Text     string
	Metric   string        // the metric whose summary the cell shows; empty for the others
	Summary  stats.Summary // of the metric
	Value    float64       // to sort by; NaN if there is none
	Warnings []string      // about this number
}

// Header returns the heads of the columns.
func (t *Table) Header() []string {
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.head
	}
	return heads
}

// Cells returns the cells of a row, in the order of Header.
func (t *Table) Cells(r *Row) []TableCell {
	cells := make([]TableCell, len(t.columns))
	for i, c := range t.columns {
		cells[i] = TableCell{Text: c.text(r), Metric: c.metric, Summary: r.Values[c.metric], Value: math.NaN()}
		if c.value != nil {
			cells[i].Value = c.value(r)
		}
		if c.doubts != nil {
			cells[i].Warnings = c.doubts(r)
		}
	}
	return cells
}

// texts are the cells of a row as texts.
func (t *Table) texts(r *Row) []string {
	list := make([]string, len(t.columns))
	for i, c := range t.columns {
		list[i] = c.text(r)
	}
	return list
}

// Footnotes are the notes, and the first of the doubts.
func (t *Table) Footnotes() []string { return t.footnotes() }

// Heading is the experiment and its question.
func (t *Table) Heading() string { return t.title() }

// LabelOf is how a cell is printed.
func LabelOf(r *Row) string { return r.label() }

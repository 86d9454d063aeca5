package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// experimentTable is the table of an experiment with the origins of its numbers.
func (b *builder) experimentTable(id string, t *render.Table) *Table {
	out := &Table{File: id, Title: t.Heading(), Head: t.Header(), Right: 1}
	for i := range t.Rows {
		r := &t.Rows[i]
		var cells []Cell
		for j, c := range t.Cells(r) {
			cells = append(cells, b.experimentCell(r, out.Head[j], unsaid(c, t.Notes)))
		}
		out.Rows, out.Keys = append(out.Rows, cells), append(out.Keys, r.Cell.Name)
	}
	return out
}

// unsaid leaves out the warnings of a cell that the notes of its table say: a mark at every number marks none.
func unsaid(c render.TableCell, notes []string) render.TableCell {
	c.Warnings = slices.DeleteFunc(slices.Clone(c.Warnings), func(w string) bool {
		w, _, _ = strings.Cut(w, " (") // details, which differ between rows
		return slices.ContainsFunc(notes, func(note string) bool { return strings.Contains(note, w) })
	})
	return c
}

// experimentCell makes one cell: of a metric, or what stands beside it.
func (b *builder) experimentCell(r *render.Row, head string, c render.TableCell) Cell {
	cell := Cell{Text: c.Text, Value: c.Value, Has: !math.IsNaN(c.Value), Warning: strings.Join(c.Warnings, "; ")}
	switch {
	case c.Metric != "" && c.Summary.HasValue():
		cell.Origins = b.reps(r.Used, c.Metric)
		cell.Macros = summaryMacros(c.Metric, c.Summary, digits(c.Metric))
	case head == "n":
		cell.Macros = []Macro{{Of: "n", Text: c.Text}}
		for _, a := range r.Used {
			cell.Origins = append(cell.Origins, Part{Text: fmt.Sprintf("%s: %s", repName(a), orDash(a.Dir))})
		}
	case head == "level": // is a macro of its metric
	case strings.HasPrefix(head, "Δ") && cell.Has:
		cell.Macros = []Macro{{Of: "delta", Text: c.Text}}
	case cell.Has:
		cell.Macros = []Macro{{Of: head, Text: c.Text}}
	}
	return cell
}

// digits are how many significant digits of a metric are printed.
func digits(metric string) int {
	if strings.HasSuffix(metric, "_kops") {
		return 4
	}
	return 3
}

// reps are the numbers that a median was made of, each with its lines.
func (b *builder) reps(used []results.Attempt, metric string) []Part {
	var parts []Part
	for _, a := range used {
		m, ok := a.Metrics[metric]
		if !ok {
			parts = append(parts, Part{Text: repName(a) + ": absent"})
			continue
		}
		parts = append(parts, Part{Text: fmt.Sprintf("%s: %s %s", repName(a), render.FormatFull(m.Value), m.Unit), Lines: b.lines(m.Origins...)})
	}
	return parts
}

func repName(a results.Attempt) string {
	if a.Try > 1 {
		return fmt.Sprintf("rep %d (try %d)", a.Rep, a.Try)
	}
	return fmt.Sprintf("rep %d", a.Rep)
}

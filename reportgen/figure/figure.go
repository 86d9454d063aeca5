package figure

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// A Figure is one drawing, ready to be written.
type Figure struct {
	Name       string // of its files, without extension: step6_commit, sgd_weights
	Experiment string // empty for what belongs to no experiment
	Title      string // one line
	Caption    string // for the paper: what is shown, of how many reps, at which level, and what was left out
	Alt        string // says in words what the figure shows, with the numbers that matter
	Wide       bool   // as wide as the page, else as wide as a column
	Chart      Chart
}

// A Chart is what a figure shows: Bars, Lines or Dots.
type Chart interface {
	// sheet lays the chart out, on a page of the given width. It makes everything anew: drawing changes a sheet.
	sheet() *sheet
	// marks lists everything that is drawn as data.
	marks() []mark
}

// A Missing is a figure that could not be made.
type Missing struct {
	Name       string
	Experiment string
	Reason     string // completes "no figure because …"
}

// A Set is all that could be made of a run, and what could not.
type Set struct {
	Figures []Figure
	Missing []Missing
}

// add adds a figure. One whose name another has, since experiments may be called anything, gets a number.
func (s *Set) add(f Figure) {
	name := f.Name
	for n := 2; slices.ContainsFunc(s.Figures, func(o Figure) bool { return strings.EqualFold(o.Name, f.Name) }); n++ {
		f.Name = fmt.Sprintf("%s_%d", name, n)
	}
	s.Figures = append(s.Figures, f)
}

func (s *Set) miss(experiment, name, format string, args ...any) {
	s.Missing = append(s.Missing, Missing{Name: name, Experiment: experiment, Reason: fmt.Sprintf(format, args...)})
}

// A Point is a number in a figure and the lines of logs that it comes from. Level is that of the interval from Lo to Hi
// around Y; 0: there is no interval.
type Point struct {
	X, Y          float64
	Lo, Hi, Level float64
	Origins       []results.Origin
}

// A mark is one row of the figure's data.
type mark struct {
	panel, series, x string
	point            Point
}

// WriteData writes the figure's data as CSV: panel, series, x, y, the interval with its level, and file:line of every log
// line that the number was made of.
func (f *Figure) WriteData(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"panel", "series", "x", "y", "lo", "hi", "level", "from"})
	for _, m := range f.Chart.marks() {
		row := []string{cell(m.panel), cell(m.series), cell(m.x), number(m.point.Y), "", "", "", cell(origins(m.point.Origins))}
		if m.point.Level > 0 {
			row[4], row[5], row[6] = number(m.point.Lo), number(m.point.Hi), number(m.point.Level)
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// cell keeps a text from being taken for a formula by a spreadsheet, as the tables do.
func cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return "'" + s
		}
	}
	return s
}

// number writes a number exactly, and nothing for none.
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func origins(list []results.Origin) string {
	parts := make([]string, len(list))
	for i, o := range list {
		parts[i] = o.String()
	}
	return strings.Join(parts, ";")
}

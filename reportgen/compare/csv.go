package compare

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/render"
)

var csvHead = []string{"experiment", "cell", "metric", "unit", "base", "run", "base_n", "base_median", "base_lo", "base_hi", "base_level",
	"n", "median", "lo", "hi", "level", "delta_percent", "delta_lo", "delta_hi", "delta_level", "p", "p_holm", "comparisons",
	"noise_floor_percent", "in_noise", "warnings"}

// WriteCSV writes a line for every metric, cell and run but the first, in full precision. An empty field is an absent number.
func (c *Comparison) WriteCSV(w io.Writer) error {
	g := render.Grid{Head: csvHead}
	for i := range c.Tables {
		t := &c.Tables[i]
		for _, r := range t.Rows {
			for run := 1; run < len(c.Names) && r.measured(); run++ {
				g.Rows = append(g.Rows, c.csvLine(t, &r, run))
			}
		}
	}
	return g.WriteCSV(w)
}

func (c *Comparison) csvLine(t *Table, r *Row, run int) []string {
	base, s := r.Sides[0], r.Sides[run]
	line := []string{t.Experiment, r.Cell.Name, t.Metric, t.Unit, c.Names[0], c.Names[run]}
	line = append(line, summaryFields(base)...)
	line = append(line, summaryFields(s)...)
	d := s.Delta
	level, family, floor := "", "", ""
	if d.HasInterval() {
		level = full(d.Level)
	}
	if d.HasTest() {
		family = fmt.Sprint(d.Family)
	}
	if v, ok := t.noise(run); ok {
		floor = full(v)
	}
	line = append(line, full(d.Percent), full(d.Lo), full(d.Hi), level, full(d.P), full(d.PHolm), family, floor)
	inNoise := ""
	if !math.IsNaN(d.Percent) && floor != "" {
		inNoise = fmt.Sprint(s.InNoise)
	}
	warnings := append(append([]string{}, s.Summary.Warnings...), d.Warnings...)
	return append(line, inNoise, strings.Join(warnings, "; "))
}

func summaryFields(s Side) []string {
	v := s.Summary
	fields := []string{fmt.Sprint(v.N), full(v.Median), full(v.Lo), full(v.Hi), ""}
	if v.HasInterval() {
		fields[4] = full(v.Level)
	}
	return fields
}

func full(v float64) string { return render.FormatFull(v) }

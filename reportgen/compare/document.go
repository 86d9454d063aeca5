package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/page"
	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

const absent = "—"

// Document lays the comparison out: first what differs besides the numbers, then a table for each experiment and metric. metrics
// chooses the tables, nil those that most ask for; benchmarks always have all of theirs.
func (c *Comparison) Document(metrics []string) *page.Document {
	d := &page.Document{
		Title: "Comparison of " + strings.Join(c.Names, " and "),
		Intro: []string{fmt.Sprintf("Δ is to %s: (median ÷ its median − 1), with the interval of the ratio. p is of the Mann-Whitney U test, two-sided; "+
			"a ~ behind it: not shown to differ at p < %v. p (Holm) is corrected for all comparisons of its table.", c.Names[0], stats.Alpha)},
	}
	if len(c.Differences) == 0 {
		d.Intro = append(d.Intro, "As far as they have recorded it, the runs had the same plan, program and cluster.")
	} else {
		d.Sections = append(d.Sections, page.Section{Title: "Besides the version, these runs differ", Items: c.Differences})
	}
	var left []string
	for i := range c.Tables {
		if t := &c.Tables[i]; t.chosen(metrics) {
			d.Sections = append(d.Sections, c.section(t, i))
		} else {
			left = append(left, t.Metric)
		}
	}
	if slices.Sort(left); len(left) > 0 {
		d.Intro = append(d.Intro, "Also measured, and not shown here: "+strings.Join(slices.Compact(left), ", ")+".")
	}
	return d
}

// All chooses every metric.
const All = "all"

// chosen reports whether a table is shown.
func (t *Table) chosen(metrics []string) bool {
	switch {
	case metrics == nil && t.Metric == "n_sgd_logs":
		return slices.ContainsFunc(t.Rows, func(r Row) bool {
			return slices.ContainsFunc(r.Sides, func(s Side) bool { return s.Summary.Median > 0 })
		})
	case metrics == nil:
		return t.Experiment == benchmarksName || slices.Contains(firstMetrics, t.Metric)
	}
	return slices.Contains(metrics, t.Metric) || slices.Contains(metrics, All)
}

// Unknown returns the names among metrics that no run has.
func (c *Comparison) Unknown(metrics []string) []string {
	return slices.DeleteFunc(slices.Clone(metrics), func(name string) bool {
		return name == All || slices.ContainsFunc(c.Tables, func(t Table) bool { return t.Metric == name })
	})
}

// section is one table. The label of its LaTeX has the number of the table: metrics may have any name.
func (c *Comparison) section(t *Table, number int) page.Section {
	title := t.Experiment + ": " + t.Metric
	if t.Unit != "" && t.Unit != t.Metric {
		title += " (" + t.Unit + ")"
	}
	holm := t.family() > 1
	g := &render.Grid{Title: title, Right: 1, Head: []string{"cell", "n", c.Names[0]},
		Label: fmt.Sprintf("compare-%s-%d", render.FileName(t.Experiment), number+1)}
	for _, name := range c.Names[1:] {
		g.Head = append(g.Head, name, "Δ [interval]", "p")
		if holm {
			g.Head = append(g.Head, "p (Holm)")
		}
	}
	for i := range t.Rows {
		if r := &t.Rows[i]; r.measured() {
			g.Rows = append(g.Rows, c.line(r, holm))
		}
	}
	if t.GeoMeans != nil {
		g.Rows = append(g.Rows, t.meanLine(holm))
	}
	g.Notes = c.notes(t)
	return page.Section{Title: title, Grid: g}
}

// family is of how many comparisons the table's are corrected for.
func (t *Table) family() int {
	n := 0
	for _, r := range t.Rows {
		for _, s := range r.Sides {
			n = max(n, s.Delta.Family)
		}
	}
	return n
}

// measured reports whether one of the runs has a value.
func (r *Row) measured() bool {
	return slices.ContainsFunc(r.Sides, func(s Side) bool { return s.Summary.HasValue() || len(s.Values) > 0 })
}

func (c *Comparison) line(r *Row, holm bool) []string {
	var ns []string
	for _, s := range r.Sides {
		ns = append(ns, fmt.Sprint(s.Summary.N))
	}
	if slices.Sort(ns); len(slices.Compact(slices.Clone(ns))) > 1 {
		ns = ns[:0]
		for _, s := range r.Sides {
			ns = append(ns, fmt.Sprint(s.Summary.N))
		}
	} else {
		ns = ns[:1]
	}
	line := []string{r.Cell.Label, strings.Join(ns, ", "), value(r.Sides[0])}
	for i, s := range r.Sides[1:] {
		line = append(line, value(s), c.delta(r, i+1), pText(s.Delta, s.Delta.P))
		if holm {
			line = append(line, pText(s.Delta, s.Delta.PHolm))
		}
	}
	return line
}

// value prints a median with its interval.
func value(s Side) string {
	switch v := s.Summary; {
	case !v.HasValue():
		return absent
	case !v.HasInterval():
		return number(v.Median) + other(s)
	default:
		return fmt.Sprintf("%s [%s, %s]%s", number(v.Median), number(v.Lo), number(v.Hi), other(s))
	}
}

func other(s Side) string {
	if s.Other == "" {
		return ""
	}
	return " " + s.Other
}

func number(v float64) string { return render.FormatNumber(v, 4) }

// delta prints the difference, or in which run the cell is alone.
func (c *Comparison) delta(r *Row, run int) string {
	base, s := r.Sides[0], r.Sides[run]
	switch d := s.Delta; {
	case !base.Summary.HasValue() && !s.Summary.HasValue():
		return absent
	case !s.Summary.HasValue():
		return "only in " + c.Names[0]
	case !base.Summary.HasValue():
		return "not in " + c.Names[0]
	case base.Other != "" || s.Other != "":
		return "other unit"
	case !d.HasValue():
		return absent
	default:
		return percents(d) + noiseSign(s)
	}
}

func percents(d stats.Delta) string {
	if !d.HasInterval() {
		return signed(d.Percent) + " %"
	}
	return fmt.Sprintf("%s %% [%s, %s]", signed(d.Percent), signed(d.Lo), signed(d.Hi))
}

func noiseSign(s Side) string {
	if s.InNoise {
		return " ≈"
	}
	return ""
}

// signed writes a percentage with one decimal, without a sign on zero.
func signed(v float64) string {
	if math.Abs(v) < 0.05 {
		return "0.0"
	}
	return fmt.Sprintf("%+.1f", v)
}

func pText(d stats.Delta, p float64) string {
	switch {
	case !d.HasTest():
		return absent
	case p < stats.Alpha:
		return stats.FormatP(p)
	}
	return stats.FormatP(p) + " ~"
}

// meanLine is the row of the geometric means.
func (t *Table) meanLine(holm bool) []string {
	line := []string{"geometric mean", absent, absent}
	for _, g := range t.GeoMeans[1:] {
		text := absent
		if !math.IsNaN(g.Ratio) {
			text = signed((g.Ratio-1)*100) + " %"
		}
		line = append(line, absent, text, absent)
		if holm {
			line = append(line, absent)
		}
	}
	return line
}

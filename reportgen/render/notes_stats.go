package render

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// summaryNotes are the warnings of the medians and intervals, those of commit KOPS first, each once, with the cells that it
// is about.
func (t *Table) summaryNotes() []string {
	var intervals, others grouped
	for _, c := range metricColumns {
		for _, r := range t.Rows {
			if c.metric == commitKOPS {
				for _, w := range r.Values[c.metric].Warnings {
					intervals.add(w, r.label())
				}
			} else if w := r.notFinite(c.metric); w != "" {
				others.add(c.head+": "+w, r.label())
			}
			if have := len(r.metric(c.metric)); have > 0 && have < len(r.Used) {
				others.add(partly(c.head, have, len(r.Used)), r.label())
			}
		}
		if only := t.onlyIn(c.metric); only != "" {
			others.add(c.head+": no other cell has it, so there is nothing to compare it with", only)
		}
	}
	all := countUsed(t.Rows)
	return append(intervals.lines(all), others.lines(all)...)
}

func partly(head string, have, used int) string {
	return fmt.Sprintf("%s: only %d of %d passed reps have it", head, have, used)
}

// onlyIn returns the label of the only one of several cells with reps that has a metric, empty if it is not so. Lines of the
// tuner are only where it runs.
func (t *Table) onlyIn(metric string) string {
	with, label := 0, ""
	for i := range t.Rows {
		if r := &t.Rows[i]; len(r.metric(metric)) > 0 {
			with, label = with+1, r.label()
		}
	}
	if with != 1 || countUsed(t.Rows) < 2 || metric == sgdLines {
		return ""
	}
	return label
}

// bootstrapNote gives the interval of the other recipe beside the table's own. Cells of one n have one coverage; intervals that
// are those of the table are not repeated, but for a single one.
func (t *Table) bootstrapNote() []string {
	var coverages grouped
	var all, differing []string
	for _, r := range t.Rows {
		b, s := r.Bootstrap, r.Values[commitKOPS]
		if !b.HasInterval() {
			continue
		}
		coverages.add(coverageText(b), r.label())
		text := fmt.Sprintf("%s [%s, %s]", short(r.label()), formatNumber(b.Lo, 4), formatNumber(b.Hi, 4))
		all = append(all, text)
		if b.Lo != s.Lo || b.Hi != s.Hi {
			differing = append(differing, text)
		}
	}
	given := "the same brackets"
	switch {
	case len(all) == 0:
		return nil
	case len(differing) > 0:
		given = firstFew(differing, maxNames)
	case len(all) == 1:
		given = all[0] + ", the same brackets"
	}
	return []string{fmt.Sprintf("Percentile bootstrap of the median, exact: the recipe calls it %s; for normal data it covers %s. It gives %s.",
		stats.FormatLevel(stats.TargetLevel), firstFew(coverages.texts, maxNames), given)}
}

func coverageText(b stats.Bootstrap) string {
	if math.IsNaN(b.Coverage) {
		return fmt.Sprintf("about that (n=%d, not simulated)", b.N)
	}
	return fmt.Sprintf("%s (n=%d)", stats.FormatLevel(b.Coverage), b.N)
}

// deltaNotes explain the last columns, if they say anything.
func (t *Table) deltaNotes() []string {
	base := t.baseline()
	if note := noDelta(t.Rows, base); note != "" {
		return []string{note}
	}
	var g grouped
	unproved, compared, family := false, 0, 0
	var levels []float64
	for _, r := range t.Rows {
		if r.Baseline || r.isAA() || r.Delta.N == 0 || r.Delta.NBase == 0 {
			continue
		}
		compared++
		if r.Delta.HasInterval() {
			levels = append(levels, r.Delta.Level)
		}
		family = max(family, r.Delta.Family)
		unproved = unproved || !r.Delta.Significant()
		for _, w := range r.Delta.Warnings {
			if !strings.Contains(w, "not finite") && !strings.Contains(w, "noise floor") { // said elsewhere
				g.add(w, r.label())
			}
		}
	}
	if compared == 0 {
		return nil
	}
	return append([]string{deltaText(t.comparison(), short(base.label()), levelsText(levels), family, unproved)}, g.lines(compared)...)
}

// comparison is what the column of differences shows.
func (t *Table) comparison() string {
	if t.isScaleOut() {
		return "Speed-up"
	}
	return "Δ"
}

// levelsText says at which level intervals are: "at level 90 %", or the lowest and the highest. It is empty if there are none.
func levelsText(levels []float64) string {
	if len(levels) == 0 {
		return ""
	}
	low, high := stats.FormatLevel(slices.Min(levels)), stats.FormatLevel(slices.Max(levels))
	if low == high {
		return " at level " + low
	}
	return fmt.Sprintf(" at levels from %s to %s", low, high)
}

func deltaText(what, base, levels string, family int, unproved bool) string {
	text := fmt.Sprintf("%s: commit KOPS median against that of %s", what, base)
	if levels != "" {
		text += "; in brackets, the interval of the ratio from order statistics of all pairs of reps," + levels
	}
	text += ". p: two-sided Mann-Whitney U"
	if family > 1 {
		text += fmt.Sprintf(", corrected by Holm for %d comparisons", family)
	}
	if unproved {
		text += fmt.Sprintf("; ~ means not shown to differ at p < %v", stats.Alpha)
	}
	return text + "."
}

// noDelta says why nothing is compared, if there is a row to compare and no baseline; empty otherwise.
func noDelta(rows []Row, base *Row) string {
	others := slices.ContainsFunc(rows, func(r Row) bool { return !r.Baseline && !r.isAA() && len(r.Used) > 0 })
	switch {
	case !others:
		return ""
	case base == nil:
		return "No Δ: this run has no passed rep of a baseline."
	case len(base.Used) == 0:
		return fmt.Sprintf("No Δ: this run has no passed rep of %s, the cell to compare with.", short(base.label()))
	case len(base.metric(commitKOPS)) == 0:
		return fmt.Sprintf("No Δ: no passed rep of %s has commit KOPS.", short(base.label()))
	}
	return ""
}

// aaNote is the verdict of the A/A cell, or says that there is none where effects are judged.
func (t *Table) aaNote() []string {
	if t.AA == nil {
		if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.compared() }) {
			return []string{"No A/A cell: how large an effect noise can make was not measured."}
		}
		return nil
	}
	d, name := t.AA.Delta, short(t.AA.label())
	text := fmt.Sprintf("A/A: %s repeats %s", name, short(labelOf(t.row(t.AA.Cell.AAOf).Cell)))
	if !t.AA.AA.HasFloor() {
		return []string{text + ", and one of them has no number: how large noise is, this run cannot say."}
	}
	text += " and differs by " + formatPercent(d.Percent)
	if d.HasInterval() {
		text += fmt.Sprintf(" [%s, %s] at level %s", signed(d.Lo), signed(d.Hi), stats.FormatLevel(d.Level))
	} else {
		text += " (one rep each: no interval)"
	}
	text += ". Effects up to " + percentText(t.AA.AA.Floor) + " are not told from noise"
	var hidden []string
	for _, r := range t.Rows {
		if r.InNoise {
			hidden = append(hidden, short(r.label()))
		}
	}
	if len(hidden) > 0 {
		text += ", as that of " + firstFew(hidden, maxNames) + " (≈)"
	}
	return []string{text + "."}
}

// outlierNotes name the reps that lie far from the others.
func (t *Table) outlierNotes() []string {
	var list []string
	for i := range t.Rows {
		for _, text := range t.Rows[i].outliers() {
			list = append(list, short(t.Rows[i].label())+" "+text+".")
		}
	}
	if more := len(list) - maxNames; more > 0 {
		list = append(list[:maxNames], count(more, "more outlier")+" in the CSV file.")
	}
	return list
}

// precision is the width, ± percent of the median, for which reps are planned.
const precision = 2.0

// repsNote says how many reps would do.
func (t *Table) repsNote() []string {
	text := t.RepsFor(precision)
	if text == "" {
		return nil
	}
	undetectable, family := false, 0
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Delta.HasTest() && !r.isAA() {
			undetectable = undetectable || !r.Delta.Detectable()
			family = max(family, r.Delta.Family)
		}
	}
	if undetectable {
		text += fmt.Sprintf("; to show differences at p < %v in %s, at least %d reps a cell", stats.Alpha, count(family, "comparison"), stats.MinReps(family))
	}
	return []string{text + "."}
}

// RepsFor says how many reps of each cell it takes to know its median to ± percent: for a further run, by the spread of this
// one. It has no full stop, and is empty if no cell tells its spread.
func (t *Table) RepsFor(percent float64) string {
	var g grouped
	for i := range t.Rows {
		r := &t.Rows[i]
		if values := r.metric(commitKOPS); !math.IsNaN(stats.RelativeSpread(values)) && !r.isAA() {
			g.add(repsText(values, percent), r.label())
		}
	}
	if len(g.texts) == 0 {
		return ""
	}
	parts := make([]string, len(g.texts))
	for i, text := range g.texts {
		parts[i] = text
		if len(g.texts) > 1 {
			parts[i] += " (" + firstFew(g.cells[text], maxNames) + ")"
		}
	}
	return fmt.Sprintf("To know these medians to ± %v %% at %s, by the spread of these reps, takes about %s", percent, stats.FormatLevel(stats.TargetLevel), firstFew(parts, maxNames))
}

func repsText(values []float64, percent float64) string {
	if n := stats.RepsNeeded(values, percent); n > 0 {
		return count(n, "rep")
	}
	return "more than 1000 reps"
}

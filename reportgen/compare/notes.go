package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// notes are the doubts about one table, each once, with the cells that it is about.
func (c *Comparison) notes(t *Table) []string {
	notes := c.levels(t)
	notes = append(notes, c.onlyIn(t)...)
	if text := c.floors(t); text != "" {
		notes = append(notes, text)
	}
	for run, g := range t.GeoMeans {
		for _, w := range g.Warnings {
			notes = append(notes, c.Names[run]+": "+w+".")
		}
		if run > 0 && len(g.Warnings) == 0 {
			notes = append(notes, fmt.Sprintf("Geometric mean: of the %d ratios of %s to %s%s.", g.Cells, c.Names[run], c.Names[0], t.leftOut()))
		}
	}
	return append(notes, c.doubts(t)...)
}

func (t *Table) leftOut() string {
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cell.AAOf != "" }) {
		return ", without A/A cells, which would count twice"
	}
	return ""
}

// levels says which level the intervals of the medians have, by n.
func (c *Comparison) levels(t *Table) []string {
	levels := map[int]float64{}
	for _, r := range t.Rows {
		for _, s := range r.Sides {
			if s.Summary.HasInterval() {
				levels[s.Summary.N] = s.Summary.Level
			}
		}
	}
	var parts []string
	for _, n := range slices.Sorted(maps.Keys(levels)) {
		parts = append(parts, fmt.Sprintf("%s (n=%d)", stats.FormatLevel(levels[n]), n))
	}
	if len(parts) == 0 {
		return []string{"No cell has two reps: there is no interval."}
	}
	return []string{"In brackets behind a median: its interval from order statistics, at level " + strings.Join(parts, ", ") + "."}
}

// onlyIn names what not all runs have: whole cells, or a metric of theirs.
func (c *Comparison) onlyIn(t *Table) []string {
	var notes []string
	for run, name := range c.Names {
		if !t.Has(run) {
			notes = append(notes, fmt.Sprintf("%s has no value of %s.", name, t.Metric))
			continue
		}
		var cells, metric []string
		for _, r := range t.Rows {
			if s := r.Sides[run]; s.Summary.HasValue() || !r.measured() {
				continue
			} else if s.HasCell {
				metric = append(metric, r.Cell.Label)
			} else {
				cells = append(cells, r.Cell.Label)
			}
		}
		if len(cells) > 0 {
			notes = append(notes, fmt.Sprintf("Not in %s: %s.", name, strings.Join(cells, ", ")))
		}
		if len(metric) > 0 {
			notes = append(notes, fmt.Sprintf("In %s without a value of %s: %s.", name, t.Metric, strings.Join(metric, ", ")))
		}
	}
	return notes
}

func (c *Comparison) floors(t *Table) string {
	var parts []string
	for run, floor := range t.Floors {
		if !math.IsNaN(floor) {
			parts = append(parts, fmt.Sprintf("%.1f %% in %s", floor, c.Names[run]))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "A/A noise floor: " + strings.Join(parts, ", ") + ". A ≈ stands behind a Δ that is not larger than the larger of the two runs'."
}

// doubts gathers the warnings of the numbers that the other notes do not have.
func (c *Comparison) doubts(t *Table) []string {
	var texts []string
	cells := map[string][]string{}
	add := func(text, cell string) {
		if cells[text] == nil {
			texts = append(texts, text)
		}
		cells[text] = append(cells[text], cell)
	}
	for _, r := range t.Rows {
		for run, s := range r.Sides {
			for _, w := range s.Summary.Warnings {
				if !strings.HasPrefix(w, "n=") { // the level: said above
					add(c.Names[run]+": "+w, r.Cell.Label)
				}
			}
			for _, w := range s.Delta.Warnings {
				said := s.InNoise && strings.HasPrefix(w, "Δ is within") || strings.Contains(w, "not finite")
				if !said {
					add(c.Names[run]+" to "+c.Names[0]+": "+w, r.Cell.Label)
				}
			}
		}
	}
	var notes []string
	for _, text := range texts {
		who := strings.Join(cells[text], ", ")
		if len(cells[text]) > 1 && len(cells[text]) == len(t.Rows) {
			who = "all cells"
		}
		notes = append(notes, fmt.Sprintf("%s (%s).", text, who))
	}
	return notes
}

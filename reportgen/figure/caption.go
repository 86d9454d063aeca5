package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// source says of what the numbers are, at the end of every caption.
func source(run *results.Run) string {
	s := ""
	if run.System != "" {
		s = " Measured with " + render.Clean(run.System)
		if run.Cluster != "" {
			s += " on " + render.Clean(run.Cluster)
		}
		s += "."
	}
	if run.Recording != "" {
		s += " " + render.Clean(run.Recording) + "."
	}
	return s
}

// repsOf says how many reps cells have: "3 reps", "2 to 3 reps".
func (s *study) repsOf() string {
	var counts []int
	for _, c := range s.cells {
		if n := len(c.used); n > 0 {
			counts = append(counts, n)
		}
	}
	lo, hi := slices.Min(counts), slices.Max(counts)
	switch {
	case hi == 1:
		return "1 rep"
	case lo == hi:
		return fmt.Sprintf("%d reps", hi)
	}
	return fmt.Sprintf("%d to %d reps", lo, hi)
}

// levels lists the levels of the points' intervals, lowest first: "75 %", "50 % or 75 %".
func levels(points []*Point) string {
	var all []float64
	for _, p := range points {
		if p != nil && p.Level > 0 && !slices.Contains(all, p.Level) {
			all = append(all, p.Level)
		}
	}
	slices.Sort(all)
	var parts []string
	for _, l := range all {
		if text := stats.FormatLevel(l); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " or ")
}

// absentCells names the cells without a value, as a sentence.
func absentCells(names []string) string {
	const few = 6
	switch n := len(names); {
	case n == 0:
		return ""
	case n > few:
		return fmt.Sprintf(" No value: %s and %d more.", strings.Join(names[:few], ", "), n-few)
	}
	return " No value: " + strings.Join(names, ", ") + "."
}

// short writes a number with four significant digits, or all of those before the point.
func short(v float64) string {
	if v == 0 || math.IsNaN(v) {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	decimals := 3 - int(math.Floor(math.Log10(math.Abs(v))))
	if decimals < -6 || decimals > 9 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, decimals), 64)
}

// join lists at most 12 things for a text alternative.
func join(parts []string) string {
	const most = 12
	if n := len(parts); n > most {
		parts = append(slices.Clone(parts[:most]), fmt.Sprintf("and %d more", n-most))
	}
	return strings.Join(parts, "; ")
}

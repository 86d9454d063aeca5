// Package stats turns the reps of a cell into the numbers of a table. As in golang.org/x/perf/benchmath, which does the
// work wherever it can, a number travels with its warnings: what a reader must know before using it.
//
// Nothing here assumes a distribution. The centre of a sample is its median; the interval around it is a pair of order
// statistics, whose coverage follows from counting alone: the true median lies outside [min, max] of n independent reps
// only if all of them fell on one side of it, which happens with probability 2^(1-n). Three reps give 75 %, not 95 %, and
// the interval says so. Two samples are compared by the Mann-Whitney U test.
package stats

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// TargetLevel is the confidence level that an interval has at least, where the sample is large enough for it.
const TargetLevel = 0.95

// TargetReps is the smallest sample whose [min, max] reaches TargetLevel.
const TargetReps = 6

// MethodOrder is the Method of an interval made of two order statistics of the sample.
const MethodOrder = "order statistics"

// A Summary is the centre of a sample and an interval that covers the true median with probability Level.
type Summary struct {
	N        int     // values used; 0: there is no value
	Median   float64 // NaN if N is 0
	Lo, Hi   float64 // NaN if there is no interval
	Level    float64 // the interval's real level, in (0, 1); 0 if there is no interval
	Method   string  // how the interval was made; empty if there is none
	Warnings []string
}

// HasValue reports whether there is a median.
func (s Summary) HasValue() bool { return s.N > 0 }

// HasInterval reports whether there is an interval: from two values on.
func (s Summary) HasInterval() bool { return s.Level > 0 }

// Summarize returns the median of values and its interval at TargetLevel, or at the highest level that so few values can
// give. The interval is that of benchstat; for some n it is not symmetric (of 8 values: the first and the seventh). It does
// not change values. NaN and infinite values are left out, with a warning.
func Summarize(values []float64) Summary {
	s := Median(values)
	finite, _ := finiteOnly(values)
	switch s.N {
	case 0:
		return s
	case 1:
		s.Warnings = append(s.Warnings, "n=1: no interval")
		return s
	}
	level := min(TargetLevel, RangeLevel(s.N))
	// The level is a sum of rounded terms there, on some machines a bit short of the exact one: ask for a trifle less, or
	// [min, max] could miss it and become infinite.
	got := benchmath.AssumeNothing.Summary(benchmath.NewSample(finite, &benchmath.DefaultThresholds), level-1e-9)
	s.Lo, s.Hi, s.Level, s.Method = got.Lo, got.Hi, got.Confidence, MethodOrder
	s.Warnings = append(s.Warnings, intervalWarnings(finite, s.Level)...)
	return s
}

// Median returns the median of values alone, without an interval and what there is to say about one.
func Median(values []float64) Summary {
	finite, warnings := finiteOnly(values)
	s := Summary{N: len(finite), Median: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), Warnings: warnings}
	if s.N > 0 {
		s.Median = benchmath.AssumeNothing.Summary(benchmath.NewSample(finite, &benchmath.DefaultThresholds), 0).Center
	}
	return s
}

// RangeLevel returns the probability that [min, max] of n independent values covers the true median: 1 - 2^(1-n).
func RangeLevel(n int) float64 {
	if n < 2 {
		return 0
	}
	return 1 - math.Exp2(float64(1-n))
}

// FormatLevel writes a level as it is printed everywhere: 75 %, 87.5 %, 96.9 %.
func FormatLevel(level float64) string {
	return fmt.Sprintf("%v %%", math.Round(level*1000)/10)
}

// finiteOnly returns a sorted copy of the values without NaN and infinities, and says how many it left out.
func finiteOnly(values []float64) (finite []float64, warnings []string) {
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			finite = append(finite, v)
		}
	}
	slices.Sort(finite)
	if out := len(values) - len(finite); out > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d values not finite (NaN or Inf): left out", out, len(values)))
	}
	return finite, warnings
}

func intervalWarnings(sorted []float64, level float64) []string {
	var w []string
	if level < TargetLevel {
		w = append(w, fmt.Sprintf("n=%d: the interval's level is %s, a %s interval needs %d reps",
			len(sorted), FormatLevel(level), FormatLevel(TargetLevel), TargetReps))
	}
	if hasTies(sorted) {
		w = append(w, "equal values among the reps: the interval's level is a lower bound")
	}
	return w
}

func hasTies(sorted []float64) bool {
	return len(slices.Compact(slices.Clone(sorted))) < len(sorted)
}

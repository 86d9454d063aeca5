package stats

import (
	"fmt"
	"math"
)

// An AA is the verdict on a cell that was measured twice under two names.
type AA struct {
	Delta Delta   // of the repetition to the cell
	Floor float64 // percent: effects up to it are not told from noise; NaN if nothing can be said
}

// JudgeAA compares a cell's values with those of its repetition. Nothing was changed between them, so what differs is noise.
// The noise floor is the end of the interval of that difference that is further from 0: two measurements of one
// configuration may differ by so much, at that interval's level. Where there is no interval it is the difference itself.
func JudgeAA(cell, repetition []float64) AA {
	aa := AA{Delta: Compare(cell, repetition), Floor: math.NaN()}
	switch d := aa.Delta; {
	case d.HasInterval():
		aa.Floor = max(math.Abs(d.Lo), math.Abs(d.Hi))
	case d.HasValue():
		aa.Floor = math.Abs(d.Percent)
	}
	return aa
}

// HasFloor reports whether there is a noise floor.
func (a AA) HasFloor() bool { return !math.IsNaN(a.Floor) }

// Hides reports whether an effect, in percent, is within the noise floor.
func (a AA) Hides(percent float64) bool { return a.HasFloor() && math.Abs(percent) <= a.Floor }

// Warnings are the doubts about the whole table: its cells were measured under conditions that were not the same.
func (a AA) Warnings() []string {
	if a.Delta.Significant() {
		return []string{fmt.Sprintf("the same cell, measured twice, differs (%s): something besides the cells changed during the run", equation(a.Delta.P))}
	}
	return nil
}

package figure

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

var cnCell = regexp.MustCompile(`^cn([1-9][0-9]{0,3})$`)

// scaleOut makes the line of committed throughput over the number of compute nodes, if the cells are cn1, cn4, ….
func (s *study) scaleOut(set *Set) {
	chart := &Lines{X: Axis{Label: "compute nodes"}, Y: Axis{Label: "committed (KOPS)"}, Cols: 1}
	medians := Series{Name: "median", Look: 0}
	reps := Series{Name: "single rep", Look: LookSpots}
	var alt []string
	cells := 0
	for _, c := range s.cells {
		if c.aa {
			continue
		}
		m := cnCell.FindStringSubmatch(c.cell.Name)
		if m == nil {
			return
		}
		cells++
		n, _ := strconv.ParseFloat(m[1], 64)
		bar := c.bar("commit_kops", chart.Y)
		if bar.Median == nil {
			continue
		}
		bar.Median.X = n
		medians.Points = append(medians.Points, *bar.Median)
		for _, r := range bar.Reps {
			r.X = n
			reps.Points = append(reps.Points, r)
		}
		alt = append(alt, c.label+" "+shortInterval(bar.Median))
	}
	if cells == 0 {
		return
	}
	name := s.slug + "_line"
	switch len(medians.Points) {
	case 0:
		set.miss(s.exp.Name, name, "no log of %s has commit_kops", label(s.exp.Name))
		return
	case 1:
		set.miss(s.exp.Name, name, "%s has throughput for one number of compute nodes only", label(s.exp.Name))
		return
	}
	slices.SortFunc(medians.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	first, last := medians.Points[0], medians.Points[len(medians.Points)-1]
	linear := Series{Name: "linear", Look: LookCompare, Points: []Point{first, {X: last.X, Y: first.Y * last.X / first.X, Origins: first.Origins}}}
	linear.Points[0].Level = 0
	chart.Panels = []Panel{{Series: []Series{linear, medians, reps}}}
	chart.Keys = []Key{{"median", 0}, {"single rep", LookSpots}, {"linear", LookCompare}}
	f := s.figure(name, "Throughput over the number of compute nodes", chart, false)
	f.Caption = fmt.Sprintf("Committed throughput over the number of compute nodes: medians of %s, circles the single reps; the dotted line scales the smallest configuration linearly.", s.repsOf())
	if l := levels([]*Point{&first, &last}); l != "" {
		f.Caption += " Intervals are order-statistic intervals of the median at " + l + "."
	}
	f.Caption += source(s.run)
	f.Alt = "Line of committed KOPS over compute nodes: " + join(alt) + "."
	set.add(f)
}

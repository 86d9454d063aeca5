package figure

import (
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestMarks checks which points of a line get a mark.
func TestMarks(t *testing.T) {
	line, _ := Look(0).styles()
	none, _ := LookSpots.styles()
	check := func(look Look, points, place int, width vg.Length, every, offset int) {
		t.Helper()
		u := &curve{series: &Series{Look: look, Points: make([]Point, points)}, place: place, of: 4}
		sty := line
		if look == LookSpots {
			sty = none
		}
		if e, o := u.markEvery(sty, width); e != every || o != offset {
			t.Errorf("%d points on %v: every %d from %d, want %d from %d", points, width, e, o, every, offset)
		}
	}
	check(0, 1, 0, 216, 1, 0)
	check(0, 24, 3, 100, 1, 0)
	check(0, 120, 0, 216, 10, 0)
	check(0, 120, 3, 216, 10, 7)
	check(0, 120, 3, 90, 24, 18)
	check(0, 120, 3, 1, 60, 45)
	check(LookSpots, 120, 0, 216, 1, 0)
}

// TestThin checks that a long line keeps its peaks and its ends.
func TestThin(t *testing.T) {
	points := make([]vg.Point, 100_000)
	for i := range points {
		points[i] = vg.Point{X: vg.Length(i) / 1000, Y: 5}
	}
	points[777].Y, points[50_001].Y = -3, 90
	kept := thin(points)
	if len(kept) > 2000 || kept[0] != points[0] || kept[len(kept)-1] != points[len(points)-1] {
		t.Errorf("%d points, from %v to %v", len(kept), kept[0], kept[len(kept)-1])
	}
	y := noSpan()
	for i, p := range kept {
		y.add(float64(p.Y))
		if i > 0 && p.X < kept[i-1].X {
			t.Fatalf("%v behind %v", p, kept[i-1])
		}
	}
	if y != (span{-3, 90}) {
		t.Errorf("from %v to %v", y.lo, y.hi)
	}
	if few := points[:2000]; len(thin(few)) != len(few) {
		t.Error("a short line was thinned")
	}
}

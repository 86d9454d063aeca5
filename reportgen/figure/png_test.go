package figure

import (
	"image"
	"math"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// inkOf returns where an image is darker than half, in points from the lower left corner.
func inkOf(img image.Image) (x, y span) {
	x, y = noSpan(), noSpan()
	const dot = 72.0 / dotsPerInch
	b := img.Bounds()
	for j := b.Min.Y; j < b.Max.Y; j++ {
		for i := b.Min.X; i < b.Max.X; i++ {
			if r, _, _, a := img.At(i, j).RGBA(); a > 0x8000 && r < 0x8000 {
				x.add(float64(i) * dot)
				y.add(float64(b.Max.Y-1-j) * dot)
			}
		}
	}
	return x, y
}

// TestTextOfPNG checks where the outlines of letters are, upright and turned: HH, whose H are as wide as the font says.
func TestTextOfPNG(t *testing.T) {
	const size = vg.Length(20)
	face := fonts().Cache().Lookup(font.From(sans, size), size)
	width := float64(face.Width("HH"))
	check := func(name string, rotation float64, want [4]float64) {
		t.Helper()
		c := newPNG(72, 72)
		c.SetColor(ink)
		c.Translate(vg.Point{X: 30, Y: 20})
		c.Rotate(rotation)
		c.FillString(face, vg.Point{}, "HH")
		x, y := inkOf(c.Image())
		for i, got := range []float64{x.lo, x.hi, y.lo, y.hi} {
			if math.Abs(got-want[i]) > 2 {
				t.Errorf("%s: ink from %.1f to %.1f and %.1f to %.1f, want %v", name, x.lo, x.hi, y.lo, y.hi, want)
				return
			}
		}
	}
	const capitals = 14.0 // points of a capital of 20 points
	check("upright", 0, [4]float64{30 + 1, 30 + width - 1, 20, 20 + capitals})
	check("turned", math.Pi/2, [4]float64{30 - capitals, 30, 20 + 1, 20 + width - 1})
}

package figure

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// A frame is a rotated and moved coordinate system.
type frame struct{ at, x, y vg.Point }

func (f frame) to(p vg.Point) vg.Point {
	return f.at.Add(f.x.Scale(p.X)).Add(f.y.Scale(p.Y))
}

// A textBox is a piece of text on the page: its corners in order.
type textBox struct {
	text    string
	size    vg.Length
	corners [4]vg.Point
}

// textCanvas draws nothing, and keeps where text stands.
type textCanvas struct {
	width, height vg.Length
	stack         []frame
	boxes         []textBox
}

func newTextCanvas(width, height vg.Length) *textCanvas {
	return &textCanvas{width: width, height: height, stack: []frame{{x: vg.Point{X: 1}, y: vg.Point{Y: 1}}}}
}

func (c *textCanvas) top() *frame                                  { return &c.stack[len(c.stack)-1] }
func (c *textCanvas) Size() (x, y vg.Length)                       { return c.width, c.height }
func (c *textCanvas) SetLineWidth(vg.Length)                       {}
func (c *textCanvas) SetLineDash(pattern []vg.Length, o vg.Length) {}
func (c *textCanvas) SetColor(color.Color)                         {}
func (c *textCanvas) Stroke(vg.Path)                               {}
func (c *textCanvas) Fill(vg.Path)                                 {}
func (c *textCanvas) DrawImage(vg.Rectangle, image.Image)          {}
func (c *textCanvas) Push()                                        { c.stack = append(c.stack, *c.top()) }
func (c *textCanvas) Pop()                                         { c.stack = c.stack[:len(c.stack)-1] }
func (c *textCanvas) Translate(p vg.Point)                         { c.top().at = c.top().to(p) }

func (c *textCanvas) Scale(x, y float64) {
	c.top().x, c.top().y = c.top().x.Scale(vg.Length(x)), c.top().y.Scale(vg.Length(y))
}

func (c *textCanvas) Rotate(rad float64) {
	f, sin, cos := *c.top(), vg.Length(math.Sin(rad)), vg.Length(math.Cos(rad))
	c.top().x, c.top().y = f.x.Scale(cos).Add(f.y.Scale(sin)), f.y.Scale(cos).Sub(f.x.Scale(sin))
}

// FillString keeps the box from the base line to the height of capitals.
func (c *textCanvas) FillString(face font.Face, at vg.Point, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	const capitals = 0.73
	w, h := face.Width(text), face.Font.Size*capitals
	b := textBox{text: text, size: face.Font.Size}
	for i, p := range []vg.Point{{}, {X: w}, {X: w, Y: h}, {Y: h}} {
		b.corners[i] = c.top().to(at.Add(p))
	}
	c.boxes = append(c.boxes, b)
}

// apart reports whether a line along a side of b separates it from the other box.
func (b textBox) apart(other textBox) bool {
	for i := range 2 {
		axis := b.corners[i+1].Sub(b.corners[i])
		mine, others := noSpan(), noSpan()
		for j := range 4 {
			mine.add(float64(axis.X*b.corners[j].X + axis.Y*b.corners[j].Y))
			others.add(float64(axis.X*other.corners[j].X + axis.Y*other.corners[j].Y))
		}
		if mine.hi < others.lo || others.hi < mine.lo {
			return true
		}
	}
	return false
}

// layout lists what is wrong with the text of a figure: off the page, too small, or on other text.
func layout(f *Figure) []string {
	s := f.Chart.sheet()
	c := newTextCanvas(widthOf(f.Wide), s.height())
	s.draw(draw.New(c))
	var wrong []string
	for i, b := range c.boxes {
		for _, p := range b.corners {
			if p.X < -0.5 || p.Y < -0.5 || p.X > c.width+0.5 || p.Y > c.height+0.5 {
				wrong = append(wrong, fmt.Sprintf("%q is off the page at %.1f, %.1f", b.text, p.X, p.Y))
				break
			}
		}
		if b.size < smallSize {
			wrong = append(wrong, fmt.Sprintf("%q has %v points", b.text, b.size))
		}
		for _, other := range c.boxes[:i] {
			if !b.apart(other) && !other.apart(b) {
				wrong = append(wrong, fmt.Sprintf("%q is on %q", b.text, other.text))
			}
		}
	}
	if len(c.boxes) == 0 {
		wrong = append(wrong, "there is no text")
	}
	return wrong
}

// TestLayout draws every kind of figure, and those of few and many cells with short and long names, and looks where text
// stands.
func TestLayout(t *testing.T) {
	check := func(name string, set *Set) {
		t.Helper()
		for i := range set.Figures {
			if wrong := layout(&set.Figures[i]); len(wrong) > 0 {
				t.Errorf("%s, %s: %s", name, set.Figures[i].Name, strings.Join(wrong[:min(4, len(wrong))], "; "))
			}
		}
	}
	check("whole run", figuresOf(t, wholeRun(t)))
	for _, cells := range []int{2, 3, 5, 8, 9, 13, 24, 48} {
		for _, name := range []string{"c%d", "cell_number_%d", "a name of %d words with blanks", "%dWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW"} {
			run := &results.Run{Dir: t.TempDir(), Experiments: []results.Experiment{{Name: "step6"}}}
			for i := range cells {
				addCell(t, run, &run.Experiments[0], results.Cell{Name: fmt.Sprintf("c%d", i), Label: fmt.Sprintf(name, i)}, float64(1000+i))
			}
			check(fmt.Sprintf("%d cells %q", cells, name), figuresOf(t, run))
		}
	}
}

// TestLayoutOfSweeps draws sweeps whose modes, benchmarks and pairs have long names.
func TestLayoutOfSweeps(t *testing.T) {
	run := &results.Run{}
	var bench strings.Builder
	for i := range maxSeries {
		name := fmt.Sprintf("%d%s", i, strings.Repeat("W", 40))
		run.SSD = append(run.SSD, results.SSDSweep{Mode: name, Points: []results.SSDPoint{{BlockSize: 4096, Bandwidth: 0.001, LatencyUS: 1, IOPS: 1}, {BlockSize: 1 << 30, Bandwidth: 9e5, LatencyUS: 9e9, IOPS: 9e9}}})
		for _, size := range []int{1, 1 << 30} {
			fmt.Fprintf(&bench, "BenchmarkB%s/pair=%[1]s/size=%d 1 %d B/s 1e-6 sec/op\n", name, size, size*1000)
			fmt.Fprintf(&bench, "BenchmarkB%s/pair=%[1]s 1 1e6 ops/s 1e-6 sec/op\n", name)
		}
	}
	var err error
	if run.Bench, err = results.ReadBench("benchmarks.txt", strings.NewReader(bench.String())); err != nil {
		t.Fatal(err)
	}
	set := figuresOf(t, run)
	if len(set.Figures) != 5 {
		t.Errorf("%d figures, %v", len(set.Figures), set.Missing)
	}
	for i := range set.Figures {
		if wrong := layout(&set.Figures[i]); len(wrong) > 0 {
			t.Errorf("%s: %s", set.Figures[i].Name, strings.Join(wrong[:min(4, len(wrong))], "; "))
		}
	}
}

// TestLayoutFindsFaults gives it a figure whose names overlap.
func TestLayoutFindsFaults(t *testing.T) {
	c := newTextCanvas(100, 100)
	face := fonts().Cache().Lookup(font.From(sans, 7), 7)
	c.FillString(face, vg.Point{X: 10, Y: 10}, "one")
	c.Push()
	c.Translate(vg.Point{X: 12, Y: 5})
	c.Rotate(math.Pi / 2)
	c.FillString(face, vg.Point{X: 0, Y: 0}, "two")
	c.Pop()
	c.FillString(face, vg.Point{X: 10, Y: 30}, "three")
	one, two, three := c.boxes[0], c.boxes[1], c.boxes[2]
	if one.apart(two) || two.apart(one) || !one.apart(three) {
		t.Errorf("%v", c.boxes)
	}
	if top := two.corners[1]; math.Abs(float64(top.X-12)) > 1e-9 || top.Y < 10 {
		t.Errorf("turned text ends at %v", top)
	}
}

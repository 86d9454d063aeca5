package figure

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/sync/errgroup"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Format is a kind of file.
type Format string

// The formats. SVG and PDF carry their font; PNG has 300 dots per inch.
const (
	PDF Format = "pdf"
	SVG Format = "svg"
	PNG Format = "png"
)

// Formats are all formats, in the order in which WriteDir writes them.
var Formats = []Format{PDF, SVG, PNG}

const dotsPerInch = 300

// PDFs carry a date, and list what they hold in the order of a map, unless the writer is told otherwise. It can be told
// only for the whole program.
func init() {
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	fpdf.SetDefaultCreationDate(epoch)
	fpdf.SetDefaultModificationDate(epoch)
	fpdf.SetDefaultCatalogSort(true)
}

// Write writes the figure as a file of that format. It fails only if w does.
func (f *Figure) Write(w io.Writer, format Format) error {
	switch format {
	case PDF:
		return f.draw(w, func(width, height vg.Length) vg.CanvasWriterTo { return pdfCanvas{vgpdf.New(width, height)} })
	case SVG:
		head, body, err := f.svg()
		if err != nil {
			return err
		}
		_, err = w.Write(append(head, body...))
		return err
	case PNG:
		return f.draw(w, func(width, height vg.Length) vg.CanvasWriterTo { return newPNG(width, height) })
	}
	return fmt.Errorf("no format %q", format)
}

// draw draws the figure on a new canvas and writes it.
func (f *Figure) draw(w io.Writer, canvas func(width, height vg.Length) vg.CanvasWriterTo) error {
	s := f.Chart.sheet()
	width := vg.Length(columnWidth)
	if f.Wide {
		width = pageWidth
	}
	c := canvas(width, s.height())
	s.draw(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// svg draws the figure as SVG and gives it a title and a description. head is what stands before the element.
func (f *Figure) svg() (head, body []byte, err error) {
	var out bytes.Buffer
	err = f.draw(&out, func(width, height vg.Length) vg.CanvasWriterTo {
		return vgsvg.NewWith(vgsvg.UseWH(width, height), vgsvg.EmbedFonts(true))
	})
	if err != nil {
		return nil, nil, err
	}
	head, body, found := bytes.Cut(out.Bytes(), []byte("<svg "))
	open, rest, closed := bytes.Cut(body, []byte(">"))
	if !found || !closed {
		return nil, nil, fmt.Errorf("%s: the SVG has no <svg>", f.Name)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg role=\"img\" %s>\n<title>%s</title>\n<desc>%s</desc>", open, html.EscapeString(drawable(f.Title)), html.EscapeString(drawable(f.Alt)))
	b.Write(rest)
	return bytes.Clone(head), b.Bytes(), nil
}

// InlineSVG returns the figure as an <svg> element to stand in an HTML page.
func (f *Figure) InlineSVG() ([]byte, error) {
	_, body, err := f.svg()
	return body, err
}

// pdfCanvas gives a PDF its text in the character set that its font is embedded for.
type pdfCanvas struct{ *vgpdf.Canvas }

// FillString draws text at a point.
func (c pdfCanvas) FillString(face font.Face, at vg.Point, s string) {
	encoded := make([]byte, 0, len(s))
	for _, r := range drawable(s) {
		b, _ := charset.EncodeRune(r)
		encoded = append(encoded, b)
	}
	c.Canvas.FillString(face, at, string(encoded))
}

// WriteDir writes every figure in every format, and its data as CSV, to dir, which is made if it is missing. It returns the
// names of the files.
func WriteDir(dir string, figures []Figure) ([]string, error) {
	for i, f := range figures {
		if slices.ContainsFunc(figures[:i], func(other Figure) bool { return other.Name == f.Name }) {
			return nil, fmt.Errorf("two figures would share the files %s.*", f.Name)
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var names []string
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range figures {
		f := &figures[i]
		write := func(extension string, to func(io.Writer) error) {
			name := filepath.Join(dir, f.Name+"."+extension)
			names = append(names, name)
			g.Go(func() error {
				var out bytes.Buffer
				if err := to(&out); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				return os.WriteFile(name, out.Bytes(), 0o666)
			})
		}
		for _, format := range Formats {
			write(string(format), func(w io.Writer) error { return f.Write(w, format) })
		}
		write("csv", f.WriteData)
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return names, nil
}

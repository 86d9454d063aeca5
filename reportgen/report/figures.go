package report

import (
	"fmt"
	"io"
	"path"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/gotestbed/gotestbed/reportgen/figure"
	"github.com/gotestbed/gotestbed/reportgen/render"
)

// A Figure is a figure with its place in the report.
type Figure struct {
	*figure.Figure
	Dir string // where its files are, below the report's directory
	SVG []byte // an svg element to stand in HTML
}

// figures are those of an experiment, or those without one whose name begins with the prefix.
func (b *builder) figures(experiment, prefix string) []Block {
	if b.Figures == nil {
		return nil
	}
	mine := func(name, of string) bool { return of == experiment && strings.HasPrefix(name, prefix) }
	var blocks []Block
	for i := range b.Figures.Figures {
		if f := &b.Figures.Figures[i]; mine(f.Name, f.Experiment) {
			b.report.Figures = append(b.report.Figures, &Figure{Figure: f})
			blocks = append(blocks, Block{Figure: b.report.Figures[len(b.report.Figures)-1]})
		}
	}
	var missing []string
	for _, m := range b.Figures.Missing {
		if mine(m.Name, m.Experiment) {
			missing = append(missing, fmt.Sprintf("No figure %s: %s", m.Name, sentence(m.Reason)))
		}
	}
	return append(blocks, list("", Notes, missing)...)
}

// drawFigures draws every figure for the page, several at a time.
func (r *Report) drawFigures() error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range r.Figures {
		g.Go(func() (err error) {
			f.SVG, err = f.InlineSVG()
			return err
		})
	}
	return g.Wait()
}

// WriteLaTeX writes the figure as a float with the label fig:<name>; the document needs \usepackage{graphicx} and finds the
// PDF beside the text.
func (f *Figure) WriteLaTeX(w io.Writer) error {
	env, width := "figure", `\columnwidth`
	if f.Wide {
		env, width = "figure*", `\textwidth`
	}
	_, err := fmt.Fprintf(w, "%% Made by reportgen. Needs \\usepackage{graphicx}.\n\\begin{%s}[t]\n  \\centering\n  \\includegraphics[width=%s]{%s}\n  \\caption{%s}\n  \\label{fig:%s}\n\\end{%s}\n",
		env, width, path.Join(f.Dir, f.Name+".pdf"), render.EscapeLaTeX(f.Caption), f.Name, env)
	return err
}

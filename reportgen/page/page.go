// Package page writes small documents, tables with what must be known before and after them, in Markdown, LaTeX and HTML: the
// comparisons of runs and the verdicts on claims. Texts are plain; each format escapes them.
package page

import (
	"bytes"
	_ "embed" // of the page
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/gotestbed/gotestbed/reportgen/render"
)

// A Document is a title, what holds for all of it, and sections.
type Document struct {
	Title    string
	Intro    []string
	Sections []Section
}

// A Section is a table with its notes, and the items that stand before it. Each part may be missing.
type Section struct {
	Title  string
	Items  []string
	Grid   *render.Grid
	Narrow *render.Grid     // what LaTeX has room for; nil: Grid
	Badges map[string]Badge // how a cell with exactly that text is coloured in HTML
}

// A Badge is a colour with a meaning. It is never the only thing that says it.
type Badge string

// The badges.
const (
	Good  Badge = "good"
	Bad   Badge = "bad"
	Doubt Badge = "doubt"
)

// Formats are the names that Write knows.
var Formats = []string{"markdown", "latex", "html"}

// Write writes the document in one of Formats.
func (d *Document) Write(w io.Writer, format string) error {
	switch format {
	case "markdown":
		return d.writeMarkdown(w)
	case "latex":
		return d.writeLaTeX(w)
	case "html":
		return d.writeHTML(w)
	}
	return fmt.Errorf("format %q: only %v", format, Formats)
}

func (d *Document) writeMarkdown(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n", render.EscapeMarkdown(d.Title))
	if err := items(&out, d.Intro); err != nil {
		return err
	}
	for _, s := range d.Sections {
		fmt.Fprintf(&out, "\n## %s\n", render.EscapeMarkdown(s.Title))
		if err := items(&out, s.Items); err != nil {
			return err
		}
		if s.Grid == nil {
			continue
		}
		out.WriteString("\n")
		if err := s.Grid.WriteMarkdown(&out); err != nil {
			return err
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// items writes a list after a blank line, nothing if it is empty.
func items(out *bytes.Buffer, list []string) error {
	if len(list) == 0 {
		return nil
	}
	out.WriteString("\n")
	return render.WriteItems(out, list)
}

// writeLaTeX writes the tables as floats. What stands before a table goes before its notes: a float takes it along.
func (d *Document) writeLaTeX(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%% %s\n", render.Clean(d.Title))
	for _, text := range d.Intro {
		fmt.Fprintf(&out, "%% %s\n", render.Clean(text))
	}
	for _, s := range d.Sections {
		out.WriteString("\n")
		if s.Grid == nil {
			latexList(&out, s)
			continue
		}
		g := *s.Grid
		if s.Narrow != nil {
			g = *s.Narrow
		}
		g.Notes = slices.Concat(s.Items, g.Notes)
		if err := g.WriteLaTeX(&out); err != nil {
			return err
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

func latexList(out *bytes.Buffer, s Section) {
	if len(s.Items) == 0 {
		return
	}
	fmt.Fprintf(out, "\\paragraph{%s}\n\\begin{itemize}\n", render.EscapeLaTeX(s.Title))
	for _, item := range s.Items {
		fmt.Fprintf(out, "  \\item %s\n", render.EscapeLaTeX(item))
	}
	out.WriteString("\\end{itemize}\n")
}

//go:embed page.html.tmpl
var pageText string

// writeHTML writes one page that loads nothing, and whose policy forbids the browser to.
func (d *Document) writeHTML(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"clean": render.Clean,
		"right": func(g *render.Grid, column int) bool { return g.Right >= 0 && column >= g.Right },
	}).Parse(pageText)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, d); err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

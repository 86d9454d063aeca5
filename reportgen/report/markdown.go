package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path"

	"github.com/gotestbed/gotestbed/reportgen/render"
)

// WriteMarkdown writes the report for GitHub; figures are the files <name>.svg beside it.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n", render.EscapeMarkdown(r.Title))
	for i := range r.Sections {
		if err := r.Sections[i].writeMarkdown(&out, r.Sections[i].Dir); err != nil {
			return err
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// writeMarkdown writes a section whose files lie in dir, as seen from where the text will stand.
func (s *Section) writeMarkdown(out *bytes.Buffer, dir string) error {
	fmt.Fprintf(out, "\n## %s\n\n", render.EscapeMarkdown(s.Heading()))
	if s.Source != "" {
		fmt.Fprintf(out, "*From %s.*\n\n", render.EscapeMarkdown(s.Source))
	}
	if s.Warning != "" {
		fmt.Fprintf(out, "> %s\n\n", render.EscapeMarkdown(sentence(capital(s.Kind+": "+s.Warning))))
	}
	for i, b := range s.Blocks {
		if i > 0 {
			out.WriteByte('\n')
		}
		if err := b.writeMarkdown(out, dir); err != nil {
			return err
		}
	}
	return nil
}

// Heading is the section's title with its place in a paper.
func (s *Section) Heading() string {
	if s.Place == "" {
		return s.Title
	}
	return s.Place + " " + s.Title
}

func (b *Block) writeMarkdown(out *bytes.Buffer, dir string) error {
	switch {
	case b.Table != nil:
		if b.Table.Title != "" {
			fmt.Fprintf(out, "**%s**\n\n", render.EscapeMarkdown(b.Table.Title))
		}
		return b.Table.grid(nil).WriteMarkdown(out)
	case b.List != nil:
		if b.List.Title != "" {
			fmt.Fprintf(out, "**%s**\n\n", render.EscapeMarkdown(b.List.Title))
		}
		return render.WriteItems(out, b.List.Items)
	case b.Figure != nil:
		fmt.Fprintf(out, "![%s](%s.svg)\n\n*%s*\n", render.EscapeMarkdown(b.Figure.Alt), path.Join(dir, b.Figure.Name), render.EscapeMarkdown(b.Figure.Caption))
	default:
		return render.WriteParagraph(out, b.Text)
	}
	return nil
}

// grid is the table without what only HTML shows.
func (t *Table) grid(notes []string) *render.Grid {
	return &render.Grid{Title: cmp.Or(t.Title, t.Float), Label: t.ID, Head: t.Head, Rows: t.texts(), Right: t.Right, Wrap: t.Wrap, Notes: notes}
}

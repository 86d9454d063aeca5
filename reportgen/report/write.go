package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/figure"
	"github.com/gotestbed/gotestbed/reportgen/render"
)

// A file is what is written under a name, relative to the report's directory.
type file struct {
	name  string
	write func(w io.Writer) error
}

// WriteDir writes the report to dir, which is made if it is missing, and returns the names of the files: report.md,
// report.html and macros.tex, and for each section files that are named after what they hold. A section that an earlier run
// has as well goes to a directory below, named after its run.
func (r *Report) WriteDir(dir string) ([]string, error) {
	contents := map[string]*bytes.Buffer{}
	var names []string
	for _, f := range r.files() {
		if contents[f.name] != nil {
			return nil, fmt.Errorf("two runs of one name would both be written to %s: give one of them", filepath.Join(dir, f.name))
		}
		contents[f.name] = &bytes.Buffer{}
		names = append(names, f.name)
		if err := f.write(contents[f.name]); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(names[i]), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(names[i], contents[name].Bytes(), 0o666); err != nil {
			return nil, err
		}
	}
	tables, err := r.writeTables(dir)
	if err != nil {
		return names, err
	}
	figures, err := r.writeFigures(dir)
	return slices.Concat(names, tables, figures), err
}

// files are the report as a whole, and the parts of it that render does not write.
func (r *Report) files() []file {
	list := []file{{"report.md", r.WriteMarkdown}, {"report.html", r.WriteHTML}, {"macros.tex", r.WriteMacros}}
	for i := range r.Sections {
		s := &r.Sections[i]
		name := filepath.Join(s.Dir, s.File)
		switch s.File {
		case "setup", "limits":
			list = append(list, file{name + ".md", s.WriteMarkdown}, file{name + ".tex", s.WriteLaTeX})
		case "sanity", "micro", "ssd":
			list = append(list, file{name + ".md", s.WriteMarkdown})
			for _, b := range s.Blocks {
				if b.Table != nil {
					g := b.Table.grid(s.notes())
					base := filepath.Join(s.Dir, b.Table.File)
					list = append(list, file{base + ".csv", g.WriteCSV}, file{base + ".tex", g.WriteLaTeX})
				}
			}
		}
	}
	for _, f := range r.Figures {
		list = append(list, file{filepath.Join(f.Dir, f.Name+".tex"), f.WriteLaTeX})
	}
	return list
}

// writeFigures writes the figures, one directory after the other.
func (r *Report) writeFigures(dir string) ([]string, error) {
	var names, dirs []string
	figures := map[string][]figure.Figure{}
	for _, f := range r.Figures {
		if figures[f.Dir] == nil {
			dirs = append(dirs, f.Dir)
		}
		figures[f.Dir] = append(figures[f.Dir], *f.Figure)
	}
	for _, sub := range dirs {
		files, err := figure.WriteDir(filepath.Join(dir, sub), figures[sub])
		if err != nil {
			return names, err
		}
		names = append(names, files...)
	}
	return names, nil
}

// writeTables writes the tables of the experiments in the formats of render, one directory after the other.
func (r *Report) writeTables(dir string) ([]string, error) {
	var names, dirs []string
	tables := map[string][]*render.Table{}
	for _, t := range r.Tables {
		if tables[t.Dir] == nil {
			dirs = append(dirs, t.Dir)
		}
		tables[t.Dir] = append(tables[t.Dir], t.Table)
	}
	for _, sub := range dirs {
		files, err := render.WriteDir(filepath.Join(dir, sub), tables[sub])
		if err != nil {
			return names, err
		}
		names = append(names, files...)
	}
	return names, nil
}

// WriteMarkdown writes the section alone.
func (s *Section) WriteMarkdown(w io.Writer) error {
	var out bytes.Buffer
	if err := s.writeMarkdown(&out, ""); err != nil {
		return err
	}
	_, err := w.Write(bytes.TrimLeft(out.Bytes(), "\n"))
	return err
}

// WriteLaTeX writes the paragraphs and lists of the section: text to be pasted, without a heading.
func (s *Section) WriteLaTeX(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%% Made by reportgen: %s. %s\n", render.Clean(s.Heading()), render.Clean(s.Source))
	for _, b := range s.Blocks {
		if b.Text != "" {
			fmt.Fprintf(&out, "%s\n\n", render.EscapeLaTeX(b.Text))
		}
		if b.List != nil {
			out.WriteString("\\begin{itemize}\n")
			for _, item := range b.List.Items {
				fmt.Fprintf(&out, "  \\item %s\n", render.EscapeLaTeX(item))
			}
			out.WriteString("\\end{itemize}\n")
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// notes are the items of the section's lists, for below its tables.
func (s *Section) notes() []string {
	var notes []string
	if s.Warning != "" {
		notes = append(notes, sentence(capital(s.Kind+": "+s.Warning)))
	}
	for _, b := range s.Blocks {
		if b.List != nil {
			notes = append(notes, b.List.Items...)
		}
	}
	return notes
}

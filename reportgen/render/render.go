// Package render writes the table of an experiment: Markdown for the terminal and the repository, CSV for further work,
// LaTeX for the paper, and Go benchmark text for benchstat. A Table is made once, by NewTable; every format prints the
// same cells, the same numbers and the same notes, and the same table always gives the same bytes.
//
// Text that came from logs or test code (labels, reasons, questions) is never trusted. Terminal escape sequences are cut
// out, control characters become U+FFFD, and what remains is escaped for its format. In CSV a text that a spreadsheet
// would take for a formula gets a leading apostrophe: the label +a1 is written '+a1, its cell's name a1 stays as it is.
package render

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A Format is one way to write a table.
type Format interface {
	// File returns the name of the file for an experiment whose name is safe in file names. Tables that share a name share
	// the file.
	File(experiment string) string
	// Write writes the table. It fails only if w does.
	Write(w io.Writer, t *Table) error
}

// Formats are all formats, in the order in which WriteDir writes their files.
var Formats = []Format{Markdown{}, CSV{}, MetricsCSV{}, AttemptsCSV{}, FaultsCSV{}, LaTeX{}, Bench{}}

// WriteDir writes every table in every format to dir, which is made if it is missing, and returns the names of the files.
func WriteDir(dir string, tables []*Table) ([]string, error) {
	names, files, err := renderAll(tables)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
		if err := os.WriteFile(names[i], files[name].Bytes(), 0o666); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// renderAll renders everything in memory first, so that an error leaves no half-written set.
func renderAll(tables []*Table) (names []string, files map[string]*bytes.Buffer, err error) {
	files = map[string]*bytes.Buffer{}
	seen := map[string]string{}
	for _, t := range tables {
		slug := FileName(t.Experiment)
		if other, ok := seen[slug]; ok {
			return nil, nil, fmt.Errorf("experiments %q and %q would share the files %s.*", other, t.Experiment, slug)
		}
		seen[slug] = t.Experiment
		for _, f := range Formats {
			name := f.File(slug)
			if files[name] == nil {
				files[name] = &bytes.Buffer{}
				names = append(names, name)
			} else {
				files[name].WriteByte('\n')
			}
			if err := f.Write(files[name], t); err != nil {
				return nil, nil, err
			}
		}
	}
	return names, files, nil
}

// FileName makes a name that stays in its directory on every file system.
func FileName(name string) string {
	slug := strings.Map(func(r rune) rune {
		if r < 0x80 && (isAlnum(byte(r)) || strings.ContainsRune("._-", r)) {
			return r
		}
		return '_'
	}, name)
	if slug = strings.TrimLeft(slug, ".-"); slug == "" {
		return "experiment"
	}
	return slug
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// A printer writes until the first error and keeps it.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

package report

import (
	"errors"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/internal/lines"
	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

const (
	maxQuotes  = 50_000 // lines that are quoted of a run; the origins of the others are named only
	quoteChars = 240    // of a line
)

// Quotes holds the text of lines of a run's files.
type Quotes map[results.Origin]string

// ReadQuotes reads the lines of files below dir, cleaned and cut to what a person reads. Files and lines that are not there
// have no quote; the error is an I/O error.
func ReadQuotes(dir string, origins []results.Origin) (Quotes, error) {
	quotes := Quotes{}
	if dir == "" {
		return quotes, nil
	}
	wanted := map[string][]int{}
	for _, o := range origins[:min(len(origins), maxQuotes)] {
		if filepath.IsLocal(filepath.FromSlash(o.File)) {
			wanted[o.File] = append(wanted[o.File], o.Line)
		}
	}
	in := lines.New(strings.NewReader(""))
	for _, file := range slices.Sorted(maps.Keys(wanted)) {
		if err := quotes.read(in, dir, file, wanted[file]); err != nil {
			return nil, err
		}
	}
	return quotes, nil
}

// read adds the wanted lines of one file.
func (q Quotes) read(in *lines.Reader, dir, file string, wanted []int) error {
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(file)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	slices.Sort(wanted)
	in.Reset(f)
	for next := 0; next < len(wanted) && in.Next(); {
		if in.Number() < wanted[next] {
			continue
		}
		if text := in.Bytes(); !in.TooLong() {
			q[results.Origin{File: file, Line: in.Number()}] = cut(render.Clean(string(text[:min(len(text), 16*quoteChars)])))
		}
		for next < len(wanted) && wanted[next] <= in.Number() {
			next++
		}
	}
	return in.Err()
}

func cut(s string) string {
	if r := []rune(s); len(r) > quoteChars {
		return string(r[:quoteChars-1]) + "…"
	}
	return s
}

// line makes a line of a run for a report whose files lie where the path base leads from to the run directory.
func (q Quotes) line(o results.Origin, base string) Line {
	l := Line{Origin: o, Text: q[o]}
	if base == "" || !filepath.IsLocal(filepath.FromSlash(o.File)) {
		return l
	}
	u := url.URL{Path: path.Join(base, o.File)}
	l.Href = u.String()
	if strings.HasPrefix(l.Href, "/") || strings.Contains(strings.SplitN(l.Href, "/", 2)[0], ":") {
		l.Href = "./" + l.Href
	}
	if l.Text != "" {
		// A browser that knows text fragments scrolls to the line.
		l.Href += "#:~:text=" + fragmentEscape.Replace(url.QueryEscape(strings.TrimSuffix(l.Text, "…")))
	}
	return l
}

// fragmentEscape does what a query does not need: a minus has a meaning in text fragments.
var fragmentEscape = strings.NewReplacer("+", "%20", "-", "%2D")

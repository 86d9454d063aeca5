package clusterenv

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	maxSpecSize     = 1 << 20 // bytes; a thousand nodes need a fifth of it
	maxSpecMistakes = 100     // reported one by one
)

// A SyntaxError is one mistake in a cluster file, or in a Spec built in Go, which has no file and no line.
type SyntaxError struct {
	File string
	Line int    // from 1; 0 when unknown
	Path string // of the field, as in nodes[2].address; empty for the file as a whole
	Msg  string // what is wrong, and what is allowed
}

func (e *SyntaxError) Error() string {
	var parts []string
	switch {
	case e.Line > 0:
		parts = append(parts, fmt.Sprintf("%s:%d", e.File, e.Line))
	case e.File != "":
		parts = append(parts, e.File)
	}
	if e.Path != "" {
		parts = append(parts, e.Path)
	}
	return strings.Join(append(parts, e.Msg), ": ")
}

// Load reads a cluster file. Its errors are those of Parse, with path as the name.
func Load(path string) (*Spec, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSpecSize+1))
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads the text of a cluster file, fills the defaults in, and checks the result. All mistakes are reported at once:
// the error is a join of *SyntaxError, in the order of lines; name stands for the file in them.
func Parse(name string, data []byte) (*Spec, error) {
	root, err := parseYAML(name, data)
	if err != nil {
		return nil, err
	}
	spec := &Spec{SSH: SSH{Config: DefaultSSHConfig, Agent: true}}
	m := &mistakes{file: name, lines: make(map[string]int), bad: make(map[string]bool)}
	(&decoder{m}).read(root, "", reflect.ValueOf(spec).Elem())
	spec.check(m)
	if err := m.err(); err != nil {
		return nil, err
	}
	spec.fill()
	return spec, nil
}

// Validate checks a Spec that was built in Go. The error is a join of *SyntaxError without file and line.
func (s *Spec) Validate() error {
	m := &mistakes{}
	s.check(m)
	return m.err()
}

// parseYAML returns the top of the only document in data.
func parseYAML(name string, data []byte) (*yaml.Node, error) {
	if len(data) > maxSpecSize {
		return nil, &SyntaxError{File: name, Msg: fmt.Sprintf("larger than %d bytes: not a cluster file", maxSpecSize)}
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	err := dec.Decode(&doc)
	if err == io.EOF || err == nil && len(doc.Content) == 0 {
		return nil, &SyntaxError{File: name, Msg: "empty; docs/cluster.md has an example"}
	}
	if err != nil {
		return nil, yamlError(name, err)
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, &SyntaxError{File: name, Line: second.Line, Msg: "a second document; a file describes one cluster"}
	case err != io.EOF:
		return nil, yamlError(name, err)
	}
	return doc.Content[0], nil
}

// yamlError takes the line out of an error of package yaml, which reads "yaml: line 3: could not find expected ':'".
func yamlError(name string, err error) error {
	e := &SyntaxError{File: name, Msg: strings.TrimPrefix(err.Error(), "yaml: ")}
	if rest, ok := strings.CutPrefix(e.Msg, "line "); ok {
		number, msg, _ := strings.Cut(rest, ": ")
		if line, err := strconv.Atoi(number); err == nil {
			e.Line, e.Msg = line, msg
		}
	}
	if slices.Contains(parserErrors, e.Msg) {
		e.Line++
		e.Msg += " (look at the list or mapping around this line)"
	}
	e.Msg = "not YAML: " + e.Msg
	return e
}

// parserErrors are errors for which package yaml counts lines from 0, leaves line 0 out, and mostly tells where the
// surrounding list or mapping begins.
var parserErrors = []string{
	"did not find expected ',' or ']'",
	"did not find expected ',' or '}'",
	"did not find expected '-' indicator",
	"did not find expected key",
	"did not find expected node content",
	"did not find expected <document start>",
}

// mistakes collects what is wrong with a Spec, and knows where in the file its fields stand.
type mistakes struct {
	file  string
	lines map[string]int  // path → line, for what the file has; nil for a Spec built in Go
	bad   map[string]bool // paths that could not be read, so that a check of their value is void
	list  []*SyntaxError
	more  int // not in list, of which there are enough
}

func (m *mistakes) addAt(line int, path, format string, args ...any) {
	if len(m.list) == maxSpecMistakes {
		m.more++
		return
	}
	m.list = append(m.list, &SyntaxError{File: m.file, Line: line, Path: path, Msg: fmt.Sprintf(format, args...)})
}

// add reports a mistake at path, unless one was reported there while reading.
func (m *mistakes) add(path, format string, args ...any) {
	if !m.bad[path] {
		m.addAt(m.line(path), path, format, args...)
	}
}

// given tells whether the file has a value at path.
func (m *mistakes) given(path string) bool { return m.lines[path] > 0 }

// line is where path stands, or else the next thing that contains it.
func (m *mistakes) line(path string) int {
	for {
		if line, ok := m.lines[path]; ok || path == "" {
			return line
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
}

// where names a path for use in the message about another.
func (m *mistakes) where(path string) string {
	if line := m.lines[path]; line > 0 {
		return fmt.Sprintf("%s, line %d", path, line)
	}
	return path
}

func (m *mistakes) err() error {
	slices.SortStableFunc(m.list, func(a, b *SyntaxError) int { return cmp.Compare(a.Line, b.Line) })
	var errs []error
	for _, e := range m.list {
		errs = append(errs, e)
	}
	if m.more > 0 {
		errs = append(errs, &SyntaxError{File: m.file, Msg: fmt.Sprintf("and %d more mistakes", m.more)})
	}
	return errors.Join(errs...)
}

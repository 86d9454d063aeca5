package results

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"

	"github.com/gotestbed/gotestbed/reportgen/crestlog"
	"github.com/gotestbed/gotestbed/reportgen/internal/lines"
)

// Bench is Go benchmark text, such as results.txt.
type Bench struct {
	Results []*benchfmt.Result
	Units   benchfmt.UnitMetadataMap
	Valid   []int // lines of results and of unit metadata, without repetition

	Errors      []*crestlog.SyntaxError // the first malformed lines
	ErrorCount  int
	Ignored     []int // the first lines that are neither a result, nor configuration, nor units, nor blank
	IgnoreCount int

	Dropped int   // results of a stream that were too many to keep
	lines   []int // of a stream, the line of each line of the text; else nil

	doubts map[int][]string // comments "# warning: …" by the line of the result that they stand before
}

// Doubts are what the text warns of before a result: comments that begin with "# warning: ".
func (b *Bench) Doubts(res *benchfmt.Result) []string {
	_, line := res.Pos()
	return b.doubts[line]
}

// Origin returns the line that a result was read from.
func (b *Bench) Origin(res *benchfmt.Result) Origin {
	file, line := res.Pos()
	if b.lines != nil && 0 < line && line <= len(b.lines) {
		line = b.lines[line-1]
	}
	return Origin{File: file, Line: line}
}

// maxListed bounds the lists of lines that hold no result.
const maxListed = 1000

// ReadBench reads Go benchmark text. The error is an I/O error; what was read until then is returned with it.
func ReadBench(name string, r io.Reader) (*Bench, error) {
	b := &Bench{doubts: map[int][]string{}}
	src := &benchReader{in: lines.New(r), b: b, name: name}
	in := benchfmt.NewReader(src, name)
	for in.Scan() {
		src.recorded = src.in.Number()
		switch rec := in.Result().(type) {
		case *benchfmt.Result:
			b.Results = append(b.Results, rec.Clone())
			b.valid(src.recorded)
			if src.doubts != nil {
				b.doubts[src.recorded], src.doubts = src.doubts, nil
			}
		case *benchfmt.UnitMetadata:
			b.valid(src.recorded)
		case *benchfmt.SyntaxError:
			b.bad(name, rec.Line, rec.Msg)
		}
	}
	src.settle()
	b.Units = in.Units()
	err := in.Err()
	if src.in.Err() != nil {
		err = src.in.Err()
	}
	if err != nil {
		return b, fmt.Errorf("%s:%d: %w", name, src.in.Number()+1, err)
	}
	return b, nil
}

func (b *Bench) valid(line int) {
	if n := len(b.Valid); n == 0 || b.Valid[n-1] != line {
		b.Valid = append(b.Valid, line)
	}
}

func (b *Bench) bad(name string, line int, msg string) {
	b.ErrorCount++
	if len(b.Errors) < maxListed {
		b.Errors = append(b.Errors, &crestlog.SyntaxError{File: name, Line: line, Msg: msg})
	}
}

// benchReader hands the text to benchfmt one line a Read, so that the line of each record is known, and with it the
// lines that make none. A line that benchfmt's scanner would stop at is replaced by an empty one.
type benchReader struct {
	in       *lines.Reader
	b        *Bench
	name     string
	rest     []byte
	recorded int  // last line that made a record
	silent   bool // the current line may make no record without being ignored
	doubts   []string
}

var doubtPrefix = []byte("# warning: ")

func (r *benchReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		r.settle()
		if !r.in.Next() {
			r.silent = true
			if err := r.in.Err(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		line := r.in.Bytes()
		if r.in.TooLong() || len(line) > maxScanned {
			r.b.bad(r.name, r.in.Number(), fmt.Sprintf("line is longer than %d bytes", maxScanned))
			line = nil
		}
		r.silent = isSilent(line)
		if text, ok := bytes.CutPrefix(line, doubtPrefix); ok && len(r.doubts) < maxListed {
			r.silent = true
			r.doubts = append(r.doubts, clip(string(bytes.TrimSpace(text)), maxTailLine))
		}
		r.rest = append(bytes.Clone(line), newline...)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// settle notes the line before as ignored if it made no record.
func (r *benchReader) settle() {
	if r.silent || r.in.Number() == 0 || r.recorded == r.in.Number() {
		return
	}
	r.silent = true
	r.b.IgnoreCount++
	if len(r.b.Ignored) < maxListed {
		r.b.Ignored = append(r.b.Ignored, r.in.Number())
	}
}

// isSilent reports whether a line has a meaning without making a record: a blank line, a configuration line `key:
// value`, units already known, and the name that `go test -v` prints before a benchmark runs.
func isSilent(line []byte) bool {
	line = bytes.TrimRight(line, "\r")
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return true
	case bytes.HasPrefix(line, []byte("Unit ")):
		return true
	case bytes.HasPrefix(line, []byte("Benchmark")):
		return bytes.IndexFunc(line, unicode.IsSpace) < 0
	}
	i := bytes.IndexByte(line, ':')
	if first, _ := utf8.DecodeRune(line); i <= 0 || !unicode.IsLower(first) {
		return false
	}
	if bytes.IndexFunc(line[:i], func(c rune) bool { return unicode.IsSpace(c) || unicode.IsUpper(c) }) >= 0 {
		return false
	}
	return i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t'
}

package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"gotest.tools/gotestsum/testjson"

	"github.com/gotestbed/gotestbed/reportgen/internal/lines"
)

// Events is what a `go test -json` stream says.
type Events struct {
	Tests TestSummary
	Runs  []*Run // the runs that the tests' attributes tell of, in the order in which they appear
	Bench *Bench // the benchmarks' results; nil if there are none
}

// ReadEvents reads a `go test -json` stream, or several behind each other. The runs are made of attributes alone, so the
// stream may have been kept without the run directory. Lines that are no events are counted and passed over. Memory does not
// grow with what the tests print. The error is an I/O error; what was read until then is returned with it.
func ReadEvents(name string, r io.Reader) (*Events, error) {
	c := newCollector()
	src := &eventReader{in: lines.New(r), c: c}
	_, err := testjson.ScanTestOutput(testjson.ScanConfig{Stdout: src, Handler: c, IgnoreNonJSONOutputLines: true})
	c.finish()
	events := &Events{Tests: c.summary(), Runs: c.runs(name), Bench: c.benchmarks.bench(name)}
	if readErr := src.in.Err(); readErr != nil {
		err = readErr
	}
	if err != nil {
		return events, fmt.Errorf("%s:%d: %w", name, src.in.Number()+1, err)
	}
	return events, nil
}

// eventReader stands between the stream and testjson. testjson's scanner ends at a line longer than 64 KiB, its
// Execution keeps the output of running tests and of packages, and it takes an `artifacts` event for the end of a
// test. So lines that are too long or no JSON objects stop here, and the collector gets output without testjson.
// Every Read returns at most one event: the scanner then hands it to the collector before it asks for the next, and
// everything happens in order.
type eventReader struct {
	in   *lines.Reader
	c    *collector
	rest []byte
}

// maxScanned is the longest line that a bufio.Scanner with its default buffer takes, its newline included.
const maxScanned = bufio.MaxScanTokenSize - 2

var newline = []byte("\n")

func (r *eventReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if !r.in.Next() {
			r.c.scanned = true
			if err := r.in.Err(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		}
		r.rest = r.filter(r.in.Bytes())
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// filter returns the line that testjson gets to see, empty if none.
func (r *eventReader) filter(line []byte) []byte {
	line = bytes.TrimSpace(line)
	switch {
	case r.in.TooLong():
		r.c.invalidLine(r.in.Number())
		return nil
	case len(line) == 0:
		return nil
	}
	var e testjson.TestEvent
	if line[0] != '{' || json.Unmarshal(line, &e) != nil || e.Action == "" {
		r.c.invalidLine(r.in.Number())
		return nil
	}
	switch e.Action {
	case testjson.ActionOutput, testjson.ActionBench:
		r.c.benchmarks.take(e, r.in.Number())
		r.c.output(e)
		return nil
	case testjson.ActionBuild:
		r.c.buildOutput(e.Output)
		return nil
	case testjson.ActionRun, testjson.ActionPass, testjson.ActionFail, testjson.ActionSkip, testjson.ActionAttr, "start":
		r.c.line = r.in.Number()
		if len(line) > maxScanned {
			r.c.invalidLine(r.in.Number())
			return nil
		}
		return append(bytes.Clone(line), newline...)
	}
	return nil // pause, cont, artifacts, build-fail, and what later versions add
}

// Event takes an event from testjson. After the end of the stream testjson makes up the missing ends: those are not taken.
func (c *collector) Event(e testjson.TestEvent, _ *testjson.Execution) error {
	if c.scanned {
		return nil
	}
	if e.PackageEvent() {
		c.packageEvent(e)
		return nil
	}
	c.testEvent(e)
	return nil
}

// Err takes a line that testjson could not parse.
func (c *collector) Err(string) error {
	c.invalidLine(c.line)
	return nil
}

// attribute takes `=== ATTR TestStep6 gotestbed.plan {…}` out of plain output: go test makes an event only of a line
// that fits into its buffer of 4 KiB and hands a longer one through in parts.
func (c *collector) attribute(t *test, part string) (taken bool) {
	const prefix, marker, most = "=== ATTR  ", "\x16", 1 << 20
	if t.longAttr == nil {
		part = strings.TrimPrefix(part, marker)
	}
	if t.longAttr == nil && !(strings.HasPrefix(part, prefix) && !strings.HasSuffix(part, "\n")) {
		return false
	}
	if len(t.longAttr)+len(part) > most {
		t.longAttr = nil
		return true
	}
	t.longAttr = append(t.longAttr, part...)
	if !strings.HasSuffix(part, "\n") {
		return true
	}
	fields := strings.SplitN(strings.TrimSuffix(strings.TrimPrefix(string(t.longAttr), prefix), "\n"), " ", 3)
	t.longAttr = nil
	if len(fields) == 3 && fields[0] == t.name {
		t.set(fields[1], fields[2])
	}
	return true
}

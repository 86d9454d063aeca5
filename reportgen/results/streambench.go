package results

import (
	"bytes"
	"strings"

	"gotest.tools/gotestsum/testjson"
)

// Bounds of the benchmark text that is kept of a stream.
const (
	maxBenchText = 4 << 20 // bytes
	maxBenchLine = 8 << 10
)

// benchText takes benchmark results out of the output of a stream. `go test -json` hands a result through in two parts, its
// name before the benchmark runs and its numbers after that; `Unit` lines stand in one piece.
type benchText struct {
	name    map[[2]string]string // of the running benchmark, by package and test
	text    bytes.Buffer
	lines   []int // of the stream, for each line of text
	dropped int   // lines that were too many
}

// take keeps the part, which is that line of the stream, if it belongs to a result.
func (b *benchText) take(e testjson.TestEvent, line int) {
	at := [2]string{e.Package, e.Test}
	name, open := b.name[at]
	whole := strings.HasSuffix(e.Output, "\n")
	switch {
	case len(name)+len(e.Output) > maxBenchLine:
		delete(b.name, at)
	case open && whole:
		delete(b.name, at)
		b.keep(name+e.Output, line)
	case open:
		b.name[at] = name + e.Output
	case strings.HasPrefix(e.Output, "Unit ") && whole:
		b.keep(e.Output, line)
	case !strings.HasPrefix(e.Output, "Benchmark"):
	case whole && len(strings.Fields(e.Output)) >= 4:
		b.keep(e.Output, line)
	case !whole && len(b.name) < maxNamed:
		if b.name == nil {
			b.name = map[[2]string]string{}
		}
		b.name[at] = e.Output
	}
}

func (b *benchText) keep(text string, line int) {
	if b.text.Len()+len(text) > maxBenchText {
		b.dropped++
		return
	}
	b.text.WriteString(text)
	b.lines = append(b.lines, line)
}

// bench returns what was kept, nil if there is no result.
func (b *benchText) bench(stream string) *Bench {
	bench, err := ReadBench(stream, &b.text) // a buffer has no errors
	if err != nil || len(bench.Results) == 0 {
		return nil
	}
	bench.lines, bench.Dropped = b.lines, b.dropped
	return bench
}

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// An input is what one RUN of the command line held.
type input struct {
	name  string
	runs  []*results.Run
	tests *results.TestSummary // of a go test -json stream, else nil
	bench *results.Bench       // of benchmark text, else nil
}

// experiments counts those of all runs.
func (in *input) experiments() int {
	n := 0
	for _, run := range in.runs {
		n += len(run.Experiments)
	}
	return n
}

// read finds out what name is and reads it. With an error there may still be an input: what was read until then.
func read(name string, stdin io.Reader) (*input, error) {
	if name == "-" {
		return readStream("<stdin>", stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return readStream(name, f)
	}
	run, err := results.ReadDir(name)
	if err != nil {
		return nil, err
	}
	return &input{name: name, runs: []*results.Run{run}}, nil
}

// sniffed is how much of a stream is looked at to tell events from benchmark text. The go command may print a few lines of
// its own before the first event.
const sniffed = 64 << 10

func readStream(name string, r io.Reader) (*input, error) {
	buffered := bufio.NewReaderSize(r, sniffed)
	head, err := buffered.Peek(sniffed)
	switch {
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(bytes.TrimSpace(head)) == 0:
		return nil, fmt.Errorf("%s: empty", name)
	case hasEvents(head):
		events, err := results.ReadEvents(name, buffered)
		if events == nil {
			return nil, err
		}
		return &input{name: name, runs: events.Runs, tests: &events.Tests}, err
	}
	bench, err := results.ReadBench(name, buffered)
	if bench == nil {
		return nil, err
	}
	return &input{name: name, runs: render.FromBench(bench.Results), bench: bench}, err
}

// hasEvents reports whether one of the lines begins like an event of go test -json.
func hasEvents(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if bytes.HasPrefix(line, []byte("{")) && bytes.Contains(line, []byte(`"Action"`)) {
			return true
		}
	}
	return false
}

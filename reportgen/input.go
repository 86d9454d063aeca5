package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/report"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// An input is what one RUN of the command line held.
type input struct {
	name  string
	runs  []*results.Run
	tests *results.TestSummary // of a go test -json stream, else nil
	bench *results.Bench       // of benchmark text, else nil
}

// found reports whether there is something to report in one of the runs.
func (in *input) found() bool {
	return slices.ContainsFunc(in.runs, func(r *results.Run) bool { return !r.Empty() })
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
	readRun := results.ReadDir
	if !info.IsDir() {
		if !isSummary(f) {
			return readStream(name, f)
		}
		readRun = results.ReadSummary
	}
	run, err := readRun(name)
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
		return &input{name: name, runs: withBench(events.Runs, events.Bench), tests: &events.Tests}, err
	}
	bench, err := results.ReadBench(name, buffered)
	if bench == nil {
		return nil, err
	}
	return &input{name: name, runs: withBench(render.FromBench(bench.Results), bench), bench: bench}, err
}

// withBench gives the microbenchmarks of a stream or a text to its run, or to a run of their own if it has none or several.
func withBench(runs []*results.Run, bench *results.Bench) []*results.Run {
	if bench == nil || !report.HasMicro(bench) {
		return runs
	}
	if len(runs) != 1 {
		runs = append(runs, &results.Run{ID: "benchmarks"})
	}
	runs[len(runs)-1].Bench = bench
	return runs
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

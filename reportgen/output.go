package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/gotestbed/gotestbed/reportgen/figure"
	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/report"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

func tables(run *results.Run) []*render.Table {
	var list []*render.Table
	for i := range run.Experiments {
		list = append(list, render.NewTable(run, &run.Experiments[i]))
	}
	return list
}

// printTables writes the Markdown of every experiment and of the benchmarks of every run. Doubts about single reps are left to messages: a stream does not know
// them, and a run must print the same table from its stream and from its directory.
func printTables(stdout io.Writer, inputs []*input) error {
	out := bufio.NewWriter(stdout)
	first := true
	for _, in := range inputs {
		for _, run := range in.runs {
			for _, t := range tables(run) {
				if !first {
					fmt.Fprintln(out)
				}
				first = false
				t.Doubts = nil
				if err := (render.Markdown{}).Write(out, t); err != nil {
					return err
				}
			}
			for _, s := range report.Benchmarks(run) {
				if !first {
					fmt.Fprintln(out)
				}
				first = false
				if err := s.WriteMarkdown(out); err != nil {
					return err
				}
			}
		}
	}
	return out.Flush()
}

// writeFiles writes the report on all runs, with its files, to dir; nothing if dir is empty or there is no run.
func writeFiles(dir string, inputs []*input, stderr io.Writer) error {
	var sources []report.Source
	for _, in := range inputs {
		for _, run := range in.runs {
			if dir == "" || run.Empty() {
				continue
			}
			source, err := newSource(dir, run)
			if err != nil {
				return err
			}
			sources = append(sources, source)
		}
	}
	if len(sources) == 0 {
		return nil
	}
	for i, s := range sources {
		for _, other := range sources[:i] {
			if s.Run.ID == other.Run.ID {
				return fmt.Errorf("two runs are called %q: give one of them", s.Run.ID)
			}
		}
	}
	r, err := report.New(sources)
	if err != nil {
		return err
	}
	names, err := r.WriteDir(dir)
	for _, name := range names {
		fmt.Fprintf(stderr, "wrote %s\n", name)
	}
	return err
}

// newSource makes the figures, and finds the way from the report in dir to the run's files, so that the report can link to them.
func newSource(dir string, run *results.Run) (report.Source, error) {
	figures, err := figure.OfRun(run)
	if err != nil {
		return report.Source{}, err
	}
	s := report.Source{Run: run, Figures: figures}
	if run.Dir == "" {
		return s, nil
	}
	from, err := filepath.Abs(dir)
	to, errTo := filepath.Abs(run.Dir)
	if err := errors.Join(err, errTo); err != nil {
		return s, err
	}
	base, err := filepath.Rel(from, to)
	if err == nil { // else there is no way: another drive
		s.Base = filepath.ToSlash(base)
	}
	return s, nil
}

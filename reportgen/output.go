package main

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

func tables(run *results.Run) []*render.Table {
	var list []*render.Table
	for i := range run.Experiments {
		list = append(list, render.NewTable(run, &run.Experiments[i]))
	}
	return list
}

// printTables writes the Markdown of every experiment. Doubts about single reps are left to explain: a stream does not know
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
		}
	}
	return out.Flush()
}

// writeFiles writes the files of -o: to dir, or below it to one directory per run if there are several.
func writeFiles(dir string, inputs []*input, stderr io.Writer) error {
	if dir == "" {
		return nil
	}
	var runs []*results.Run
	for _, in := range inputs {
		for _, run := range in.runs {
			if len(run.Experiments) > 0 {
				runs = append(runs, run)
			}
		}
	}
	taken := map[string]string{}
	for _, run := range runs {
		target := dir
		if len(runs) > 1 {
			target = filepath.Join(dir, render.FileName(run.ID))
		}
		if other, ok := taken[target]; ok {
			return fmt.Errorf("runs %q and %q would both be written to %s: give one of them", other, run.ID, target)
		}
		taken[target] = run.ID
		files, err := render.WriteDir(target, tables(run))
		if err != nil {
			return err
		}
		for _, name := range files {
			fmt.Fprintf(stderr, "wrote %s\n", name)
		}
	}
	return nil
}

package results

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
)

const benchmarksFile = "benchmarks.txt"

// readBenchmarks reads benchmarks.txt, the microbenchmarks of the run; a missing one is no error.
func (r *Run) readBenchmarks() error {
	data, err := readBounded(filepath.Join(r.Dir, benchmarksFile), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if r.Bench, err = ReadBench(benchmarksFile, bytes.NewReader(data)); err != nil {
		return err
	}
	for _, e := range r.Bench.Errors {
		r.warn("%v", e)
	}
	return nil
}

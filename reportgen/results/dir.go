package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	runFile     = "run.json"
	journalFile = "journal.jsonl"
	cellFile    = "cell.json"
	summaryFile = "summary.csv"
)

// ReadDir reads a run directory, finished or not, or a directory of the older shell scripts. Verdicts are the
// journal's; the numbers are read from the logs again, and a `pass` whose logs have no result becomes a Fail. The
// error says that there is no run at all in dir, or that a file could not be read; everything less is a warning of
// the run or of an attempt.
func ReadDir(dir string) (*Run, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.ReadDir(dir); err != nil {
		return nil, err
	}
	run := &Run{Dir: dir, ID: filepath.Base(abs)}
	known, err := run.readRecord()
	if err != nil {
		return nil, err
	}
	for _, read := range []func() error{run.readSanity, run.readBenchmarks, run.readSSD} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	if known || run.Sanity != nil || run.Bench != nil || run.SSD != nil {
		err = run.measure()
	} else {
		err = run.readScripts()
	}
	if err != nil {
		return nil, err
	}
	for i := range run.Experiments {
		run.Experiments[i].GuessBaseline()
		run.Experiments[i].sortAttempts()
	}
	return run, nil
}

// readRecord reads run.json and journal.jsonl; known is false if the directory has neither.
func (r *Run) readRecord() (known bool, err error) {
	hasRun, err := r.readRunFile()
	if err != nil {
		return false, err
	}
	f, err := os.Open(filepath.Join(r.Dir, journalFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if hasRun && len(r.Experiments) > 0 {
			r.warn("%s: missing: nothing is known of the attempts", journalFile)
		}
		return hasRun, nil
	case err != nil:
		return false, err
	}
	defer f.Close()
	if !hasRun {
		r.warn("%s: missing: the order of the tables' rows is that of the journal", runFile)
	}
	return true, r.readJournal(f)
}

// readBounded reads a small file, so that one that is no such file cannot fill the memory.
func readBounded(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a file", name)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s: %d bytes long, more than %d", name, info.Size(), limit)
	}
	return os.ReadFile(name)
}

package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/gotestbed/gotestbed/reportgen/crestlog"
)

// workers is how many cell directories are read at the same time. Each holds a few buffers, so memory stays bounded.
func workers() int { return min(8, runtime.GOMAXPROCS(0)) }

// record is what cell.json adds to the journal.
type record struct {
	Label   string            `json:"label"`
	Levers  []string          `json:"levers"`
	Verdict Verdict           `json:"verdict"`
	Reason  string            `json:"reason"`
	Exits   map[string]string `json:"exits"`
	Metrics []Metric          `json:"metrics"`

	Findings []json.RawMessage `json:"findings"`
}

// each calls f for every experiment and index of an attempt, some at the same time, and returns the first error.
func (r *Run) each(f func(e *Experiment, i int) error) error {
	var g errgroup.Group
	g.SetLimit(workers())
	for i := range r.Experiments {
		e := &r.Experiments[i]
		for j := range e.Attempts {
			g.Go(func() error { return f(e, j) })
		}
	}
	return g.Wait()
}

// measure reads the numbers of every attempt that was started.
func (r *Run) measure() error {
	var mu sync.Mutex
	return r.each(func(e *Experiment, i int) error {
		a := &e.Attempts[i]
		if a.Verdict == NotRun {
			return nil
		}
		rec, err := r.readRecordOf(a)
		if err != nil {
			return err
		}
		mu.Lock()
		c := e.cell(a.Cell)
		if c.Levers == nil && len(rec.Levers) > 0 {
			c.Levers = rec.Levers
		}
		if c.Label == c.Name && rec.Label != "" {
			c.Label = rec.Label
		}
		mu.Unlock()
		return r.measureAttempt(a, rec)
	})
}

// readRecordOf reads cell.json, which stands only when the attempt has ended.
func (r *Run) readRecordOf(a *Attempt) (record, error) {
	var rec record
	if a.Dir == "" || !filepath.IsLocal(filepath.FromSlash(a.Dir)) {
		a.warn("no cell directory below the run directory: %q", a.Dir)
		a.Dir = ""
		return rec, nil
	}
	name := path.Join(a.Dir, cellFile)
	data, err := readBounded(filepath.Join(r.Dir, filepath.FromSlash(name)), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		if a.Verdict != Unfinished {
			a.warn("%s: missing", name)
		}
		return rec, nil
	}
	if err != nil {
		return rec, err
	}
	if err := json.Unmarshal(data, &rec); err != nil {
		a.warn("%v", jsonError(name, data, err))
		return record{}, nil
	}
	a.Exits = rec.Exits
	if a.Verdict == Unfinished && rec.Verdict.ended() {
		a.Verdict, a.Reason = rec.Verdict, rec.Reason
	}
	return rec, nil
}

// measureAttempt reads the logs of an attempt and confronts its verdict with them.
func (r *Run) measureAttempt(a *Attempt, rec record) error {
	cell := &crestlog.Cell{Reason: "the cell directory is missing"}
	if a.Dir != "" {
		c, err := crestlog.ReadCell(r.Dir, filepath.Join(r.Dir, filepath.FromSlash(a.Dir)))
		switch {
		case err == nil:
			cell = c
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	a.Warnings = append(a.Warnings, cell.Warnings...)
	if a.Verdict == Pass && !cell.Complete {
		a.Verdict, a.Reason = Fail, "recorded as pass, but "+cell.Reason+a.badExits()
	}
	if a.Verdict != Pass {
		a.Tail = cell.Tail
		if a.Verdict != Unfinished && a.Reason == "" {
			a.Reason = cell.Reason
		}
	}
	if a.Verdict != Unfinished {
		a.Metrics = cell.Metrics
		a.compare(rec.Metrics)
	}
	a.takeFindings(rec.Findings, path.Join(a.Dir, cellFile))
	return nil
}

// badExits lists the processes that did not exit with 0.
func (a *Attempt) badExits() string {
	var bad []string
	for _, p := range slices.Sorted(maps.Keys(a.Exits)) {
		if s := a.Exits[p]; s != "0" && s != "exit status 0" {
			bad = append(bad, fmt.Sprintf("%s: %s", p, s))
		}
	}
	if len(bad) == 0 {
		return ""
	}
	return " (" + strings.Join(bad, ", ") + ")"
}

// compare warns when the numbers in cell.json are not those in the logs.
func (a *Attempt) compare(recorded []Metric) {
	for _, m := range recorded {
		switch got, ok := a.Metrics[m.Name]; {
		case !ok:
			a.warn("%s: %s says %v, the logs do not say", m.Name, path.Join(a.Dir, cellFile), m.Value)
		case got.Value != m.Value:
			a.warn("%s: %s says %v, the logs say %v", m.Name, path.Join(a.Dir, cellFile), m.Value, got.Value)
		}
	}
}

// isDir reports whether name is a directory, or a link to one.
func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

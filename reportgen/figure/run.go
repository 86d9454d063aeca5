package figure

import (
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/gotestbed/gotestbed/reportgen/crestlog"
	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// maxCells is how many cells of an experiment a figure has room for.
const maxCells = 48

// OfRun makes all figures of a run: those of each experiment, of the remote SSD reads and of the microbenchmarks. The error
// is that of a log that cannot be read.
func OfRun(run *results.Run) (*Set, error) {
	var studies []*study
	for i := range run.Experiments {
		studies = append(studies, newStudy(run, &run.Experiments[i]))
	}
	if err := readLogs(run, studies); err != nil {
		return nil, err
	}
	set := &Set{}
	for _, s := range studies {
		s.figures(set)
	}
	ssd(set, run)
	micro(set, run)
	return set, nil
}

// A study is one experiment with the attempts whose numbers are used.
type study struct {
	run   *results.Run
	exp   *results.Experiment
	slug  string // of the names of its figures
	cells []*cellData
}

// cellData is one cell of an experiment.
type cellData struct {
	cell  results.Cell
	label string
	aa    bool
	used  []results.Attempt
	logs  []*crestlog.Series // of each used attempt; nil if its directory is not there
}

func newStudy(run *results.Run, exp *results.Experiment) *study {
	s := &study{run: run, exp: exp, slug: render.FileName(exp.Name)}
	for _, row := range render.NewTable(run, exp).Rows {
		if row.Cell.Deferred != nil && len(row.Used) == 0 {
			continue
		}
		name := row.Cell.Label
		if name == "" {
			name = row.Cell.Name
		}
		s.cells = append(s.cells, &cellData{
			cell: row.Cell, label: label(name), aa: row.Cell.AAOf != "", used: row.Used, logs: make([]*crestlog.Series, len(row.Used)),
		})
	}
	return s
}

// readLogs reads the logs of all used attempts, several at a time.
func readLogs(run *results.Run, studies []*study) error {
	if run.Dir == "" {
		return nil
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, s := range studies {
		if len(s.cells) > maxCells {
			continue
		}
		for _, c := range s.cells {
			for i, a := range c.used {
				dir := filepath.FromSlash(a.Dir)
				if !filepath.IsLocal(dir) {
					continue
				}
				g.Go(func() (err error) {
					c.logs[i], err = crestlog.ReadSeries(run.Dir, filepath.Join(run.Dir, dir))
					if errors.Is(err, fs.ErrNotExist) {
						return nil
					}
					return err
				})
			}
		}
	}
	return g.Wait()
}

// hasLogs reports whether there is anything to draw over time.
func (s *study) hasLogs() bool {
	for _, c := range s.cells {
		for _, l := range c.logs {
			if l != nil {
				return true
			}
		}
	}
	return false
}

// used counts the attempts whose numbers are used.
func (s *study) used() int {
	n := 0
	for _, c := range s.cells {
		n += len(c.used)
	}
	return n
}

// figures makes the figures of an experiment.
func (s *study) figures(set *Set) {
	name := s.slug + "_commit"
	switch {
	case len(s.cells) > maxCells:
		set.miss(s.exp.Name, name, "%s has %d cells, and a figure has room for %d", label(s.exp.Name), len(s.cells), maxCells)
		return
	case s.used() == 0:
		set.miss(s.exp.Name, name, "no attempt of %s passed", label(s.exp.Name))
		return
	}
	s.compare(set)
	s.scaleOut(set)
	if !s.hasLogs() {
		for _, what := range []string{"throughput", "balance", "latency"} {
			if what == "balance" && len(s.cells) == 1 {
				continue
			}
			set.miss(s.exp.Name, s.slug+"_"+what, "the logs of %s are not there", label(s.exp.Name))
		}
		return
	}
	s.throughput(set)
	if len(s.cells) > 1 {
		s.balance(set)
	}
	s.latency(set)
	s.weights(set)
}

// compare makes the figures whose marks are the cells. One cell alone is a number, which the table has.
func (s *study) compare(set *Set) {
	if len(s.cells) == 1 {
		for _, what := range []string{"commit", "atomics", "balance"} {
			set.miss(s.exp.Name, s.slug+"_"+what, "%s has one cell, and nothing to compare it to", label(s.exp.Name))
		}
		return
	}
	s.bars(set, s.slug+"_commit", "commit_kops", "committed (KOPS)", "Committed throughput")
	s.bars(set, s.slug+"_atomics", "atomic_per_txn", "atomics per transaction", "RDMA atomics per transaction")
}

// figure begins a figure of the experiment. Its name is a whole one.
func (s *study) figure(name, title string, chart Chart, wide bool) Figure {
	return Figure{Name: name, Experiment: s.exp.Name, Title: title + ", " + label(s.exp.Name), Chart: chart, Wide: wide}
}

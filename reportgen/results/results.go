// Package results holds what a run left behind: a run directory, a directory of the older shell scripts, a `go test
// -json` stream or Go benchmark text, all read into the same values. It computes nothing beyond what a single log says;
// medians and intervals are the business of package stats.
package results

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gotestbed/gotestbed/reportgen/crestlog"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// A Verdict says whether the number of an attempt may be used. See docs/run-directory.md.
type Verdict string

// The verdicts. NotRun and Unfinished are what a reader concludes from a journal that has no end for a planned attempt.
const (
	Pass       Verdict = "pass"
	Fail       Verdict = "fail"
	Infra      Verdict = "infra"
	Invalid    Verdict = "invalid"
	NotRun     Verdict = "not run"
	Unfinished Verdict = "unfinished"
)

// An Origin is the line of a file that a number was read from.
type Origin = crestlog.Origin

// A Metric is one number of one attempt with its unit and every line that it came from.
type Metric = crestlog.Metric

// An Attempt is one execution of one rep of one cell.
type Attempt struct {
	Cell     string
	Rep      int // from 0
	Try      int // from 1
	Position int // place in the order in which the run executed its attempts, from 0; -1 if unknown
	Dir      string
	Verdict  Verdict
	Reason   string   // one line, for a verdict other than Pass
	Tail     []string // last lines of the log that tells most, for a verdict other than Pass
	Exits    map[string]string
	Metrics  map[string]Metric // by name; a metric that the logs do not have is absent
	Findings []Finding         // the faults that explain a verdict other than Pass, the one that explains the others first
	Warnings []string          // doubts about this attempt's numbers, with file:line where there is one
	Warmup   stats.Warmup      // how its throughput began; set by FindWarmups
}

// A Cell is one configuration of an experiment, a row of its table.
type Cell struct {
	Name   string   `json:"name"`  // slug: a1
	Label  string   `json:"label"` // as printed: +a1
	Levers []string `json:"levers"`

	AAOf     string    `json:"aa_of"`    // of an A/A cell: the name of the cell that it repeats
	Deferred *Deferral `json:"deferred"` // why the cell was not planned; nil if it was
}

// An Experiment is what one test measured.
type Experiment struct {
	Name     string    `json:"name"`     // step6
	Test     string    `json:"test"`     // TestStep6
	Question string    `json:"question"` // RQ1: …
	Reps     int       `json:"reps"`
	Order    string    `json:"order"`
	Seed     uint64    `json:"seed"`
	Params   Params    `json:"params"`
	Notes    []string  `json:"notes"` // how this run differs from what the experiment is meant to be
	Cells    []Cell    `json:"cells"` // in table order; those of a plan first
	Baseline string    `json:"-"`     // name of the cell that the others are compared to; empty if none is known
	Attempts []Attempt `json:"-"`
}

// A Run is everything that one execution of the tests left behind.
type Run struct {
	Dir         string // empty if the run was read from a stream only
	ID          string
	System      string // the program under test
	Cluster     string // name of the cluster
	Tag         string // local, rxe, cloudlab; of a recording, that of the recorded run; empty if unknown
	Recording   string // "RECORDING of <date> on <cluster>, not your cluster"; empty if the run was live
	Started     string // RFC 3339, driver's clock; empty if unknown
	Go, Commit  string // toolchain, and revision of the tests; empty if unknown
	Profile     string // what the cluster was made from; empty if unknown
	Site        string // where the cluster stands; empty if unknown
	Nodes       []Node
	Binaries    map[string]string // sha256 by system/program
	Experiments []Experiment
	Sanity      *Sanity    // what was checked before the run; nil if nothing is known
	Bench       *Bench     // microbenchmarks; nil if there are none
	SSD         []SSDSweep // of remote SSD reads
	Warnings    []string   // what could not be read, and why, with file:line
}

// Empty reports whether the run holds nothing that a report could show.
func (r *Run) Empty() bool {
	return len(r.Experiments) == 0 && r.Sanity == nil && r.Bench == nil && len(r.SSD) == 0
}

// experiment returns the experiment of that name, which it adds if it is new.
func (r *Run) experiment(name string) *Experiment {
	for i := range r.Experiments {
		if r.Experiments[i].Name == name {
			return &r.Experiments[i]
		}
	}
	r.Experiments = append(r.Experiments, Experiment{Name: name})
	return &r.Experiments[len(r.Experiments)-1]
}

// cell returns the cell of that name, which it adds behind the planned ones if it is new.
func (e *Experiment) cell(name string) *Cell {
	for i := range e.Cells {
		if e.Cells[i].Name == name {
			return &e.Cells[i]
		}
	}
	e.Cells = append(e.Cells, Cell{Name: name, Label: name})
	return &e.Cells[len(e.Cells)-1]
}

// isDeferred reports whether the cell of that name was put off.
func (e *Experiment) isDeferred(name string) bool {
	return slices.ContainsFunc(e.Cells, func(c Cell) bool { return c.Name == name && c.Deferred != nil })
}

// baselines are the first cells of the experiments that every testbed has: step6, a1b and drift.
var baselines = []string{"baseline", "fixed", "no_drift"}

// GuessBaseline names the baseline of an experiment without a plan: a cell is one if its name says so, never because it
// happens to be the first that was run.
func (e *Experiment) GuessBaseline() {
	for _, name := range baselines {
		has := slices.ContainsFunc(e.Cells, func(c Cell) bool { return c.Name == name }) ||
			slices.ContainsFunc(e.Attempts, func(a Attempt) bool { return a.Cell == name })
		if has && e.Baseline == "" {
			e.Baseline = name
		}
	}
}

// planned takes the baseline from the plan: its first cell.
func (e *Experiment) planned() {
	if len(e.Cells) > 0 {
		e.Baseline = e.Cells[0].Name
	}
}

// sortAttempts puts the attempts in table order: cell by cell, rep by rep, try by try.
func (e *Experiment) sortAttempts() {
	place := make(map[string]int, len(e.Cells))
	for i, c := range e.Cells {
		place[c.Name] = i
	}
	slices.SortStableFunc(e.Attempts, func(a, b Attempt) int {
		return cmp.Or(cmp.Compare(place[a.Cell], place[b.Cell]), cmp.Compare(a.Rep, b.Rep), cmp.Compare(a.Try, b.Try))
	})
}

func (r *Run) warn(format string, args ...any) {
	const most = 100
	if len(r.Warnings) < most {
		r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
	}
}

func (a *Attempt) warn(format string, args ...any) {
	a.Warnings = append(a.Warnings, fmt.Sprintf(format, args...))
}

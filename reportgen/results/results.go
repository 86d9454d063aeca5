// Package results holds what a run left behind: a run directory, a directory of the older shell scripts, a `go test
// -json` stream or Go benchmark text, all read into the same values. It computes nothing beyond what a single log says;
// medians and intervals are the business of package stats.
package results

import "fmt"

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

// An Origin is the line of a file that a number was read from. File is relative to the run directory; Line counts from 1.
type Origin struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

func (o Origin) String() string { return fmt.Sprintf("%s:%d", o.File, o.Line) }

// A Metric is one number of one attempt with its unit and every line that it came from.
type Metric struct {
	Name    string   `json:"name"`
	Value   float64  `json:"value"`
	Unit    string   `json:"unit"`
	Origins []Origin `json:"origins,omitempty"`
}

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
	Warnings []string          // doubts about this attempt's numbers, with file:line where there is one
}

// A Cell is one configuration of an experiment, a row of its table.
type Cell struct {
	Name   string   `json:"name"`  // slug: a1
	Label  string   `json:"label"` // as printed: +a1
	Levers []string `json:"levers"`
}

// An Experiment is what one test measured.
type Experiment struct {
	Name     string    `json:"name"`     // step6
	Test     string    `json:"test"`     // TestStep6
	Question string    `json:"question"` // RQ1: …
	Reps     int       `json:"reps"`
	Order    string    `json:"order"`
	Seed     uint64    `json:"seed"`
	Cells    []Cell    `json:"cells"` // in table order; the first one is the baseline
	Attempts []Attempt `json:"-"`
}

// A Run is everything that one execution of the tests left behind.
type Run struct {
	Dir         string // empty if the run was read from a stream only
	ID          string
	System      string // the program under test
	Cluster     string // name of the cluster
	Tag         string // local, rxe, cloudlab, replay; empty if unknown
	Experiments []Experiment
	Warnings    []string // what could not be read, and why, with file:line
}

// Package watch follows a run while it goes on: it reads the journal as it grows, and tells which cells have run, how they ended,
// what they measured, and how long the rest will take. It reads the files of the run directory and nothing else.
package watch

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// A Watcher follows the run in one directory.
type Watcher struct {
	dir     string
	journal tail
	plan    plan

	attempts []*attempt // in the order of the journal
	byName   map[key]*attempt
	running  *attempt
	last     *attempt // that ended
	ended    bool
	news     time.Time // of the last event
	warnings []string
	badLines int
}

type key struct {
	experiment, cell string
	rep, try         int
}

// An attempt of a cell.
type attempt struct {
	key
	dir            string
	verdict        results.Verdict // results.NotRun before it began, results.Unfinished while it runs
	reason         string
	started, ended time.Time
	kops           float64 // committed, thousands per second; 0: not known
}

// plan is what run.json tells; without it the journal's names are shown.
type plan struct {
	ID      string `json:"id"`
	System  string `json:"system"`
	Tag     string `json:"tag"`
	Cluster struct {
		Name string `json:"name"`
	} `json:"cluster"`
	Recording   string               `json:"recording"`
	Experiments []results.Experiment `json:"experiments"`
}

// New returns a Watcher of a run directory, which need not exist yet.
func New(dir string) *Watcher {
	w := &Watcher{dir: dir, journal: tail{name: filepath.Join(dir, "journal.jsonl")}}
	w.forget()
	return w
}

// forget drops what was read: another run writes to the directory.
func (w *Watcher) forget() {
	*w = Watcher{dir: w.dir, journal: w.journal, byName: map[key]*attempt{}}
}

// Ended reports whether the journal says that the run has ended.
func (w *Watcher) Ended() bool { return w.ended }

// Poll reads what is new and returns it as lines, one for each thing that happened.
func (w *Watcher) Poll() ([]string, error) {
	lines, fresh, err := w.journal.next()
	if err != nil {
		return nil, err
	}
	var news []string
	if fresh {
		w.forget()
		news = append(news, "another run began in "+w.dir)
	}
	if len(lines) > 0 {
		w.readPlan()
	}
	for _, line := range lines {
		e, err := parseEvent(line)
		if err != nil {
			w.badLines++
			continue
		}
		if text := w.apply(e); text != "" {
			news = append(news, text)
		}
	}
	return news, nil
}

// maxPlan is how many bytes of a run.json or cell.json are read.
const maxPlan = 16 << 20

// readJSON reads a small file; one that is not there or is being written leaves v as it is.
func readJSON(name string, v any) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxPlan {
		return false
	}
	data, err := os.ReadFile(name)
	return err == nil && json.Unmarshal(data, v) == nil
}

func (w *Watcher) readPlan() {
	var p plan
	if readJSON(filepath.Join(w.dir, "run.json"), &p) {
		w.plan = p
	}
}

// apply changes the state, and says what happened; the planning of attempts is told when the first begins.
func (w *Watcher) apply(e event) string {
	w.news = e.Time
	w.ended = e.Event == runEnded
	if w.ended {
		w.running = nil
		return w.tellEnd(e)
	}
	a := w.attempt(e)
	switch e.Event {
	case started:
		a.verdict, a.started, a.dir, a.reason = results.Unfinished, e.Time, e.Dir, ""
		w.running = a
		return fmt.Sprintf("%s %s: started, %s", clock(e.Time), w.name(a), w.progress())
	case ended:
		return w.end(a, e)
	}
	return ""
}

// attempt returns the attempt of the event, which it adds if it is new.
func (w *Watcher) attempt(e event) *attempt {
	k := key{e.Experiment, e.Cell, e.Rep, max(1, e.Try)}
	a := w.byName[k]
	if a == nil {
		a = &attempt{key: k, verdict: results.NotRun}
		w.byName[k] = a
		w.attempts = append(w.attempts, a)
	}
	return a
}

func (w *Watcher) end(a *attempt, e event) string {
	a.verdict, a.reason, a.ended = results.Verdict(render.Clean(string(e.Verdict))), render.Clean(e.Reason), e.Time
	if w.running == a {
		w.running = nil
	}
	w.last = a
	a.kops = w.committed(a)
	text := fmt.Sprintf("%s %s: %s", clock(e.Time), w.name(a), a.verdict)
	if d := a.took(); d > 0 {
		text += " in " + round(d)
	}
	if a.kops > 0 {
		text += fmt.Sprintf(", %s KOPS committed", kops(a.kops))
	}
	if a.reason != "" {
		text += ": " + a.reason
	}
	if a.verdict != results.Pass {
		w.warn(fmt.Sprintf("%s: %s: %s", w.name(a), a.verdict, a.reason))
	}
	return text + "; " + w.progress() + w.left(e.Time)
}

// maxWarnings is how many warnings are kept, the last ones.
const maxWarnings = 5

func (w *Watcher) warn(text string) {
	w.warnings = append(w.warnings, text)
	w.warnings = w.warnings[max(0, len(w.warnings)-maxWarnings):]
}

// committed is the throughput that cell.json has.
func (w *Watcher) committed(a *attempt) float64 {
	var record struct {
		Metrics []results.Metric `json:"metrics"`
	}
	if a.dir == "" || !filepath.IsLocal(filepath.FromSlash(a.dir)) || !readJSON(filepath.Join(w.dir, filepath.FromSlash(a.dir), "cell.json"), &record) {
		return 0
	}
	for _, m := range record.Metrics {
		if m.Name == "commit_kops" {
			return m.Value
		}
	}
	return 0
}

func (a *attempt) took() time.Duration {
	if a.started.IsZero() || a.ended.Before(a.started) {
		return 0
	}
	return a.ended.Sub(a.started)
}

// done reports whether the attempt has ended.
func (a *attempt) done() bool { return a.verdict != results.NotRun && a.verdict != results.Unfinished }

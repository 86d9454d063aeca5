package results

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/crestlog"
)

// streamRun is a run while it is put together from attributes.
type streamRun struct {
	run *Run
	at  map[key]int // index into the experiment's attempts
	n   int         // attempts met
}

// runSet keeps the runs of a stream apart by their directories, in the order in which they appear.
type runSet struct {
	order []*streamRun
	byDir map[string]*streamRun
}

// of returns the run of a directory, which it adds if it is new.
func (s *runSet) of(dir string) *streamRun {
	r := s.byDir[dir]
	if r == nil {
		r = &streamRun{run: &Run{}, at: map[key]int{}}
		if dir != "" {
			r.run.ID = path.Base(strings.ReplaceAll(dir, `\`, "/"))
		}
		s.byDir[dir] = r
		s.order = append(s.order, r)
	}
	return r
}

// runs puts the attributes of the tests together. A test that carries a plan is an experiment's; its subtests that
// carry a cell are attempts. Experiments and attempts with different gotestbed.run belong to different runs.
func (c *collector) runs(stream string) []*Run {
	set := runSet{byDir: map[string]*streamRun{}}
	for _, root := range c.roots {
		set.add(root, stream)
	}
	runs := make([]*Run, 0, len(set.order))
	for _, r := range set.order {
		for i := range r.run.Experiments {
			r.run.Experiments[i].GuessBaseline()
			r.run.Experiments[i].sortAttempts()
		}
		runs = append(runs, r.run)
	}
	return runs
}

// add takes a test that is no subtest, and its subtests with attributes.
func (s *runSet) add(root *test, stream string) {
	var attempts, deferred []*test
	for _, t := range append([]*test{root}, root.children...) {
		switch {
		case t.attrs["deferred"] != "":
			deferred = append(deferred, t)
		case t.attrs["cell"] != "":
			attempts = append(attempts, t)
		}
	}
	dir := root.attrs["run"]
	switch {
	case root.attrs["plan"] == "" && len(attempts)+len(deferred) == 0:
		return
	case dir == "" && len(attempts) > 0:
		dir = attempts[0].attrs["run"]
	}
	r := s.of(dir)
	experiment := r.plan(root, stream)
	for _, t := range attempts {
		s.of(cmp.Or(t.attrs["run"], dir)).attempt(t, experiment, stream)
	}
	for _, t := range deferred {
		r.deferred(t, experiment, stream)
	}
	r.notRun(root, experiment)
}

// deferred takes the attributes of a test that was skipped because its cell is deferred.
func (r *streamRun) deferred(t *test, experiment, stream string) {
	name := t.attrs["cell"]
	if name == "" {
		_, rest, _ := strings.Cut(t.name, "/")
		name, _, _ = strings.Cut(rest, "/")
	}
	experiment = cmp.Or(t.attrs["experiment"], experiment)
	var d Deferral
	err := json.Unmarshal([]byte(t.attrs["deferred"]), &d)
	if err == nil && (name == "" || experiment == "") {
		err = errors.New("the attributes do not say which cell")
	}
	if err != nil {
		r.run.warn("%s: %s: the deferral cannot be read: %v", stream, t.name, err)
		return
	}
	r.run.experiment(experiment).cell(name).Deferred = &d
}

// plan takes the attributes of an experiment's test and returns the experiment's name, empty if there is no plan.
func (r *streamRun) plan(root *test, stream string) string {
	r.run.System = cmp.Or(r.run.System, root.attrs["system"])
	r.run.Cluster = cmp.Or(r.run.Cluster, root.attrs["cluster"])
	r.run.Tag = cmp.Or(r.run.Tag, root.attrs["tag"])
	r.run.Recording = cmp.Or(r.run.Recording, root.attrs["recording"])
	text := root.attrs["plan"]
	if text == "" {
		return ""
	}
	var e Experiment
	if err := json.Unmarshal([]byte(text), &e); err != nil || e.Name == "" {
		r.run.warn("%s: %s: the plan cannot be read: %v", stream, root.name, err)
		return ""
	}
	have := r.run.experiment(e.Name)
	e.Attempts = have.Attempts
	e.planned()
	*have = e
	return e.Name
}

// attempt takes the attributes of an attempt's test.
func (r *streamRun) attempt(t *test, experiment, stream string) {
	where := stream + ": " + t.name
	k := key{experiment: cmp.Or(t.attrs["experiment"], experiment), cell: t.attrs["cell"], try: 1}
	var err error
	if k.rep, err = strconv.Atoi(t.attrs["rep"]); err != nil || k.rep < 0 || k.experiment == "" {
		r.run.warn("%s: the attributes do not say which attempt", where)
		return
	}
	if try, err := strconv.Atoi(t.attrs["try"]); err == nil && try > 0 {
		k.try = try
	}
	a := Attempt{Cell: k.cell, Rep: k.rep, Try: k.try, Position: r.n, Dir: t.attrs["dir"], Verdict: Unfinished}
	r.n++
	if v := Verdict(t.attrs["verdict"]); t.action != "" && v != "" {
		if v.ended() {
			a.Verdict, a.Reason = v, strings.TrimSpace(t.attrs["reason"])
			a.takeMetrics(t)
		} else {
			r.run.warn("%s: unknown verdict %q", where, v)
		}
	}
	a.check(t)
	a.takeFindings(t.findings(), where)
	e := r.run.experiment(k.experiment)
	if c := e.cell(k.cell); c.Label == c.Name && t.attrs["label"] != "" {
		c.Label = t.attrs["label"]
	}
	if i, known := r.at[k]; known {
		r.run.warn("%s: a second test of the same attempt; the last one is used", where)
		e.Attempts[i] = a
		return
	}
	r.at[k] = len(e.Attempts)
	e.Attempts = append(e.Attempts, a)
}

// check confronts the verdict with the numbers, as ReadDir does with the logs.
func (a *Attempt) check(t *test) {
	if _, ok := a.Metrics["commit_kops"]; a.Verdict == Pass && !ok {
		a.Verdict, a.Reason = Fail, "recorded as pass, but without a committed throughput"
	}
	if a.Verdict != Pass {
		a.Tail = t.tail
	}
}

// takeMetrics reads the gotestbed.metric attributes.
func (a *Attempt) takeMetrics(t *test) {
	a.Metrics = map[string]Metric{}
	for attr, text := range t.attrs {
		name, ok := strings.CutPrefix(attr, "metric.")
		if !ok {
			continue
		}
		if m, ok := parseMetric(name, text); ok {
			a.Metrics[name] = m
		} else {
			a.warn("%s: %q is no metric and counts as absent", name, clip(text, 80))
		}
	}
}

// parseMetric reads `<value> <unit> <file>:<line>[,<file>:<line>…]`; there may be no origin.
func parseMetric(name, text string) (Metric, bool) {
	value, rest, _ := strings.Cut(text, " ")
	unit, origins, _ := strings.Cut(rest, " ")
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return Metric{}, false
	}
	m := Metric{Name: name, Value: v, Unit: cmp.Or(unit, crestlog.Unit(name))}
	if origins == "" {
		return m, true
	}
	for text := range strings.SplitSeq(origins, ",") {
		i := strings.LastIndexByte(text, ':')
		line, err := strconv.Atoi(text[i+1:])
		if i <= 0 || err != nil || line < 1 {
			return Metric{}, false
		}
		m.Origins = append(m.Origins, Origin{File: text[:i], Line: line})
	}
	return m, true
}

// notRun adds the attempts that the experiment's test names as selected and that were never met.
func (r *streamRun) notRun(root *test, experiment string) {
	if experiment == "" {
		return
	}
	e := r.run.experiment(experiment)
	for name := range strings.FieldsSeq(root.attrs["selected"]) {
		cell, rep, ok := strings.Cut(name, "/rep")
		n, err := strconv.Atoi(rep)
		k := key{experiment, cell, n, 1}
		if _, met := r.at[k]; !ok || err != nil || n < 0 || met || e.isDeferred(cell) {
			continue
		}
		e.cell(cell)
		r.at[k] = len(e.Attempts)
		e.Attempts = append(e.Attempts, Attempt{Cell: cell, Rep: n, Try: 1, Position: -1, Verdict: NotRun})
	}
}

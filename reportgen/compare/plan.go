package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// A fact is something that two runs should share for their numbers to be comparable, by run; empty where it is not recorded.
type fact struct {
	name   string
	values []string
}

// differences says how the runs differ in what was meant to be the same, and what is not recorded and so cannot be compared.
func differences(sources []Source) []string {
	facts := runFacts(sources)
	var list []string
	for _, exps := range byExperiment(sources) {
		name := nameOf(exps)
		if text := missing(sources, exps); text != "" {
			list = append(list, fmt.Sprintf("%s: %s", name, text))
		}
		facts = append(facts, planFacts(name, exps)...)
	}
	var unknown []string
	for _, f := range facts {
		if text := f.difference(sources); text != "" {
			list = append(list, text)
		}
		if f.partly() {
			unknown = append(unknown, f.name)
		}
	}
	if len(unknown) > 0 {
		list = append(list, "Not every run has recorded, so it could not be compared: "+strings.Join(unknown, ", "))
	}
	return list
}

// difference names the values, empty if those that are recorded are all the same.
func (f fact) difference(sources []Source) string {
	known := slices.DeleteFunc(slices.Clone(f.values), func(v string) bool { return v == "" })
	slices.Sort(known)
	if len(slices.Compact(known)) < 2 {
		return ""
	}
	var parts []string
	for i, v := range f.values {
		if v == "" {
			v = "not recorded"
		}
		parts = append(parts, fmt.Sprintf("%s in %s", v, sources[i].Name))
	}
	return f.name + ": " + strings.Join(parts, ", ")
}

// partly reports whether some runs have recorded the fact and some not.
func (f fact) partly() bool {
	return slices.Contains(f.values, "") && slices.ContainsFunc(f.values, func(v string) bool { return v != "" })
}

func newFact[T any](name string, list []T, value func(T) string) fact {
	f := fact{name: name}
	for _, v := range list {
		f.values = append(f.values, value(v))
	}
	return f
}

// runFacts are those of a run as a whole. What is compared on purpose, the versions of program and tests, is not among them.
func runFacts(sources []Source) []fact {
	of := func(name string, value func(r *results.Run) string) fact {
		return newFact(name, sources, func(s Source) string { return value(s.Run) })
	}
	list := []fact{
		of("program", func(r *results.Run) string { return r.System }),
		of("cluster", func(r *results.Run) string { return r.Cluster }),
		of("profile", func(r *results.Run) string { return r.Profile }),
		of("site", func(r *results.Run) string { return r.Site }),
		of("kind of cluster", func(r *results.Run) string { return r.Tag }),
		of("replay", func(r *results.Run) string { return r.Recording }),
		of("nodes", func(r *results.Run) string { return plural(len(r.Nodes)) }),
		of("hardware", func(r *results.Run) string { return nodeValues(r, func(n results.Node) string { return n.Hardware }) }),
	}
	for _, key := range []string{"cpu", "nic", "firmware", "ofed", "kernel", "iommu", "link_rate", "active_mtu"} {
		list = append(list, of(key, func(r *results.Run) string {
			return nodeValues(r, func(n results.Node) string { return n.Facts[key] })
		}))
	}
	return list
}

func plural(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// nodeValues are the different values that a run's nodes have.
func nodeValues(r *results.Run, value func(results.Node) string) string {
	set := map[string]bool{}
	for _, n := range r.Nodes {
		if v := value(n); v != "" {
			set[v] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(set)), " and ")
}

// planFacts are those of one experiment, in the runs that have it; exps holds nil for the others.
func planFacts(name string, exps []*results.Experiment) []fact {
	var have []*results.Experiment
	for _, e := range exps {
		if e != nil {
			have = append(have, e)
		}
	}
	if len(have) < 2 {
		return nil
	}
	of := func(what string, value func(e *results.Experiment) string) fact {
		return newFact(name+": "+what, exps, func(e *results.Experiment) string {
			if e == nil {
				return "" // said already
			}
			return value(e)
		})
	}
	number := func(v float64) string {
		if v == 0 {
			return ""
		}
		return fmt.Sprint(v)
	}
	list := []fact{
		of("reps", func(e *results.Experiment) string { return number(float64(e.Reps)) }),
		of("order", func(e *results.Experiment) string { return e.Order }),
		of("seconds of a cell", func(e *results.Experiment) string { return number(e.Params.DurationS) }),
		of("transactions at most", func(e *results.Experiment) string { return number(float64(e.Params.Txns)) }),
		of("threads", func(e *results.Experiment) string { return number(float64(e.Params.Threads)) }),
		of("coroutines", func(e *results.Experiment) string { return number(float64(e.Params.Coros)) }),
		of("cells", cellNames),
		of("what was changed", changes),
	}
	for _, cell := range sharedCells(have) {
		list = append(list, of("levers of "+cell, func(e *results.Experiment) string { return levers(e, cell) }))
	}
	return list
}

// changes to what the experiment is meant to be, where a plan tells.
func changes(e *results.Experiment) string {
	if len(e.Notes) == 0 && e.Order != "" {
		return "nothing"
	}
	return strings.Join(e.Notes, "; ")
}

func cellNames(e *results.Experiment) string {
	var names []string
	for _, c := range e.Cells {
		name := c.Name
		if c.Deferred != nil {
			name += " (deferred)"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// sharedCells are the cells of the first experiment that another one has, too.
func sharedCells(exps []*results.Experiment) []string {
	var names []string
	for _, c := range exps[0].Cells {
		shared := slices.ContainsFunc(exps[1:], func(e *results.Experiment) bool {
			return slices.ContainsFunc(e.Cells, func(o results.Cell) bool { return o.Name == c.Name })
		})
		if shared {
			names = append(names, c.Name)
		}
	}
	return names
}

// levers of a cell, empty where the plan names none of any cell: then they are not known.
func levers(e *results.Experiment, cell string) string {
	if !slices.ContainsFunc(e.Cells, func(c results.Cell) bool { return len(c.Levers) > 0 }) {
		return ""
	}
	for _, c := range e.Cells {
		if c.Name == cell && len(c.Levers) > 0 {
			return strings.Join(c.Levers, "+")
		}
	}
	return "none"
}

// byExperiment brings together the experiments of one name, or of one test, by run and in the order of the first run that has
// them; nil where a run has none.
func byExperiment(sources []Source) [][]*results.Experiment {
	var list [][]*results.Experiment
	for run, s := range sources {
		for i := range s.Run.Experiments {
			e := &s.Run.Experiments[i]
			at := slices.IndexFunc(list, func(exps []*results.Experiment) bool {
				return exps[run] == nil && slices.ContainsFunc(exps, func(o *results.Experiment) bool { return o != nil && same(o, e) })
			})
			if at < 0 {
				at = len(list)
				list = append(list, make([]*results.Experiment, len(sources)))
			}
			list[at][run] = e
		}
	}
	return list
}

// same reports whether two experiments are one: by name, or by test.
func same(a, b *results.Experiment) bool { return a.Name == b.Name || a.Test != "" && a.Test == b.Test }

// nameOf is what the first run that has the experiment calls it.
func nameOf(exps []*results.Experiment) string {
	for _, e := range exps {
		if e != nil {
			return e.Name
		}
	}
	return ""
}

// missing says which runs lack an experiment that others have.
func missing(sources []Source, exps []*results.Experiment) string {
	var without []string
	for i, e := range exps {
		if e == nil {
			without = append(without, sources[i].Name)
		}
	}
	if len(without) == 0 {
		return ""
	}
	return "not in " + strings.Join(without, ", ")
}

package report

import (
	"slices"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// A chapter adds the section on one subject, if the run has something on it.
type chapter func(b *builder)

// A subject is what an experiment is about, and where it belongs in a paper.
type subject struct{ experiment, place, title string }

// subjects are the experiments that every testbed has, in the order of the paper. Others come after them, by the order of
// their runs.
var subjects = []subject{
	{"step6", "§6.2", "Ablation: what each lever adds"},
	{"a1b", "§6.3", "Tuner: fixed, rule and SGD"},
	{"drift", "§6.4", "Drift: a workload that changes"},
	{"scaleout", "§6.6", "Scale-out over compute nodes"},
	{"dispatch", "", "Dispatch: every path was taken"},
}

// chapters are the parts of the report in their order.
func chapters(sources []Source) []chapter {
	list := []chapter{(*builder).setup}
	for _, s := range allSubjects(sources) {
		list = append(list, func(b *builder) { b.experiment(s) })
	}
	return append(list, (*builder).micro, (*builder).ssd, (*builder).sanity, (*builder).wrong, (*builder).limits)
}

// inOrder puts experiments into the order of the paper.
func inOrder(experiments []results.Experiment) []results.Experiment {
	place := func(e results.Experiment) int {
		i := slices.IndexFunc(subjects, func(s subject) bool { return s.experiment == e.Name })
		if i < 0 {
			return len(subjects)
		}
		return i
	}
	return slices.SortedStableFunc(slices.Values(experiments), func(a, b results.Experiment) int { return place(a) - place(b) })
}

func allSubjects(sources []Source) []subject {
	list := slices.Clone(subjects)
	for _, s := range sources {
		for _, e := range s.Run.Experiments {
			if !slices.ContainsFunc(list, func(x subject) bool { return x.experiment == e.Name }) {
				list = append(list, subject{experiment: e.Name, title: e.Name})
			}
		}
	}
	return list
}

func (b *builder) setup() {
	s := Section{File: "setup", Place: "§6.1", Title: "Setup"}
	for _, text := range setup(b.Run) {
		s.Blocks = append(s.Blocks, Block{Text: text})
	}
	b.add(s)
}

// experiment adds the table of an experiment with its notes and figures.
func (b *builder) experiment(subject subject) {
	i := slices.IndexFunc(b.Run.Experiments, func(e results.Experiment) bool { return e.Name == subject.experiment })
	if i < 0 {
		return
	}
	e := &b.Run.Experiments[i]
	t := render.NewTable(b.Run, e)
	id := render.FileName(e.Name)
	s := Section{File: id, Place: subject.place, Title: subject.title}
	if len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks, Block{Table: b.experimentTable(id, t)})
	}
	s.Blocks = append(s.Blocks, list("", Notes, t.Notes)...)
	s.Blocks = append(s.Blocks, list("Doubts about single reps", Warnings, t.Footnotes()[len(t.Notes):])...)
	s.Blocks = append(s.Blocks, b.figures(e.Name, "")...)
	b.report.Tables = append(b.report.Tables, Placed{Table: t, run: b.Run})
	s.Kind, s.Warning = worth(b.Run)
	b.add(s).placed = len(b.report.Tables) - 1
}

func (b *builder) micro() {
	if b.Run.Bench == nil {
		return
	}
	tables, notes := b.microTables("micro", b.Run.Bench, func(name string) bool { return !isSSD(name) })
	if len(tables) == 0 {
		return
	}
	s := Section{File: "micro", Title: "Microbenchmarks"}
	for _, t := range tables {
		s.Blocks = append(s.Blocks, Block{Table: t})
	}
	s.Blocks = append(s.Blocks, list("", Notes, notes)...)
	s.Blocks = append(s.Blocks, b.figures("", "micro")...)
	s.Kind, s.Warning = worth(b.Run)
	b.add(s)
}

func (b *builder) ssd() {
	s := Section{File: "ssd", Title: "Remote SSD over RDMA"}
	if len(b.Run.SSD) > 0 {
		s.Blocks = append(s.Blocks, Block{Table: b.ssdTable(b.Run.SSD)})
	}
	if b.Run.Bench != nil {
		tables, notes := b.microTables("ssd", b.Run.Bench, isSSD)
		for _, t := range tables {
			s.Blocks = append(s.Blocks, Block{Table: t})
		}
		if len(tables) > 0 {
			s.Blocks = append(s.Blocks, list("", Notes, notes)...)
		}
	}
	if len(s.Blocks) == 0 {
		return
	}
	s.Blocks = append(s.Blocks, b.figures("", "ssd")...)
	s.Kind, s.Warning = worth(b.Run)
	b.add(s)
}

func (b *builder) sanity() {
	if s := b.Run.Sanity; s != nil && len(s.Checks) > 0 {
		b.add(Section{File: "sanity", Title: "Checks before the run", Blocks: []Block{{Text: sanityText(s)}, {Table: b.sanityTable(s)}}})
	}
}

// list makes a list, no block if there are no items.
func list(title string, kind ListKind, items []string) []Block {
	var clean []string
	for _, item := range items {
		if item = render.Clean(item); item != "" {
			clean = append(clean, item)
		}
	}
	if len(clean) == 0 {
		return nil
	}
	return []Block{{List: &List{Title: title, Items: clean, Kind: kind}}}
}

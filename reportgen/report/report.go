package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/figure"
	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// A Source is a run with its figures.
type Source struct {
	Run     *results.Run
	Figures *figure.Set
	Base    string // path from the report's directory to the run's, with slashes; empty without a directory
}

// A Report is the evaluation of one or more runs.
type Report struct {
	Title    string
	Sections []Section
	Tables   []Placed // of the experiments, for the formats of render
	Figures  []*Figure
}

// Placed is the table of an experiment with the section that it stands in.
type Placed struct {
	*render.Table
	Dir string // of the section
	run *results.Run
}

// New makes the report of the runs. The first run is what the report is about; each other one has its own sections, labelled
// with where they are from. The error is an I/O error: a log could not be read again for the lines that are quoted.
func New(sources []Source) (*Report, error) {
	r := &Report{Title: title(sources)}
	builders := make([]*builder, 0, len(sources))
	for _, s := range sources {
		quotes, err := ReadQuotes(s.Run.Dir, origins(s.Run))
		if err != nil {
			return nil, err
		}
		b := &builder{Source: s, quotes: quotes, report: r}
		if len(sources) > 1 {
			b.label = Label(s.Run)
		}
		builders = append(builders, b)
	}
	r.Sections = append(r.Sections, overview(builders))
	for _, add := range chapters(sources) {
		for _, b := range builders {
			add(b)
		}
	}
	r.unique()
	r.clean()
	return r, r.drawFigures()
}

// title names the programs that the report is about.
func title(sources []Source) string {
	var systems []string
	for _, s := range sources {
		name := render.Clean(s.Run.System)
		if name != "" && !slices.Contains(systems, name) {
			systems = append(systems, name)
		}
	}
	return strings.TrimPrefix(strings.Join(systems, ", ")+": evaluation", ": ")
}

// Label says which run something is from: "demo: minidm on local, 2026-01-31".
func Label(run *results.Run) string {
	text := cmp.Or(run.ID, "a run without a name") + ": " + cmp.Or(run.System, "unknown program") + " on " + cmp.Or(run.Cluster, "unknown cluster")
	if date, _, _ := strings.Cut(run.Started, "T"); date != "" {
		text += ", " + date
	}
	if run.Recording != "" {
		text += ". " + run.Recording
	}
	return render.Clean(text)
}

// unique gives sections of the same name different IDs and directories: the first one keeps its own.
func (r *Report) unique() {
	taken := map[string]bool{}
	for i := range r.Sections {
		s := &r.Sections[i]
		s.ID = s.File
		for n := 2; taken[s.ID]; n++ {
			s.ID = fmt.Sprintf("%s-%d", s.File, n)
			s.Dir = render.FileName(s.run)
		}
		taken[s.ID] = true
		for _, b := range s.Blocks {
			if b.Table != nil {
				b.Table.ID = s.ID + strings.TrimPrefix(b.Table.File, s.File)
			}
			if b.Figure != nil {
				b.Figure.Dir = s.Dir
			}
		}
		if s.placed >= 0 {
			r.Tables[s.placed].Dir = s.Dir
		}
	}
}

// A builder makes the sections of one run.
type builder struct {
	Source
	quotes Quotes
	report *Report
	label  string // of the run, if there are several
}

// add adds a section, unless it has nothing to say, and returns it.
func (b *builder) add(s Section) *Section {
	if len(s.Blocks) == 0 {
		return &Section{}
	}
	s.Source, s.run, s.placed = b.label, b.Run.ID, -1
	b.report.Sections = append(b.report.Sections, s)
	return &b.report.Sections[len(b.report.Sections)-1]
}

// lines are the lines of the run for some origins.
func (b *builder) lines(list ...results.Origin) []Line {
	out := make([]Line, 0, len(list))
	for _, o := range list {
		out = append(out, b.quotes.line(o, b.Base))
	}
	return out
}

// worth says what the numbers of a run are instead of measured on real nodes now, and what that means; empty if they are.
func worth(run *results.Run) (kind, warning string) {
	var parts []string
	switch cmp.Or(run.Tag, run.Cluster) {
	case "local":
		kind, parts = "emulated", []string{"all nodes are processes on one machine; ratios and counters mean something, absolute throughput does not"}
	case "rxe":
		kind, parts = "soft-RoCE", []string{"all nodes are guests on one machine; ratios and counters mean something, absolute throughput does not"}
	}
	if run.Recording != "" {
		kind, parts = "recording", append([]string{render.Clean(run.Recording)}, parts...)
	}
	return kind, strings.Join(parts, "; ")
}

// origins are those of everything that a report of the run quotes.
func origins(run *results.Run) []results.Origin {
	var list []results.Origin
	for _, e := range run.Experiments {
		for _, a := range e.Attempts {
			for _, m := range a.Metrics {
				list = append(list, m.Origins...)
			}
			for _, f := range a.Findings {
				for _, ev := range f.Evidence {
					list = append(list, results.Origin{File: ev.File, Line: ev.Line})
				}
			}
		}
	}
	if run.Sanity != nil {
		for _, c := range run.Sanity.Checks {
			list = append(list, results.Origin{File: "sanity.json", Line: c.Line})
		}
	}
	if run.Bench != nil {
		for _, res := range run.Bench.Results {
			list = append(list, run.Bench.Origin(res))
		}
	}
	for _, s := range run.SSD {
		for _, p := range s.Points {
			list = append(list, p.Origin)
		}
	}
	slices.SortFunc(list, func(a, b results.Origin) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return slices.Compact(list)
}

package report

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// An Explanation says how one number of a table came about. Its fields are those of `reportgen explain -json`; absent numbers
// are absent there.
type Explanation struct {
	Run        string         `json:"run"`
	System     string         `json:"system"`
	Cluster    string         `json:"cluster"`
	Recording  string         `json:"recording,omitempty"`
	Experiment string         `json:"experiment"`
	Cell       string         `json:"cell"`
	Label      string         `json:"label"`
	Metric     string         `json:"metric"`
	Unit       string         `json:"unit"`
	N          int            `json:"n"`
	Median     float64        `json:"median"`
	Lo         *float64       `json:"lo,omitempty"`
	Hi         *float64       `json:"hi,omitempty"`
	Level      *float64       `json:"level,omitempty"` // as a fraction
	Method     string         `json:"method,omitempty"`
	Reps       []ExplainedRep `json:"reps"`
	NotUsed    []UnusedRep    `json:"not_used,omitempty"`
	Warnings   []string       `json:"warnings,omitempty"`
}

// An ExplainedRep is one of the numbers that the median was made of.
type ExplainedRep struct {
	Rep     int             `json:"rep"`
	Try     int             `json:"try"`
	Dir     string          `json:"dir,omitempty"`
	Value   *float64        `json:"value,omitempty"` // nil: the logs of this rep do not have it
	Origins []ExplainedLine `json:"origins,omitempty"`
}

// An ExplainedLine is a line that a number was read from. Text is empty where the file cannot be read.
type ExplainedLine struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text,omitempty"`
}

// An UnusedRep is an attempt that the number does not count, and why.
type UnusedRep struct {
	Rep     int    `json:"rep"`
	LastRep int    `json:"last_rep"` // equal to Rep, but for reps that were never started
	Try     int    `json:"try,omitempty"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
}

// Explain says how the number of a metric in the row of a cell came about. The error says what there is, if there is no such
// number, or is an I/O error.
func Explain(run *results.Run, experiment, cell, metric string) (*Explanation, error) {
	t, r, err := findRow(run, experiment, cell)
	if err != nil {
		return nil, err
	}
	s, ok := r.Values[metric]
	if !ok || !s.HasValue() {
		have := slices.Sorted(maps.Keys(r.Values))
		return nil, fmt.Errorf("%s: %s/%s has no %s; it has %s", run.ID, experiment, cell, metric, orNothing(have))
	}
	e := &Explanation{Run: run.ID, System: run.System, Cluster: run.Cluster, Recording: run.Recording, Experiment: experiment,
		Cell: cell, Label: render.LabelOf(r), Metric: metric, N: s.N, Median: s.Median, Warnings: s.Warnings}
	if s.HasInterval() {
		e.Lo, e.Hi, e.Level, e.Method = &s.Lo, &s.Hi, &s.Level, s.Method
	}
	for _, n := range t.NotUsed {
		if n.Cell.Name == cell {
			e.NotUsed = append(e.NotUsed, UnusedRep{n.First, n.Last, n.Try, string(n.Attempt.Verdict), render.Clean(n.Attempt.Reason)})
		}
	}
	return e, e.addReps(run.Dir, r.Used, metric)
}

// findRow finds the row of a cell, which may be called by its label.
func findRow(run *results.Run, experiment, cell string) (*render.Table, *render.Row, error) {
	var experiments []string
	for i := range run.Experiments {
		e := &run.Experiments[i]
		experiments = append(experiments, e.Name)
		if e.Name != experiment {
			continue
		}
		t := render.NewTable(run, e)
		var cells []string
		for j := range t.Rows {
			if t.Rows[j].Cell.Name == cell {
				return t, &t.Rows[j], nil
			}
			cells = append(cells, t.Rows[j].Cell.Name)
		}
		return nil, nil, fmt.Errorf("%s: %s has no cell %s; it has %s", run.ID, experiment, cell, orNothing(cells))
	}
	return nil, nil, fmt.Errorf("%s: no experiment %s; there is %s", run.ID, experiment, orNothing(experiments))
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// addReps adds the numbers and the text of their lines.
func (e *Explanation) addReps(dir string, used []results.Attempt, metric string) error {
	var all []results.Origin
	for _, a := range used {
		all = append(all, a.Metrics[metric].Origins...)
	}
	quotes, err := ReadQuotes(dir, all)
	if err != nil {
		return err
	}
	for _, a := range used {
		rep := ExplainedRep{Rep: a.Rep, Try: a.Try, Dir: a.Dir}
		if m, ok := a.Metrics[metric]; ok {
			rep.Value, e.Unit = &m.Value, m.Unit
			for _, o := range m.Origins {
				rep.Origins = append(rep.Origins, ExplainedLine{o.File, o.Line, quotes[o]})
			}
		}
		e.Reps = append(e.Reps, rep)
	}
	return nil
}

// WriteJSON writes the explanation as one indented object.
func (e *Explanation) WriteJSON(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(e)
}

// WriteText writes the explanation for a terminal.
func (e *Explanation) WriteText(w io.Writer) error {
	var b strings.Builder
	say := func(format string, args ...any) { b.WriteString(render.Clean(fmt.Sprintf(format, args...)) + "\n") }
	interval := ""
	if e.Level != nil {
		interval = fmt.Sprintf(" [%s, %s], level %v %%, %s", render.FormatFull(*e.Lo), render.FormatFull(*e.Hi), *e.Level*100, e.Method)
	}
	say("%s/%s %s = %s %s%s", e.Experiment, e.Cell, e.Metric, render.FormatFull(e.Median), e.Unit, interval)
	say("the median over %s of run %s: %s on %s", plural(e.N, "rep"), orDash(e.Run), orDash(e.System), orDash(e.Cluster))
	if e.Recording != "" {
		say("%s", e.Recording)
	}
	for _, r := range e.Reps {
		b.WriteString("\n")
		r.write(&b, e.Unit)
	}
	if len(e.NotUsed) > 0 {
		b.WriteString("\n")
	}
	for _, n := range e.NotUsed {
		reps := fmt.Sprintf("rep %d", n.Rep)
		if n.LastRep > n.Rep {
			reps = fmt.Sprintf("reps %d to %d", n.Rep, n.LastRep)
		}
		if n.Try > 0 {
			reps += fmt.Sprintf(" try %d", n.Try)
		}
		say("not used: %s", strings.TrimSuffix(reps+": "+n.Verdict+": "+n.Reason, ": "))
	}
	for _, text := range e.Warnings {
		say("warning: %s", text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// write writes one rep: its value, and below it each line with its text.
func (r *ExplainedRep) write(b *strings.Builder, unit string) {
	text := "absent: no log of this rep has it"
	if r.Value != nil {
		text = render.FormatFull(*r.Value) + " " + unit
	}
	try := ""
	if r.Try > 1 {
		try = fmt.Sprintf(" (try %d)", r.Try)
	}
	fmt.Fprintf(b, "rep %d%s: %s\n", r.Rep, try, render.Clean(text))
	for _, l := range r.Origins {
		fmt.Fprintf(b, "  %s: %s\n", render.Clean(fmt.Sprintf("%s:%d", l.File, l.Line)), orDash(l.Text))
	}
}

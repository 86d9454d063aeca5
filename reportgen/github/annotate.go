package github

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// maxAnnotations is how many annotations of each kind GitHub shows of a step.
const maxAnnotations = 10

// Annotations writes a workflow command for each attempt that failed (error), or that may not be used or has no end (warning), and
// for each failed test of a stream that is no attempt. An attempt of the testbed's fault that a later try made good has none.
func Annotations(w io.Writer, inputs []Input) error {
	a := annotator{most: maxAnnotations}
	for _, in := range inputs {
		for _, run := range in.Runs {
			for i := range run.Experiments {
				a.experiment(run, &run.Experiments[i])
			}
		}
		if in.Tests != nil {
			a.tests(in.Tests, in.Runs)
		}
	}
	for _, kind := range []string{"error", "warning"} {
		if more := a.counts[kind] - a.most; more > 0 {
			a.write("notice", "", 0, "gotestbed", fmt.Sprintf("%d more of kind %s: see the job summary", more, kind))
		}
	}
	_, err := w.Write(a.out.Bytes())
	return err
}

type annotator struct {
	out    bytes.Buffer
	most   int
	counts map[string]int
}

// kinds of annotation by verdict.
var kinds = map[results.Verdict]string{results.Fail: "error", results.Infra: "warning", results.Invalid: "warning", results.Unfinished: "warning"}

func (a *annotator) experiment(run *results.Run, exp *results.Experiment) {
	passed := map[string]bool{}
	rep := func(at *results.Attempt) string { return fmt.Sprintf("%s rep %d", at.Cell, at.Rep) }
	for i := range exp.Attempts {
		if at := &exp.Attempts[i]; at.Verdict == results.Pass {
			passed[rep(at)] = true
		}
	}
	for i := range exp.Attempts {
		at := &exp.Attempts[i]
		kind := kinds[at.Verdict]
		if kind == "" || at.Verdict == results.Infra && passed[rep(at)] {
			continue
		}
		file, line := place(run, at)
		a.add(kind, file, line, fmt.Sprintf("%s %s: %s", exp.Name, rep(at), at.Verdict), message(at))
	}
}

// place is the line that shows what went wrong, or else the cell's directory.
func place(run *results.Run, at *results.Attempt) (file string, line int) {
	for _, f := range at.Findings {
		for _, e := range f.Evidence {
			if e.Line > 0 && e.File != "" {
				return inRun(run, e.File), e.Line
			}
		}
	}
	if at.Dir == "" {
		return "", 0
	}
	return inRun(run, path.Join(at.Dir, "cell.json")), 0
}

// inRun is a file of the run, relative to where reportgen runs.
func inRun(run *results.Run, file string) string {
	return filepath.ToSlash(filepath.Join(run.Dir, filepath.FromSlash(file)))
}

// message is the reason, and what is known of cause and cure.
func message(at *results.Attempt) string {
	lines := []string{or(render.Clean(at.Reason), "no reason was recorded")}
	if len(at.Findings) > 0 { // the others follow from the first, or explain less
		f := at.Findings[0]
		if f.Cause != "" {
			lines = append(lines, "cause: "+render.Clean(f.Cause))
		}
		if f.Cure != "" {
			lines = append(lines, "cure: "+render.Clean(f.Cure))
		}
	}
	return strings.Join(lines, "\n")
}

// tests annotates the failed tests of a stream, but not those of an experiment whose attempts tell it.
func (a *annotator) tests(s *results.TestSummary, runs []*results.Run) {
	told := map[string]bool{}
	for _, run := range runs {
		for i := range run.Experiments {
			if exp := &run.Experiments[i]; count(exp)[results.Fail] > 0 {
				told[exp.Test] = true
			}
		}
	}
	for _, t := range s.Failed {
		if root, _, _ := strings.Cut(t.Test, "/"); !told[root] {
			a.add("error", "", 0, t.Package+" "+t.Test, strings.TrimPrefix(or(reason(t.Lines), ": failed"), ": "))
		}
	}
}

// add writes an annotation, or counts it when there are enough of its kind.
func (a *annotator) add(kind, file string, line int, title, text string) {
	if a.counts == nil {
		a.counts = map[string]int{}
	}
	if a.counts[kind]++; a.counts[kind] <= a.most {
		a.write(kind, file, line, title, text)
	}
}

// write writes ::error file=…,line=…,title=…::text. Every line of a log that begins with :: is a command, so nothing may leave its
// place: see https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
func (a *annotator) write(kind, file string, line int, title, text string) {
	var properties []string
	if file != "" {
		properties = append(properties, "file="+property(file))
	}
	if line > 0 {
		properties = append(properties, fmt.Sprintf("line=%d", line))
	}
	properties = append(properties, "title="+property(render.Clean(title)))
	fmt.Fprintf(&a.out, "::%s %s::%s\n", kind, strings.Join(properties, ","), data(text))
}

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func data(s string) string     { return dataEscapes.Replace(s) }
func property(s string) string { return propertyEscapes.Replace(s) }

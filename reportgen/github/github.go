// Package github writes what GitHub Actions shows of a run: a job summary, which is Markdown with sections that open, and
// annotations, which are commands in the log of a step.
package github

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/report"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// An Input is what one RUN of the command line held.
type Input struct {
	Name  string
	Runs  []*results.Run
	Tests *results.TestSummary // of a stream; nil else
}

// maxSummary is how large a job summary may be: 1 MiB for a step. GitHub drops a larger one as a whole.
const maxSummary = 1 << 20

// Summary writes the tables of all runs as a job summary. Tables that would make it too large are left out, and it says so.
func Summary(w io.Writer, inputs []Input) error {
	const room = 200 // bytes for what says that something was left out
	var out bytes.Buffer
	left := 0
	for _, in := range inputs {
		parts, err := in.parts()
		if err != nil {
			return err
		}
		for _, part := range parts {
			if out.Len()+len(part) > maxSummary-room {
				left++
				continue
			}
			out.WriteString(part)
		}
	}
	if left > 0 {
		fmt.Fprintf(&out, "\n> [!WARNING]\n> %d parts are too large for a job summary; they are in the report.\n", left)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// parts are the pieces of an input, each of which can be left out.
func (in Input) parts() ([]string, error) {
	var parts []string
	for _, run := range in.Runs {
		parts = append(parts, runHeading(run))
		for i := range run.Experiments {
			part, err := experiment(run, &run.Experiments[i])
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
		for _, s := range report.Benchmarks(run) {
			part, err := benchmarks(s)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
		if len(run.Warnings) > 0 {
			parts = append(parts, details("Warnings", fmt.Sprintf("%d", len(run.Warnings)), list(run.Warnings), false))
		}
	}
	if in.Tests != nil {
		parts = append(parts, tests(in.Name, in.Tests))
	}
	return parts, nil
}

func runHeading(run *results.Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n# %s\n\n", text(or(run.ID, "Run")))
	var facts []string
	for _, f := range []string{run.System, run.Cluster, run.Commit} {
		if f != "" {
			facts = append(facts, text(f))
		}
	}
	if len(facts) > 0 {
		fmt.Fprintf(&b, "%s\n", strings.Join(facts, " · "))
	}
	if run.Recording != "" {
		fmt.Fprintf(&b, "\n> [!NOTE]\n> %s\n", text(run.Recording))
	}
	return b.String()
}

// experiment is a section that is open if an attempt did not pass.
func experiment(run *results.Run, exp *results.Experiment) (string, error) {
	t := render.NewTable(run, exp)
	t.Doubts = nil // a directory knows them and a stream does not; both have one summary
	var table bytes.Buffer
	if err := (render.Markdown{}).Write(&table, t); err != nil {
		return "", err
	}
	_, body, _ := strings.Cut(table.String(), "\n\n") // the heading is the summary's
	counts := count(exp)
	return details(exp.Name, counts.String(), body, counts.bad() > 0), nil
}

// benchmarks is a section that stays closed: a benchmark that failed has no number.
func benchmarks(s report.Section) (string, error) {
	var text bytes.Buffer
	if err := s.WriteMarkdown(&text); err != nil {
		return "", err
	}
	_, body, _ := strings.Cut(text.String(), "\n\n") // the heading is the summary's
	tables := 0
	for _, b := range s.Blocks {
		if b.Table != nil {
			tables++
		}
	}
	return details(s.Title, fmt.Sprintf("tables: %d", tables), body, false), nil
}

// details is a section that opens. Between its tags and the Markdown inside stands a blank line, as GitHub asks for.
func details(title, note, body string, open bool) string {
	attr := ""
	if open {
		attr = " open"
	}
	return fmt.Sprintf("\n<details%s><summary><b>%s</b> — %s</summary>\n\n%s\n</details>\n", attr, html(title), html(note), strings.TrimRight(body, "\n")+"\n")
}

// tests tells how the tests of a stream ended.
func tests(name string, s *results.TestSummary) string {
	note := fmt.Sprintf("%d passed, %d failed, %d skipped, %d incomplete", s.Pass, s.Fail, s.Skip, s.Incomplete)
	var b strings.Builder
	for _, group := range []struct {
		title string
		tests []results.TestOutput
	}{{"Failed", s.Failed}, {"Never ended", s.IncompleteTests}, {"Skipped", s.Skipped}} {
		if len(group.tests) == 0 {
			continue
		}
		fmt.Fprintf(&b, "**%s**\n\n", group.title)
		for _, t := range group.tests[:min(len(group.tests), maxTests)] {
			fmt.Fprintf(&b, "- %s%s\n", text(t.Test), reason(t.Lines))
		}
		if more := len(group.tests) - maxTests; more > 0 {
			fmt.Fprintf(&b, "- %d more\n", more)
		}
		b.WriteString("\n")
	}
	if s.Cause != "" {
		fmt.Fprintf(&b, "Cause: %s\n", text(s.Cause))
	}
	return details("Tests of "+name, note, b.String(), !s.RunOK)
}

// maxTests is how many tests of a kind are named.
const maxTests = 20

// reason is the last line that a test printed.
func reason(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if t := text(lines[i]); t != "" {
			return ": " + t
		}
	}
	return ""
}

func list(items []string) string {
	var b strings.Builder
	if err := render.WriteItems(&b, items); err != nil {
		return "" // a Builder never fails
	}
	return b.String()
}

// text is one line of Markdown that GitHub shows as it stands.
func text(s string) string { return render.EscapeMarkdown(s) }

// html is text inside a tag, where Markdown does not count.
func html(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(render.Clean(s))
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// counts are the attempts by verdict.
type counts map[results.Verdict]int

func count(exp *results.Experiment) counts {
	c := counts{}
	for _, a := range exp.Attempts {
		c[a.Verdict]++
	}
	return c
}

var verdicts = []results.Verdict{results.Pass, results.Fail, results.Infra, results.Invalid, results.Unfinished, results.NotRun}

// bad counts the attempts that did not pass.
func (c counts) bad() int {
	n := 0
	for _, v := range verdicts[1:] {
		n += c[v]
	}
	return n
}

func (c counts) String() string {
	var parts []string
	for _, v := range verdicts {
		if c[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c[v], v))
		}
	}
	if len(parts) == 0 {
		return "no attempt"
	}
	return strings.Join(parts, ", ")
}

package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// maxTests is how many tests or lines are named; the rest is counted.
const maxTests = 5

// maxAttempts is how many doubts and how many endings are shown of an experiment; the rest is counted.
const maxAttempts = 10

// messages writes what the tables of an input leave out: warnings, the last lines of failed attempts, and what became of the
// tests of a stream. It reports whether the input was worth reading: it held an experiment, or its tests are all right.
func messages(w io.Writer, in *input) bool {
	for _, run := range in.runs {
		for _, warning := range run.Warnings {
			say(w, "%s: %s", in.name, warning)
		}
		for i := range run.Experiments {
			attemptMessages(w, in.name, &run.Experiments[i])
		}
	}
	found := in.found()
	if !found {
		say(w, "%s: no experiment: no attempt of a cell is recorded in it", in.name)
	}
	if in.bench != nil {
		benchMessages(w, in.name, in.bench)
	}
	if in.tests == nil {
		return found
	}
	testMessages(w, in.name, in.tests)
	return found || in.tests.RunOK
}

// attemptMessages writes the doubts about the numbers that are used, and how the other attempts ended: the first of each.
func attemptMessages(w io.Writer, name string, exp *results.Experiment) {
	doubts, ends := 0, 0
	for _, a := range exp.Attempts {
		where := fmt.Sprintf("%s: %s %s rep %d", name, exp.Name, a.Cell, a.Rep)
		if a.Verdict == results.Pass {
			for _, warning := range a.Warnings {
				if doubts++; doubts <= maxAttempts {
					say(w, "%s: %s", where, warning)
				}
			}
		} else if len(a.Tail) > 0 {
			if ends++; ends <= maxAttempts {
				say(w, "%s try %d: %s: the last lines:", where, a.Try, a.Verdict)
				lines(w, a.Tail)
			}
		}
	}
	if doubts > maxAttempts {
		say(w, "%s: %s: %d more doubts about single reps", name, exp.Name, doubts-maxAttempts)
	}
	if ends > maxAttempts {
		say(w, "%s: %s: %d more attempts ended like that", name, exp.Name, ends-maxAttempts)
	}
}

func testMessages(w io.Writer, name string, s *results.TestSummary) {
	say(w, "%s: tests: %d passed, %d failed, %d skipped, %d incomplete", name, s.Pass, s.Fail, s.Skip, s.Incomplete)
	if !s.RunOK {
		say(w, "%s: the run did not pass: %s", name, cmp.Or(s.Cause, failures(s)))
	}
	if s.Fail > 0 {
		say(w, "%s: failed: %s", name, firstTests(s.Failed))
	}
	if s.Incomplete > 0 {
		say(w, "%s: without an end: %s", name, firstTests(s.IncompleteTests))
	}
	if s.Invalid > 0 {
		say(w, "%s:%d: not an event; %d such lines in all", name, s.InvalidLines[0], s.Invalid)
	}
	for _, g := range groupSkips(s.Skipped) {
		say(w, "%s: skipped: %s: %s", name, g.reason, firstTests(g.tests))
	}
}

// benchMessages writes what of the text could not be used.
func benchMessages(w io.Writer, name string, b *results.Bench) {
	for _, e := range b.Errors[:min(len(b.Errors), maxTests)] {
		say(w, "%v", e)
	}
	if more := b.ErrorCount - maxTests; more > 0 {
		say(w, "%s: %d more malformed lines", name, more)
	}
}

// A skipGroup is a reason with the tests that were skipped for it.
type skipGroup struct {
	reason string
	tests  []results.TestOutput
}

// groupSkips groups skipped tests by reason, in the order in which the reasons appear.
func groupSkips(skipped []results.TestOutput) []*skipGroup {
	var groups []*skipGroup
	at := map[string]*skipGroup{}
	for _, t := range skipped {
		reason := skipReason(t)
		g := at[reason]
		if g == nil {
			g = &skipGroup{reason: reason}
			at[reason] = g
			groups = append(groups, g)
		}
		g.tests = append(g.tests, t)
	}
	return groups
}

// skipReason is what a test printed, without the file and line that go test puts before each message.
func skipReason(t results.TestOutput) string {
	var parts []string
	for _, line := range t.Lines {
		line = strings.TrimSpace(line)
		if _, text, ok := strings.Cut(line, ".go:"); ok {
			if _, message, ok := strings.Cut(text, ": "); ok {
				line = message
			}
		}
		if line != "" {
			parts = append(parts, line)
		}
	}
	if len(parts) == 0 {
		return "no reason given"
	}
	return strings.Join(parts, " ")
}

// firstTests names the first few tests and counts the rest.
func firstTests(tests []results.TestOutput) string {
	var names []string
	for _, t := range tests[:min(len(tests), maxTests)] {
		names = append(names, t.Test)
	}
	text := strings.Join(names, ", ")
	if more := len(tests) - maxTests; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// failures is the cause where the stream gives no other.
func failures(s *results.TestSummary) string {
	if s.Fail > 0 {
		return "tests failed"
	}
	return "the cause is not in the stream"
}

// say writes one line that is safe on a terminal.
func say(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, render.Clean(fmt.Sprintf(format, args...)))
}

// lines writes lines of a log.
func lines(w io.Writer, text []string) {
	for _, line := range text {
		fmt.Fprintf(w, "    | %s\n", render.Clean(line))
	}
}

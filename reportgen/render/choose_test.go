package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

func TestChoose(t *testing.T) {
	// An attempt is written as rep.try=verdict; what choose returns, as rep.try for used and reps.try=verdict(reason) else.
	a := func(rep, try int, v results.Verdict) results.Attempt {
		return results.Attempt{Cell: "c", Rep: rep, Try: try, Verdict: v}
	}
	test := func(name string, in []results.Attempt, want ...string) {
		t.Helper()
		used, notUsed := choose(results.Cell{Name: "c"}, in)
		var got []string
		for _, u := range used {
			got = append(got, fmt.Sprintf("%d.%d", u.Rep, u.Try))
		}
		for _, n := range notUsed {
			got = append(got, fmt.Sprintf("%s.%d=%s(%s)", n.reps(), n.Try, n.Attempt.Verdict, n.Attempt.Reason))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	const pass, infra, fail, notRun = results.Pass, results.Infra, results.Fail, results.NotRun
	test("nothing there", nil)
	test("never started", []results.Attempt{a(0, 1, notRun), a(1, 1, notRun), a(2, 1, notRun)}, "0-2.0=not run()")
	test("never started, with a gap", []results.Attempt{a(0, 0, notRun), a(2, 0, notRun)}, "0.0=not run()", "2.0=not run()")
	test("one rep started", []results.Attempt{a(1, 1, pass), a(0, 1, notRun), a(2, 1, notRun)}, "1.1", "0.0=not run()", "2.0=not run()")
	test("any order", []results.Attempt{a(1, 1, pass), a(0, 2, pass), a(0, 1, infra)}, "0.2", "1.1", "0.1=infra()")
	test("second try passed", []results.Attempt{a(0, 1, infra), a(0, 2, pass)}, "0.2", "0.1=infra()")
	test("second try failed", []results.Attempt{a(0, 1, pass), a(0, 2, fail)}, "0.1", "0.2=fail()")
	test("both passed", []results.Attempt{a(0, 1, pass), a(0, 2, pass)}, "0.2", "0.1=pass(superseded by try 2)")
	test("none passed", []results.Attempt{a(0, 1, infra), a(0, 2, infra)}, "0.1=infra()", "0.2=infra()")
	test("started after all", []results.Attempt{a(0, 1, notRun), a(0, 1, fail)}, "0.1=fail()")
}

// Rows do not depend on the order in which a reader found the attempts.
func TestTableDoesNotDependOnTheOrderOfAttempts(t *testing.T) {
	run := mixedRun()
	exp := &run.Experiments[0]
	exp.Attempts = append(exp.Attempts, attempt("zz", 0, 1, results.Pass, "", 1, 1), attempt("extra", 0, 1, results.Pass, "", 1, 1))
	want := string(write(t, Markdown{}, run))
	for i, j := 0, len(exp.Attempts)-1; i < j; i, j = i+1, j-1 {
		exp.Attempts[i], exp.Attempts[j] = exp.Attempts[j], exp.Attempts[i]
	}
	if diff := cmp.Diff(want, string(write(t, Markdown{}, run))); diff != "" {
		t.Errorf("(-forward +backward):\n%s", diff)
	}
}

func TestNewTableLeavesTheRunAlone(t *testing.T) {
	run := mixedRun()
	NewTable(run, &run.Experiments[0])
	if diff := cmp.Diff(mixedRun(), run); diff != "" {
		t.Errorf("run changed (-want +got):\n%s", diff)
	}
}

// A run in which every rep has a doubt does not bury its table, and the CSV still has them all.
func TestManyDoubts(t *testing.T) {
	run := fullRun()
	for i := range run.Experiments[0].Attempts {
		run.Experiments[0].Attempts[i].Warnings = []string{fmt.Sprintf("doubt %d.", i)}
	}
	for _, f := range []Format{Markdown{}, LaTeX{}} {
		text := string(write(t, f, run))
		if n := strings.Count(text, ": doubt "); n != maxDoubts || !strings.Contains(text, "8 more doubts") {
			t.Errorf("%T: %d of 18 doubts:\n%s", f, n, text)
		}
	}
	if n := strings.Count(string(write(t, CSV{}, run)), ": doubt "); n != 18 {
		t.Errorf("%d of 18 doubts in the CSV", n)
	}
}

package render

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// failed is an attempt with findings, each written as fault@process<cause; the cause may be missing.
func failed(cell string, rep, try int, findings ...string) NotUsed {
	a := attempt(cell, rep, try, results.Fail, "exit status 1")
	for _, text := range findings {
		text, follows, _ := strings.Cut(text, "<")
		fault, process, _ := strings.Cut(text, "@")
		a.Findings = append(a.Findings, results.Finding{Fault: fault, Process: process, Certain: true, Follows: follows,
			Cause: "the cause of " + fault, Cure: "the cure of " + fault,
			Evidence: []results.Evidence{{File: a.Dir + "/m_" + process + ".log", Line: rep + 1, Text: fault}}})
	}
	return NotUsed{Cell: results.Cell{Name: cell}, First: rep, Last: rep, Try: try, Attempt: a}
}

func TestFaultsOf(t *testing.T) {
	never := func(NotUsed) bool { return false }
	test := func(name string, in []NotUsed, want ...string) {
		t.Helper()
		var got []string
		for _, f := range faultsOf(in) {
			got = append(got, fmt.Sprintf("%s: %s [%s]", f.attempts(never), f.name(), f.where()))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	test("nothing", []NotUsed{failed("a", 0, 1)})
	test("the same in two reps", []NotUsed{failed("a", 0, 1, "crash@cn1"), failed("a", 1, 1, "crash@cn1")}, "a rep 0, 1: crash [cn1]")
	test("at another place", []NotUsed{failed("a", 0, 1, "crash@cn1"), failed("a", 1, 1, "crash@cn2")},
		"a rep 0: crash [cn1]", "a rep 1: crash [cn2]")
	test("at several places", []NotUsed{failed("a", 0, 1, "gone@cn0", "gone@cn1"), failed("b", 2, 1, "gone@cn0", "gone@cn1")},
		"a rep 0; b rep 2: gone [cn0, cn1]")
	test("twice at one place", []NotUsed{failed("a", 0, 1, "gone@cn0", "gone@cn0")}, "a rep 0: gone [cn0]")
	test("an effect stands behind its cause", []NotUsed{failed("a", 0, 1, "crash@cn1", "disk@mn", "gone@cn0<crash")},
		"a rep 0: crash [cn1]", "a rep 0: ↳ gone, follows from crash [cn0]", "a rep 0: disk [mn]")
	test("of its own attempt", []NotUsed{failed("a", 0, 1, "crash@cn1"), failed("b", 0, 1, "crash@cn2", "gone@cn0<crash")},
		"a rep 0: crash [cn1]", "b rep 0: crash [cn2]", "b rep 0: ↳ gone, follows from crash [cn0]")
	test("of an effect", []NotUsed{failed("a", 0, 1, "wait@cn0<gone", "gone@cn1<crash", "crash@mn")},
		"a rep 0: crash [mn]", "a rep 0: ↳ gone, follows from crash [cn1]", "a rep 0: ↳ wait, follows from gone [cn0]")
	test("without its cause", []NotUsed{failed("a", 0, 1, "gone@cn0<crash", "disk@mn")},
		"a rep 0: ↳ gone, follows from crash [cn0]", "a rep 0: disk [mn]")
	test("from each other", []NotUsed{failed("a", 0, 1, "x@cn0<y", "y@cn1<x")},
		"a rep 0: ↳ x, follows from y [cn0]", "a rep 0: ↳ y, follows from x [cn1]")
	test("from itself", []NotUsed{failed("a", 0, 1, "x@cn0<x")}, "a rep 0: ↳ x, follows from x [cn0]")
	var many []NotUsed
	for rep := range 9 {
		many = append(many, failed("a", rep, 1, "crash@cn1"))
	}
	test("many", many, "a rep 0, 1, 2, 3, 4, 5 and 3 more: crash [cn1]")
}

// A rep that was tried again says which try had the fault.
func TestFaultsNameTheTry(t *testing.T) {
	run := &results.Run{Experiments: []results.Experiment{{Name: "x", Attempts: []results.Attempt{
		failed("a", 0, 1, "crash@cn1").Attempt,
		attempt("a", 0, 2, results.Pass, "", 2, 1),
		failed("a", 1, 1, "crash@cn1").Attempt,
		failed("b", 2, 1, "crash@cn1").Attempt, failed("b", 2, 2, "crash@cn1").Attempt,
	}}}}
	table := NewTable(run, &run.Experiments[0])
	if len(table.Faults) != 1 {
		t.Fatalf("%d faults", len(table.Faults))
	}
	if got, want := table.Faults[0].attempts(table.severalTries), "a rep 0 (try 1), 1; b rep 2 (try 1), 2 (try 2)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPlace(t *testing.T) {
	for want, f := range map[string]results.Finding{"client on mn": {Process: "client", Node: "mn"}, "cn1": {Process: "cn1", Node: "cn1"},
		"node2": {Node: "node2"}, "cn3": {Process: "cn3"}, "": {}} {
		if got := place(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A run that fails in a hundred ways does not bury its table, and the CSV still has all.
func TestManyFaults(t *testing.T) {
	run := fullRun()
	exp := &run.Experiments[0]
	for i := range 100 {
		exp.Attempts = append(exp.Attempts, failed("sgd", 10+i, 1, fmt.Sprintf("fault-%d@cn0", i)).Attempt)
	}
	_, section, _ := strings.Cut(string(write(t, Markdown{}, run)), "### What went wrong")
	if n := strings.Count(section, "Cause: "); n != maxFaults || !strings.Contains(section, "- 70 more faults in the CSV file.") {
		t.Errorf("%d of 100 causes in\n%s", n, section)
	}
	rows, err := csv.NewReader(strings.NewReader(string(write(t, FaultsCSV{}, run)))).ReadAll()
	if err != nil || len(rows) != 101 {
		t.Errorf("%d lines in the CSV, error %v", len(rows), err)
	}
}

func TestDelta(t *testing.T) {
	run := func(baseline string, cells ...string) *results.Run {
		exp := results.Experiment{Name: "x", Baseline: baseline}
		for _, c := range []string{"one", "two"} {
			exp.Cells = append(exp.Cells, results.Cell{Name: c})
		}
		for _, c := range cells {
			exp.Attempts = append(exp.Attempts, attempt(c, 0, 1, results.Pass, "", 2, 1))
		}
		return &results.Run{Experiments: []results.Experiment{exp}}
	}
	test := func(name string, run *results.Run, note string, want ...string) {
		t.Helper()
		table := NewTable(run, &run.Experiments[0])
		var got []string
		for _, r := range table.Rows {
			got = append(got, r.delta())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if text := strings.Join(table.Notes, "\n"); !strings.Contains(text, note) || note == "" && strings.Contains(text, "No Δ") {
			t.Errorf("%s: no %q in\n%s", name, note, text)
		}
	}
	test("the first", run("one", "one", "two"), "against that of one", "baseline", "0.0 %")
	test("not the first", run("two", "one", "two"), "against that of two", "0.0 %", "baseline")
	test("not run", run("one", "two"), "No Δ: this run has no passed rep of one, the cell to compare with.", absent, absent)
	test("unknown", run("", "one", "two"), "No Δ: this run has no passed rep of a baseline.", absent, absent)
	test("alone", run("one", "one"), "", "baseline", absent)
	test("nothing passed", run("one"), "", absent, absent)
}

package github

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

var update = flag.Bool("update", false, "write the goldens instead of comparing with them")

// input is a run in which attempts ended in every way, and a stream with failed tests.
func input() []Input {
	metric := func(v float64) map[string]results.Metric {
		return map[string]results.Metric{"commit_kops": {Name: "commit_kops", Value: v, Unit: "KOPS"}}
	}
	attempts := []results.Attempt{
		{Cell: "baseline", Rep: 0, Try: 1, Verdict: results.Pass, Metrics: metric(13.64)},
		{Cell: "baseline", Rep: 1, Try: 1, Verdict: results.Infra, Reason: "cn0: connection lost", Dir: "step6/baseline_rep1"},
		{Cell: "baseline", Rep: 1, Try: 2, Verdict: results.Pass, Metrics: metric(13.71)},
		{Cell: "a1", Rep: 0, Try: 1, Verdict: results.Fail, Reason: "100% of\x1b[31m cn1, cn2: exit status 139\n::error::forged", Dir: "step6/a1_rep0",
			Findings: []results.Finding{{Fault: "process-crashed", Cause: "a crash", Cure: "look at the core", Evidence: []results.Evidence{
				{File: "cn1: dmesg", Text: "x"}, {File: "step6/a1_rep0/m_cn1.log", Line: 12, Text: "terminate called"}}}}},
		{Cell: "a1", Rep: 1, Try: 1, Verdict: results.Infra, Reason: "disk full", Dir: "step6/a1,b:c_rep1"},
		{Cell: "a1", Rep: 2, Try: 1, Verdict: results.Unfinished},
		{Cell: "a1", Rep: 3, Try: 1, Verdict: results.NotRun},
	}
	run := &results.Run{Dir: "out/demo", ID: "de<mo>*", System: "minidm", Cluster: "local", Recording: "RECORDING of today, not your cluster", Warnings: []string{"journal.jsonl:3: torn"},
		Experiments: []results.Experiment{{Name: "step6", Test: "TestStep6", Reps: 2, Cells: []results.Cell{{Name: "baseline"}, {Name: "a1", Label: "+a1"}}, Baseline: "baseline", Attempts: attempts}}}
	tests := &results.TestSummary{Pass: 3, Fail: 3, Skip: 1, Failed: []results.TestOutput{
		{Package: "p/e2e", Test: "TestStep6/a1/rep0", Lines: []string{"told by its attempt"}},
		{Package: "p/e2e", Test: "TestSanity", Lines: []string{"sanity_test.go:3: mn: memcached: refused", ""}},
		{Package: "p/verbs", Test: "TestSilent"}},
		Skipped: []results.TestOutput{{Test: "TestDrift", Lines: []string{"no recording: make record"}}}}
	return []Input{{Name: "events.json", Runs: []*results.Run{run}, Tests: tests}}
}

func TestSummary(t *testing.T) {
	var out bytes.Buffer
	if err := Summary(&out, input()); err != nil {
		t.Fatal(err)
	}
	golden(t, "summary.md", out.String())
	if open, closed := strings.Count(out.String(), "<details"), strings.Count(out.String(), "</details>"); open != closed || open != 3 {
		t.Errorf("%d sections open, %d close", open, closed)
	}
}

func TestAnnotations(t *testing.T) {
	var out bytes.Buffer
	if err := Annotations(&out, input()); err != nil {
		t.Fatal(err)
	}
	want := `::error file=out/demo/step6/a1_rep0/m_cn1.log,line=12,title=step6 a1 rep 0%3A fail::100%25 of cn1, cn2: exit status 139 ::error::forged%0Acause: a crash%0Acure: look at the core
::warning file=out/demo/step6/a1%2Cb%3Ac_rep1/cell.json,title=step6 a1 rep 1%3A infra::disk full
::warning title=step6 a1 rep 2%3A unfinished::no reason was recorded
::error title=p/e2e TestSanity::sanity_test.go:3: mn: memcached: refused
::error title=p/verbs TestSilent::failed
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// GitHub shows ten annotations of a kind; the rest is counted.
func TestAnnotationsAreBounded(t *testing.T) {
	in := input()
	exp := &in[0].Runs[0].Experiments[0]
	for rep := range 100 {
		exp.Attempts = append(exp.Attempts, results.Attempt{Cell: "x", Rep: rep, Try: 1, Verdict: results.Fail})
	}
	var out bytes.Buffer
	if err := Annotations(&out, in); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "::error "); n != maxAnnotations || !strings.Contains(out.String(), "::notice title=gotestbed::93 more of kind error") {
		t.Errorf("%d errors in\n%s", n, out.String())
	}
}

// A summary that is too large would be dropped as a whole.
func TestSummaryIsBounded(t *testing.T) {
	in := input()
	run := in[0].Runs[0]
	for range 300 {
		exp := run.Experiments[0]
		exp.Question = strings.Repeat("why ", 40)
		for rep := range 20 {
			exp.Attempts = append(exp.Attempts[:len(exp.Attempts):len(exp.Attempts)], results.Attempt{Cell: "x", Rep: rep, Try: 1, Verdict: results.Fail, Reason: strings.Repeat("reason ", 25)})
		}
		run.Experiments = append(run.Experiments, exp)
	}
	var out bytes.Buffer
	if err := Summary(&out, in); err != nil {
		t.Fatal(err)
	}
	if out.Len() > maxSummary || out.Len() < maxSummary/2 || !strings.Contains(out.String(), "too large for a job summary") {
		t.Errorf("%d bytes", out.Len())
	}
}

// Whatever a reason says, it stays on its line and inside its command.
func FuzzAnnotations(f *testing.F) {
	f.Add("a\n::error::b", "c,d:e\r\n::set-output")
	f.Fuzz(func(t *testing.T, reason, dir string) {
		run := &results.Run{Dir: "out", Experiments: []results.Experiment{{Name: reason, Attempts: []results.Attempt{{Cell: dir, Verdict: results.Fail, Reason: reason, Dir: dir}}}}}
		var out bytes.Buffer
		if err := Annotations(&out, []Input{{Runs: []*results.Run{run}}}); err != nil {
			t.Fatal(err)
		}
		if strings.Count(out.String(), "\n") != 1 || strings.Contains(out.String(), "\r") || !strings.HasPrefix(out.String(), "::error ") {
			t.Fatalf("%q", out.String())
		}
	})
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

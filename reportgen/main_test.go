package main

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

const (
	known     = "../testdata/old-runs/aura_v27_step6_20260101_000000"
	knownFull = "../testdata/old-runs/aura_v27_step6_20260101_010000"
)

// runMain runs the program.
func runMain(stdin string, args ...string) (stdout, stderr string, status int) {
	var out, err bytes.Buffer
	status = reportgen(args, strings.NewReader(stdin), &out, &err)
	return out.String(), err.String(), status
}

func TestGoldens(t *testing.T) {
	for name, args := range map[string][]string{
		"demo":        {"testdata/demo"},
		"demo-stream": {"testdata/demo.jsonl"},
		"skipped":     {"testdata/skipped.jsonl"},
		"known":       {known},
		"known-full":  {knownFull},
		"both":        {known, "testdata/demo"},
	} {
		stdout, stderr, status := runMain("", args...)
		if status != statusOK {
			t.Errorf("reportgen %v: status %d", args, status)
		}
		golden(t, name+".stdout", stdout)
		golden(t, name+".stderr", stderr)
	}
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
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// The values that are known of the older runs, whatever else the table looks like.
func TestKnownValues(t *testing.T) {
	stdout, _, _ := runMain("", known)
	for _, want := range []string{"full_v27", "13.64 [13.58, 13.71]", "75 %", "a 95 % interval needs 6 reps"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	stdout, _, _ = runMain("", knownFull)
	for _, want := range []string{"14.32", "13.70", "0.957", "12.1"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// A run's directory, its stream in a file and its stream on the standard input must print the same bytes.
func TestDirectoryAndStreamPrintTheSame(t *testing.T) {
	events, err := os.ReadFile("testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ := runMain("", "testdata/demo")
	for name, got := range map[string]func() (string, string, int){
		"file":            func() (string, string, int) { return runMain("", "testdata/demo.jsonl") },
		"stdin":           func() (string, string, int) { return runMain(string(events), "-") },
		"after noise":     func() (string, string, int) { return runMain("go: downloading x v1\n\n"+string(events), "-") },
		"directory again": func() (string, string, int) { return runMain("", "testdata/demo/") },
	} {
		stdout, _, status := got()
		if status != statusOK {
			t.Errorf("%s: status %d", name, status)
		}
		if diff := cmp.Diff(want, stdout); diff != "" {
			t.Errorf("%s (-directory +stream):\n%s", name, diff)
		}
	}
}

// results.txt is an input as well: the numbers of the used attempts come out as they went in.
func TestBenchmarkTextMakesTheTableAgain(t *testing.T) {
	dir := t.TempDir()
	runMain("", "-o", dir, known)
	text, err := os.ReadFile(filepath.Join(dir, "results.txt"))
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := runMain(string(text), "-")
	if status != statusOK || !strings.Contains(stdout, "13.64 [13.58, 13.71]") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}

func TestErrors(t *testing.T) {
	empty := t.TempDir()
	for name, c := range map[string]struct {
		stdin  string
		args   []string
		status int
		want   string
	}{
		"no argument":     {"", nil, statusUsage, "no RUN given"},
		"unknown flag":    {"", []string{"-x", known}, statusUsage, "-x"},
		"stdin twice":     {"", []string{"-", "-"}, statusUsage, "one standard input"},
		"help":            {"", []string{"-h"}, statusOK, "Usage: reportgen"},
		"missing":         {"", []string{"testdata/nothing"}, statusInput, "testdata/nothing"},
		"empty directory": {"", []string{empty}, statusInput, "not a run directory"},
		"empty input":     {" \n", []string{"-"}, statusInput, "<stdin>: empty"},
		"no benchmark":    {"hello\nworld\n", []string{"-"}, statusInput, "<stdin>"},
		"failed, no experiment": {`{"Action":"start","Package":"p"}` + "\n" + `{"Action":"run","Package":"p","Test":"TestX"}` + "\n" +
			`{"Action":"fail","Package":"p","Test":"TestX"}` + "\n" + `{"Action":"fail","Package":"p"}` + "\n",
			[]string{"-"}, statusInput, "the run did not pass: tests failed\n<stdin>: failed: TestX"},
		"one of two is bad": {"", []string{known, "testdata/nothing"}, statusInput, "testdata/nothing"},
		"-o is a file":      {"", []string{"-o", "main.go", known}, statusInput, "main.go"},
		"-o, one run twice": {"", []string{"-o", empty, known, known}, statusInput, "give one of them"},
	} {
		stdout, stderr, status := runMain(c.stdin, c.args...)
		if status != c.status || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, want %d, and %q in\n%s", name, status, c.status, c.want, stderr)
		}
		if name == "one of two is bad" && !strings.Contains(stdout, "13.64") {
			t.Errorf("%s: the good one is not printed", name)
		}
	}
}

func TestSkippedStreamSaysWhy(t *testing.T) {
	stdout, stderr, status := runMain("", "testdata/skipped.jsonl")
	if stdout != "" || status != statusOK {
		t.Errorf("status %d, stdout %q; want 0 and nothing", status, stdout)
	}
	for _, want := range []string{"no experiment", "0 passed, 0 failed, 3 skipped, 0 incomplete",
		"skipped: live experiments need a cluster: add -tags local: TestStep6, TestTuner", "TestSanity/replay has no recording: TestSanity"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
}

func TestFilesOfSeveralRuns(t *testing.T) {
	dir := t.TempDir()
	if _, stderr, status := runMain("", "-o", dir, known, "testdata/demo"); status != statusOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	for _, name := range []string{"report.md", "report.html", "macros.tex", "step6.md", "results.txt",
		"demo/step6.md", "demo/step6.csv", "demo/step6.attempts.csv", "demo/step6.faults.csv", "demo/step6.tex", "demo/results.txt"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A thousand reps with the same trouble make ten messages and a count.
func TestMessagesAreBounded(t *testing.T) {
	exp := results.Experiment{Name: "step6"}
	for rep := range 1000 {
		exp.Attempts = append(exp.Attempts, results.Attempt{Cell: "a", Rep: rep, Verdict: results.Pass, Warnings: []string{"odd"}},
			results.Attempt{Cell: "b", Rep: rep, Try: 1, Verdict: results.Fail, Tail: []string{"the end"}})
	}
	var out bytes.Buffer
	messages(&out, &input{name: "x", runs: []*results.Run{{Experiments: []results.Experiment{exp}}}})
	for text, want := range map[string]int{": odd\n": 10, "| the end\n": 10, "990 more doubts": 1, "990 more attempts": 1} {
		if n := strings.Count(out.String(), text); n != want {
			t.Errorf("%q stands %d times, want %d", text, n, want)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const oldRuns = "../testdata/old-runs/"

// try runs the program and looks at its status, and for a text on each of its outputs.
func try(t *testing.T, status int, out, err string, args ...string) (stdout string) {
	t.Helper()
	stdout, stderr, got := runMain("", args...)
	if got != status || !strings.Contains(stdout, out) || !strings.Contains(stderr, err) {
		t.Errorf("reportgen %v: status %d, want %d, %q on stdout and %q on stderr:\n%s\n%s", args, got, status, out, err, stdout, stderr)
	}
	return stdout
}

func TestCompare(t *testing.T) {
	first, second := oldRuns+"aura_v27_step6_20260101_000000", oldRuns+"aura_v27_step6_20260101_010000"
	golden(t, "compare.md", try(t, statusOK, "+0.4 % ", "", "compare", first, second))
	try(t, statusOK, "\\begin{table*}", "", "compare", "-format", "latex", first, second)
	try(t, statusOK, "<!DOCTYPE html>", "", "compare", "-format", "html", first, second)
	try(t, statusOK, "step6,full_v27,commit_kops,KOPS,", "", "compare", "-format", "csv", first, second)
	try(t, statusOK, "aura_v27_step6_20260101_010000", "", "compare", oldRuns+"*")
	try(t, statusOK, "## step6: commit_kops (KOPS)", "", "compare", "-metric", "commit_kops", "testdata/demo", "testdata/demo.jsonl")
	try(t, statusInput, "", "no run has the metric colour", "compare", "-metric", "commit_kops,colour", first, second)
	try(t, statusInput, "", "only one run", "compare", first)
	try(t, statusInput, "", "testdata/nothing", "compare", first, "testdata/nothing")
	try(t, statusUsage, "", "takes an OLD", "compare")
	try(t, statusUsage, "", "-format pdf", "compare", "-format", "pdf", first, second)
	try(t, statusOK, "", "Usage: reportgen compare", "compare", "-h")
}

// A stream that holds two runs compares them; two runs of one name get names that differ.
func TestCompareRunsOfOneStream(t *testing.T) {
	one, err := os.ReadFile("testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	both := string(one) + strings.ReplaceAll(string(one), "/demo", "/later")
	stdout, stderr, status := runMain(both, "compare", "-metric", "commit_kops", "-")
	if status != statusOK || !strings.Contains(stdout, "# Comparison of demo and later") {
		t.Errorf("status %d\n%s\n%s", status, stdout, stderr)
	}
	try(t, statusOK, "Comparison of testdata/demo and testdata/demo (2)", "", "compare", "testdata/demo", "testdata/demo")
}

func TestClaims(t *testing.T) {
	run := oldRuns + "aura_v27_step6_20260101_000000"
	holds := filepath.Join(t.TempDir(), "claims.yaml")
	text := "system: AURA\nclaims:\n- {claim: c, experiment: step6, metric: commit_kops, value: {cell: full_v27, is: 13.64}, tolerance: 1 %}\n"
	if err := os.WriteFile(holds, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	golden(t, "claims.md", try(t, statusOK, "not record hardware, nic", "1 supported, 1 too little data", "claims", "-f", "claims/testdata/aura.yaml", run))
	try(t, statusClaims, "too little data", "", "claims", "-check", "-f", "claims/testdata/aura.yaml", run)
	try(t, statusOK, "supported", "1 supported", "claims", "-check", "-f", holds, run)
	try(t, statusOK, "number,line,claim", "", "claims", "-format", "csv", "-f", holds, run)
	try(t, statusInput, "", "claims.yaml", "claims", run) // there is none here
	try(t, statusUsage, "", "no RUN", "claims")
	try(t, statusOK, "## step6", "", "-claims", holds, run)
	try(t, statusOK, "# Claims of ", "1 supported", "-check", "-claims", holds, run)
	try(t, statusClaims, "## step6", "1 too little data", "-check", "-claims", "claims/testdata/aura.yaml", run)
	try(t, statusInput, "## step6", "claims.yaml", "-check", run)
	t.Chdir(filepath.Dir(holds))
	try(t, statusInput, "", "nowhere", "-check", "nowhere")
}

func TestGitHub(t *testing.T) {
	try(t, statusOK, "<details open><summary><b>step6</b>", "::error file=testdata/demo/step6/", "-format", "github", "testdata/demo")
	try(t, statusUsage, "", "-format pdf", "-format", "pdf", "testdata/demo")
}

func TestWatch(t *testing.T) {
	dir := t.TempDir()
	journal := `{"time":"2026-11-30T12:00:00Z","event":"planned","experiment":"step6","cell":"a1","rep":0,"try":1}` + "\n" +
		`{"time":"2026-11-30T12:00:33Z","event":"run-ended","rep":0}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), []byte(journal), 0o666); err != nil {
		t.Fatal(err)
	}
	try(t, statusOK, "12:00:33 the run has ended: 1 not run\n", "", "watch", dir)
	try(t, statusUsage, "", "not a directory", "watch", filepath.Join(dir, "journal.jsonl"))
	try(t, statusUsage, "", "takes one RUN", "watch")
	try(t, statusUsage, "", "takes one RUN", "watch", "-every", "0s", dir)
}

// Several summary.csv at once, whoever expands the pattern; a name with the signs of a pattern in it is a name.
func TestPatterns(t *testing.T) {
	dir := t.TempDir()
	rows := "cell,rep,tried_kops,commit_kops,atomic_per_txn,cn_balance\n"
	for name, row := range map[string]string{"aura_v27_step6_20260101_000000": "+a1,0,20,16,1.5,0.9\n", "aura_v27_a1b_20260101_000000": "sgd,0,20,17,1.5,0.9\n", "odd[1]*": "x,0,20,18,1,1\n"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "summary.csv"), []byte(rows+row), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	quoted := try(t, statusOK, "## a1b", "", filepath.Join(dir, "aura_v27_*", "summary.csv"))
	expanded := try(t, statusOK, "## step6", "", filepath.Join(dir, "aura_v27_a1b_20260101_000000", "summary.csv"), filepath.Join(dir, "aura_v27_step6_20260101_000000", "summary.csv"))
	if quoted != expanded {
		t.Errorf("quoted:\n%s\nexpanded:\n%s", quoted, expanded)
	}
	directories := try(t, statusOK, "## step6", "", filepath.Join(dir, "aura_v27_*"))
	if directories != quoted {
		t.Errorf("directories:\n%s\nfiles:\n%s", directories, quoted)
	}
	try(t, statusOK, "18.00", "", filepath.Join(dir, "odd[1]*"))
	try(t, statusInput, "", "nothing*", filepath.Join(dir, "nothing*"))
}

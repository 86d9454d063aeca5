package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// demoFiles writes the files of the demo run and returns their directory.
func demoFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if _, stderr, status := runMain("", "-o", dir, "testdata/demo"); status != statusOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	return dir
}

func TestFiles(t *testing.T) {
	dir := demoFiles(t)
	for _, name := range []string{"step6.md", "step6.csv", "step6.attempts.csv", "step6.faults.csv", "step6.tex", "results.txt"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, string(data))
	}
}

// benchstat itself reads results.txt, compares the cells of one run and the same cells of two.
func TestBenchstatReadsResults(t *testing.T) {
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not in PATH: benchstat cannot be run")
	}
	demo := filepath.Join(demoFiles(t), "results.txt")
	benchstat := func(args ...string) string {
		out, err := exec.Command(gotool, append([]string{"tool", "benchstat"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("benchstat %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	one := benchstat("-col", "/cell", demo)
	for _, want := range []string{"full_v27", "baseline", "commit-txn/s", "13.675k", "system: minidm"} {
		if !strings.Contains(one, want) {
			t.Errorf("no %q in\n%s", want, one)
		}
	}
	two := benchstat(demo, another(t, demo))
	if n := strings.Count(two, "commit-txn/s"); n != 2 {
		t.Errorf("commit-txn/s stands %d times, want once per file in one table:\n%s", n, two)
	}
}

// another copies results.txt as that of another run.
func another(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "run: demo", "run: later", 1)
	if text == string(data) {
		t.Fatal("the run is not named in results.txt")
	}
	name := filepath.Join(t.TempDir(), "results.txt")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

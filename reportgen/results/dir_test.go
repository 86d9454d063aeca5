package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const testdata = "../../testdata"

// write makes the files of a run directory and returns the directory.
func write(t testing.TB, base string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), base)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			continue
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func readDir(t *testing.T, dir string) *Run {
	t.Helper()
	run, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// line is one attempt in short.
type line struct {
	Cell     string
	Rep, Try int
	Verdict  Verdict
	Reason   string
	KOPS     float64
}

func short(e Experiment) []line {
	var got []line
	for _, a := range e.Attempts {
		got = append(got, line{a.Cell, a.Rep, a.Try, a.Verdict, a.Reason, a.Metrics["commit_kops"].Value})
	}
	return got
}

const (
	goodLog = "Tried: 2000 Committed: 1600\nTried Throughput: 20 KOPS, Commit Troughput: 16 KOPS \n"
	runJSON = `{"version": 1, "id": "r1", "tag": "local", "system": "minidm", "cluster": {"name": "five"},
 "experiments": [{"name": "step6", "test": "TestStep6", "question": "RQ1", "reps": 2, "order": "interleaved", "seed": 7,
  "cells": [{"name": "baseline", "label": "baseline", "levers": []}, {"name": "a1", "label": "+a1", "levers": ["a1"]}]}]}`
	journal = `{"event":"planned","experiment":"step6","cell":"baseline","rep":0,"try":1}
{"event":"planned","experiment":"step6","cell":"a1","rep":0,"try":1}
{"event":"planned","experiment":"step6","cell":"baseline","rep":1,"try":1}
{"event":"planned","experiment":"step6","cell":"a1","rep":1,"try":1}
{"event":"started","experiment":"step6","cell":"a1","rep":0,"try":1,"dir":"step6/a1_rep0"}
{"event":"ended","experiment":"step6","cell":"a1","rep":0,"try":1,"verdict":"infra","reason":"cn1: connection lost"}
{"event":"started","experiment":"step6","cell":"a1","rep":0,"try":2,"dir":"step6/a1_rep0/try2"}
{"event":"ended","experiment":"step6","cell":"a1","rep":0,"try":2,"verdict":"pass"}
{"event":"started","experiment":"step6","cell":"baseline","rep":0,"try":1,"dir":"step6/baseline_rep0"}
{"event":"ended","experiment":"step6","cell":"baseline","rep":0,"try":1,"verdict":"pass"}
{"event":"started","experiment":"step6","cell":"baseline","rep":1,"try":1,"dir":"step6/baseline_rep1"}
`
)

// cutShort is a run that was killed in the middle of its third attempt.
func cutShort() map[string]string {
	return map[string]string{
		runFile: runJSON, journalFile: journal,
		"step6/a1_rep0/m_client.log": "x\n", "step6/a1_rep0/cell.json": `{"verdict":"infra","exits":{"client":"signal: killed"}}`,
		"step6/a1_rep0/try2/m_client.log": goodLog, "step6/a1_rep0/try2/cell.json": `{"metrics":[{"name":"commit_kops","value":16,"unit":"KOPS"}]}`,
		"step6/baseline_rep0/m_client.log": "\x1b[32m[ 1][a.cc:1] start\x1b[0m\n", "step6/baseline_rep0/cell.json": `{"exits":{"client":"exit status 139","cn0":"exit status 0","mn":"0"}}`,
		"step6/baseline_rep1/m_client.log": "half",
	}
}

func TestReadDir(t *testing.T) {
	run := readDir(t, write(t, "r1", cutShort()))
	if run.ID != "r1" || run.System != "minidm" || run.Cluster != "five" || run.Tag != "local" || len(run.Warnings) > 0 || len(run.Experiments) != 1 {
		t.Fatalf("run %+v", run)
	}
	e := run.Experiments[0]
	want := []line{
		{"baseline", 0, 1, Fail, "recorded as pass, but client: no summary in the 1 lines of m_client.log (client: exit status 139)", 0},
		{"baseline", 1, 1, Unfinished, "", 0},
		{"a1", 0, 1, Infra, "cn1: connection lost", 0},
		{"a1", 0, 2, Pass, "", 16},
		{"a1", 1, 1, NotRun, "", 0},
	}
	if diff := cmp.Diff(want, short(e)); diff != "" {
		t.Errorf("attempts (-want +got)\n%s", diff)
	}
	wantCells := []Cell{{Name: "baseline", Label: "baseline", Levers: []string{}}, {Name: "a1", Label: "+a1", Levers: []string{"a1"}}}
	if diff := cmp.Diff(wantCells, e.Cells); diff != "" {
		t.Errorf("cells (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"[ 1][a.cc:1] start"}, e.Attempts[0].Tail); diff != "" {
		t.Errorf("tail (-want +got)\n%s", diff)
	}
	var positions []int
	for _, a := range e.Attempts {
		positions = append(positions, a.Position)
	}
	if diff := cmp.Diff([]int{2, 3, 0, 1, -1}, positions); diff != "" {
		t.Errorf("positions (-want +got)\n%s", diff)
	}
	origin := []Origin{{File: "step6/a1_rep0/try2/m_client.log", Line: 2}}
	if diff := cmp.Diff(origin, e.Attempts[3].Metrics["commit_kops"].Origins); diff != "" {
		t.Errorf("origins (-want +got)\n%s", diff)
	}
}

// TestReadDirBroken takes files of a run away or spoils them: the rest is still read, and a warning says what is wrong.
func TestReadDirBroken(t *testing.T) {
	check := func(name string, spoil func(map[string]string), warning string, attempts int) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			files := cutShort()
			spoil(files)
			run := readDir(t, write(t, "r1", files))
			warnings, n := run.Warnings, 0
			for _, e := range run.Experiments {
				n += len(e.Attempts)
				for _, a := range e.Attempts {
					warnings = append(warnings, a.Warnings...)
				}
			}
			if n != attempts {
				t.Errorf("%d attempts, want %d", n, attempts)
			}
			if got := strings.Join(warnings, "\n"); !strings.Contains(got, warning) {
				t.Errorf("warnings:\n%s\nwant %q", got, warning)
			}
		})
	}
	tail := func(add string) func(map[string]string) {
		return func(f map[string]string) { f[journalFile] += add }
	}
	check("torn last line", tail(`{"event":"ended","experiment":"st`), "journal.jsonl:12: the last line is torn and was dropped", 5)
	check("whole last line without its end", tail(`{"event":"ended","experiment":"step6","cell":"baseline","rep":1,"try":1,"verdict":"fail"}`), "", 5)
	check("junk in the journal", tail("\x00\xff\n"), "journal.jsonl:12: invalid character", 5)
	check("long line in the journal", tail(strings.Repeat("x", 1<<17)+"\n"), "journal.jsonl:12: line is longer than 65536 bytes", 5)
	check("unknown verdict", tail(`{"event":"ended","experiment":"step6","cell":"baseline","rep":1,"try":1,"verdict":"good"}`+"\n"), `journal.jsonl:12: unknown verdict "good"`, 5)
	check("unknown event", tail(`{"event":"paused","experiment":"step6","cell":"baseline"}`+"\n"), `journal.jsonl:12: unknown event "paused"`, 5)
	check("no cell", tail(`{"event":"ended"}`+"\n"), `journal.jsonl:12: event "ended" does not say which attempt`, 5)
	check("cut short", tail(`{"event":"run-ended","reason":"interrupt"}`+"\n"), "journal.jsonl:12: the run was cut short: interrupt", 5)
	check("directory outside", tail(`{"event":"started","experiment":"step6","cell":"x","dir":"../../etc"}`+"\n"), `no cell directory below the run directory: "../../etc"`, 6)
	check("run.json broken", func(f map[string]string) { f[runFile] = "{\n\"version\": 1,\n\"id\": }" }, "run.json:3: invalid character", 5)
	check("run.json of another version", func(f map[string]string) { f[runFile] = `{"version": 2}` }, "run.json: version 2", 5)
	check("no run.json", func(f map[string]string) { delete(f, runFile) }, "run.json: missing", 5)
	check("no journal", func(f map[string]string) { delete(f, journalFile) }, "journal.jsonl: missing", 0)
	check("empty journal", func(f map[string]string) { f[journalFile] = "" }, "", 0)
	check("cell.json broken", func(f map[string]string) { f["step6/a1_rep0/try2/cell.json"] = "{" }, "step6/a1_rep0/try2/cell.json:1: unexpected end", 5)
	check("cell.json missing", func(f map[string]string) { delete(f, "step6/a1_rep0/try2/cell.json") }, "step6/a1_rep0/try2/cell.json: missing", 5)
	check("cell.json edited", func(f map[string]string) {
		f["step6/a1_rep0/try2/cell.json"] = `{"metrics":[{"name":"commit_kops","value":99},{"name":"cn_balance","value":1}]}`
	}, "commit_kops: step6/a1_rep0/try2/cell.json says 99, the logs say 16\ncn_balance: step6/a1_rep0/try2/cell.json says 1, the logs do not say", 5)
}

func TestReadDirCellDirectoryGone(t *testing.T) {
	files := cutShort()
	for name := range files {
		if strings.HasPrefix(name, "step6/a1_rep0/try2") {
			delete(files, name)
		}
	}
	a := readDir(t, write(t, "r1", files)).Experiments[0].Attempts[3]
	if a.Verdict != Fail || a.Reason != "recorded as pass, but the cell directory is missing" {
		t.Errorf("%s: %q", a.Verdict, a.Reason)
	}
}

// TestReadDirKilledBeforeJournal: cell.json stands, the journal does not yet say that the attempt ended.
func TestReadDirKilledBeforeJournal(t *testing.T) {
	files := cutShort()
	files["step6/baseline_rep1/m_client.log"] = goodLog
	files["step6/baseline_rep1/cell.json"] = `{"verdict":"pass"}`
	a := readDir(t, write(t, "r1", files)).Experiments[0].Attempts[1]
	if a.Verdict != Pass || a.Metrics["commit_kops"].Value != 16 {
		t.Errorf("%s, metrics %v", a.Verdict, a.Metrics)
	}
}

func TestReadDirErrors(t *testing.T) {
	if _, err := ReadDir(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("no directory: %v", err)
	}
	_, err := ReadDir(write(t, "empty", map[string]string{"notes.txt": "x"}))
	if err == nil || !strings.Contains(err.Error(), "not a run directory") {
		t.Errorf("no run: %v", err)
	}
}

var approx = cmpopts.EquateApprox(1e-9, 0)

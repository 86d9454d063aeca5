package results

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const fullRunJSON = `{"version": 1, "id": "r1", "started": "2026-01-31T10:00:00Z", "go": "go1.26", "commit": "abc", "tag": "cloudlab", "system": "AURA",
 "cluster": {"name": "utah", "profile": "small-lan", "site": "CloudLab Utah", "nodes": [
  {"name": "mn", "roles": ["mn", "client"], "address": "10.10.1.3", "device": "mlx5_2", "hardware": "c6525-25g",
   "facts": {"nic": "ConnectX-6 Dx", "ofed": "unknown: no ofed_info"}}]},
 "binaries": {"AURA/bench_runner": "aa"},
 "experiments": [{"name": "drift", "reps": 1, "params": {"duration_s": 2.5, "txns": 200000, "threads": 2, "coros": 4}, "notes": ["scaled down"],
  "cells": [{"name": "no_drift"}, {"name": "no_drift_aa", "aa_of": "no_drift"},
   {"name": "cn12", "deferred": {"criterion": 4, "text": "cost", "date": "2026-01-02", "reason": "five nodes"}}]}]}`

func TestRunFile(t *testing.T) {
	run := readDir(t, write(t, "r1", map[string]string{runFile: fullRunJSON, journalFile: ""}))
	want := &Run{Dir: run.Dir, ID: "r1", Started: "2026-01-31T10:00:00Z", Go: "go1.26", Commit: "abc", Tag: "cloudlab", System: "AURA",
		Cluster: "utah", Profile: "small-lan", Site: "CloudLab Utah",
		Nodes: []Node{{Name: "mn", Roles: []string{"mn", "client"}, Address: "10.10.1.3", Device: "mlx5_2", Hardware: "c6525-25g",
			Facts: map[string]string{"nic": "ConnectX-6 Dx", "ofed": "unknown: no ofed_info"}}},
		Binaries: map[string]string{"AURA/bench_runner": "aa"},
		Experiments: []Experiment{{Name: "drift", Reps: 1, Params: Params{DurationS: 2.5, Txns: 200000, Threads: 2, Coros: 4},
			Notes: []string{"scaled down"}, Baseline: "no_drift",
			Cells: []Cell{{Name: "no_drift"}, {Name: "no_drift_aa", AAOf: "no_drift"},
				{Name: "cn12", Deferred: &Deferral{Criterion: 4, Text: "cost", Date: "2026-01-02", Reason: "five nodes"}}}}}}
	if diff := cmp.Diff(want, run); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A value of another type costs that value, not the run.
func TestRunFileOtherType(t *testing.T) {
	files := cutShort()
	files[runFile] = strings.Replace(runJSON, `"name": "five"`, "\"name\": \"five\",\n\"profile\": 7", 1)
	run := readDir(t, write(t, "r1", files))
	if run.Cluster != "five" || run.Profile != "" || run.Experiments[0].Cells[1].Label != "+a1" {
		t.Errorf("%+v", run)
	}
	if got := strings.Join(run.Warnings, "\n"); !strings.Contains(got, "run.json:2: json: cannot unmarshal number") {
		t.Errorf("warnings %q", got)
	}
}

// A stream tells of deferred cells in its plan, and by the attribute of the test that was skipped.
func TestDeferredInStream(t *testing.T) {
	const deferral = `{"criterion": 4, "text": "cost", "date": "2026-01-02", "reason": "five nodes"}`
	var s stream
	s.add("run", "TestScaleOut")
	s.attr("TestScaleOut", "plan", `{"name":"scaleout","cells":[{"name":"cn1"},{"name":"cn8"},{"name":"cn12","deferred":`+deferral+`}]}`)
	s.attr("TestScaleOut", "selected", "cn1/rep0 cn8/rep0 cn12/rep0")
	s.add("run", "TestScaleOut/cn8")
	s.attr("TestScaleOut/cn8", "deferred", deferral)
	s.add("skip", "TestScaleOut/cn8")
	s.add("run", "TestScaleOut/cn12")
	s.attr("TestScaleOut/cn12", "deferred", "{")
	s.add("skip", "TestScaleOut/cn12")
	s.add("pass", "TestScaleOut")
	run := readEvents(t, s.String()).Runs[0]
	d := &Deferral{Criterion: 4, Text: "cost", Date: "2026-01-02", Reason: "five nodes"}
	if diff := cmp.Diff([]Cell{{Name: "cn1"}, {Name: "cn8", Deferred: d}, {Name: "cn12", Deferred: d}}, run.Experiments[0].Cells); diff != "" {
		t.Errorf("cells (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]line{{Cell: "cn1", Try: 1, Verdict: NotRun}}, short(run.Experiments[0])); diff != "" {
		t.Errorf("attempts (-want +got)\n%s", diff)
	}
	if len(run.Warnings) != 1 || !strings.Contains(run.Warnings[0], "TestScaleOut/cn12: the deferral cannot be read") {
		t.Errorf("warnings %q", run.Warnings)
	}
}

package crestlog

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestPhases states the switches that a log tells, and what was complained of.
func TestPhases(t *testing.T) {
	check := func(name, in string, want []Phase, bad ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			n, l := seriesOf(t, in)
			if diff := cmp.Diff(want, n.Phases); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if l.PhasePoints != len(n.Phases) {
				t.Errorf("counted %d, handed out %d", l.PhasePoints, len(n.Phases))
			}
			var lines []string
			for _, e := range l.Bad {
				lines = append(lines, e.Error())
			}
			if diff := cmp.Diff(bad, lines); diff != "" {
				t.Errorf("bad lines (-want +got)\n%s", diff)
			}
		})
	}
	check("behind a prefix", "\x1b[32m[  51][drift.go:12] drift: phase 2 hot=0-3 [t=5.00s]\x1b[0m\n", []Phase{{1, 5, 2, "hot=0-3"}})
	check("several words", "drift: phase 10 hot=1,2,3 of 8 [t=0.167s]\n", []Phase{{1, 0.167, 10, "hot=1,2,3 of 8"}})
	check("no words", "drift: phase 1 [t=5s]\n", []Phase{{1, 5, 1, ""}})
	check("no number", "drift: phase two [t=5s]\n", nil, `log:1: phase: no number in "two "`)
	check("a fraction", "drift: phase 1.5 [t=5s]\n", nil, `log:1: phase: no number in "1.5 "`)
	check("no time", "drift: phase 1 hot=0 [t=-nans]\n", nil, `log:1: phase: no time in "-nan"`)
	check("before the start", "drift: phase 1 hot=0 [t=-1s]\n", nil, `log:1: phase: no time in "-1"`)
	check("cut", "drift: phase 1 hot=0 [t=1", nil)
	check("an earlier run", "Read configuration file\ndrift: phase 1 a [t=1s]\nRead configuration file\ndrift: phase 1 b [t=2s]\n", []Phase{{4, 2, 1, "b"}})
}

func seriesOf(t *testing.T, in string) (*NodeSeries, *Log) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "m_cn0.log"), []byte(in), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := ReadSeries(dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	s.CNs[0].Log.Name = "log"
	for _, e := range s.CNs[0].Log.Bad {
		e.File = "log"
	}
	return s.CNs[0], s.CNs[0].Log
}

// TestReadSeries reads a cell directory: three compute nodes of which one has no log, and a client.
func TestReadSeries(t *testing.T) {
	const interval = "[ 5000000][a.go:1] Tried txn thpt: 2.00 KOPS, committed txn thpt: 1.50 KOPS, abort rate: 0.25\n"
	const weights = "[ 5000001][a.go:2] self-tuned sgd [t=0.50s] atomic=1 rpc=2 move=3 load=4\n"
	start := "Read configuration file succeed\n"
	run := t.TempDir()
	dir := filepath.Join(run, "drift", "drift_5sec_rep0")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"m_cn0.log":         start + interval + weights + start + interval + "drift: phase 1 hot=0 [t=0.50s]\n" + weights,
		"m_cn0.details.txt": "tpcc.A.lat: average: 1 p50: 2 p99: 3 p999: 4\ntpcc.A.read.lat: average: 1 p50: 2 p99: 3 p999: 4\n",
		"m_cn2.log":         "",
		"m_client.log":      "CN0 has finished\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadSeries(run, dir)
	if err != nil {
		t.Fatal(err)
	}
	want := &Series{
		CNs: []*NodeSeries{{
			Process:   "cn0",
			Intervals: []Interval{{Line: 5, Tick: 5000000, TriedKOPS: 2, CommitKOPS: 1.5, AbortRate: 0.25}},
			Weights:   []Weights{{Line: 7, Seconds: 0.5, Atomic: 1, RPC: 2, Move: 3, Load: 4}},
			Phases:    []Phase{{Line: 6, Seconds: 0.5, N: 1, Text: "hot=0"}},
			Details:   &Details{Name: "drift/drift_5sec_rep0/m_cn0.details.txt", Blocks: 1, Line: 1, Histograms: map[string]Histogram{"tpcc.A.lat": {1, 1, 2, 3, 4}}},
		}, nil, {Process: "cn2"}},
		Others: []*NodeSeries{{Process: RoleClient}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(NodeSeries{}, "Log")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if name := got.CNs[0].Log.Name; name != "drift/drift_5sec_rep0/m_cn0.log" {
		t.Errorf("log %s", name)
	}
}

func TestSeriesBounded(t *testing.T) {
	var n NodeSeries
	o := n.options()
	for range maxSeries + 7 {
		o.Weights(Weights{})
	}
	if len(n.Weights) != maxSeries || n.Dropped != 7 {
		t.Errorf("%d kept, %d dropped", len(n.Weights), n.Dropped)
	}
	o.Restart()
	if n.Weights != nil || n.Dropped != 0 {
		t.Errorf("after a restart %d kept, %d dropped", len(n.Weights), n.Dropped)
	}
}

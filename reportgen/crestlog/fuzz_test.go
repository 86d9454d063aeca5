package crestlog

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// seed adds every file that matches the patterns under testdata.
func seed(f *testing.F, patterns ...string) {
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join(testdata, pattern))
		if err != nil || len(names) == 0 {
			f.Fatalf("%s: %v, %d files", pattern, err, len(names))
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
}

// FuzzParse checks what must hold for any bytes: no panic, every number finite, not negative and from a line that
// exists, bounded lists.
func FuzzParse(f *testing.F) {
	seed(f, "cases/client_log/*", "crest-logs/*/*.log")
	f.Add([]byte("[t=5.10s] atomic=0.480 rpc=1.100 move=2.520 load=0.200 self-tuned sgd\nconsistency: ok\n"))
	f.Add([]byte("drift: phase 2 hot=0-3 [t=5.00s]\ndrift: phase 3 hot=4-7 [t=-nans]\ndrift: phase [t=1s"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var n NodeSeries
		l, err := ParseSeries("f", bytes.NewReader(data), n.options())
		if err != nil {
			t.Fatal(err)
		}
		checkSeries(t, &n, l)
		if lines := bytes.Count(data, []byte("\n")); l.Lines < lines || l.Lines > lines+1 {
			t.Errorf("%d lines, counted %d", lines, l.Lines)
		}
		all := []Value{l.Tried, l.Committed, l.TriedKOPS, l.CommitKOPS, l.Avg, l.P50, l.P90, l.P99, l.P999, l.Exec, l.Validate, l.CommitLat}
		for _, v := range l.Aborts {
			all = append(all, v)
		}
		checkValues(t, all, l.Lines)
		if len(l.Bad) > maxErrors || len(l.Warnings) > maxErrors+1 || len(l.Aborts) > maxTxnTypes || len(l.Connected) > maxConnected || len(l.ErrorText) > 4*maxText {
			t.Errorf("unbounded: %d bad, %d warnings, %d aborts, %d connected", len(l.Bad), len(l.Warnings), len(l.Aborts), len(l.Connected))
		}
	})
}

// checkSeries checks that what was handed out is what was counted, from lines that exist, on a clock that is a number.
func checkSeries(t *testing.T, n *NodeSeries, l *Log) {
	t.Helper()
	if len(n.Weights) != l.WeightPoints || len(n.Phases) != l.PhasePoints || len(n.Intervals) > l.Intervals {
		t.Errorf("handed out %d weights, %d phases, %d intervals; counted %d, %d, %d", len(n.Weights), len(n.Phases), len(n.Intervals),
			l.WeightPoints, l.PhasePoints, l.Intervals)
	}
	for _, w := range n.Weights {
		checkValues(t, []Value{{w.Seconds, w.Line}}, l.Lines)
	}
	for _, ph := range n.Phases {
		checkValues(t, []Value{{ph.Seconds, ph.Line}, {float64(ph.N), ph.Line}}, l.Lines)
		if len(ph.Text) > 4*maxText {
			t.Errorf("%d bytes of text of a phase", len(ph.Text))
		}
	}
}

func checkValues(t *testing.T, all []Value, lines int) {
	t.Helper()
	for _, v := range all {
		if math.IsNaN(v.V) || math.IsInf(v.V, 0) || v.V < 0 || v.Line > lines || !v.OK() && v.V != 0 {
			t.Errorf("value %+v of %d lines", v, lines)
		}
	}
}

func FuzzParseDetails(f *testing.F) {
	seed(f, "crest-logs/*/*.details.txt")
	f.Add([]byte(block(1, 2, 3, 4)))
	f.Add([]byte(block(1, 2, 3, 4) + block(1, 2)))
	f.Add([]byte("tpcc.A.lat: average: 1 p50: -nan p99: 1 p999: 2\ntpcc.B.lat: average:1e999\ntpcc.C.lat: average: 1 p50: 2 p99: 3 p999: 4"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ParseDetails("f", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := d.Atomics(); err == nil && len(n) != 0 && len(n) != len(atomicTransactions) {
			t.Errorf("a part of the atomics: %v", n)
		}
		var all []Value
		for _, v := range d.Counters {
			all = append(all, v)
		}
		for _, h := range d.Histograms {
			all = append(all, Value{h.Average, h.Line}, Value{h.P50, h.Line}, Value{h.P99, h.Line}, Value{h.P999, h.Line})
		}
		checkValues(t, all, bytes.Count(data, []byte("\n"))+1)
	})
}

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
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := ParseSeries("f", bytes.NewReader(data), Options{Interval: func(Interval) {}, Weights: func(Weights) {}})
		if err != nil {
			t.Fatal(err)
		}
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
		checkValues(t, all, bytes.Count(data, []byte("\n"))+1)
	})
}

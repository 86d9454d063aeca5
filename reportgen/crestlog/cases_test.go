package crestlog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const testdata = "../../testdata"

// TestCases checks every case of kind client_log: each key of its answer against what Parse found.
func TestCases(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(testdata, "cases/cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		File, Kind, Feature string
		Want                map[string]any
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range cases {
		if c.Kind != "client_log" {
			continue
		}
		n++
		t.Run(filepath.Base(c.File), func(t *testing.T) {
			all := answer(parseFile(t, filepath.Join("cases", c.File)))
			got := map[string]any{}
			for key := range c.Want {
				v, known := all[key]
				if !known {
					t.Errorf("no answer for key %q", key)
				}
				got[key] = v
			}
			if diff := cmp.Diff(c.Want, got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", c.Feature, diff)
			}
		})
	}
	if n != 7 {
		t.Errorf("ran %d cases, want 7", n)
	}
}

func parseFile(t *testing.T, name string) *Log {
	t.Helper()
	f, err := os.Open(filepath.Join(testdata, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := Parse(filepath.Base(name), f)
	if err != nil {
		t.Fatal(err)
	}
	if l.BadLines > 0 {
		t.Errorf("bad lines: %v", l.Bad)
	}
	return l
}

// answer puts a log into the terms of the cases: JSON values, null for what is absent.
func answer(l *Log) map[string]any {
	opt := func(v Value) any {
		if !v.OK() {
			return nil
		}
		return v.V
	}
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	connected := []any{}
	for _, c := range l.Connected {
		connected = append(connected, c)
	}
	aborts := map[string]any{}
	for txn, v := range l.Aborts {
		aborts[txn] = v.V
	}
	return map[string]any{
		"system": text(l.System), "role": text(l.Role), "tried": opt(l.Tried), "committed": opt(l.Committed),
		"tried_kops": opt(l.TriedKOPS), "commit_kops": opt(l.CommitKOPS), "avg_us": opt(l.Avg), "p50_us": opt(l.P50),
		"p90_us": opt(l.P90), "p99_us": opt(l.P99), "p999_us": opt(l.P999), "exec_us": opt(l.Exec), "validate_us": opt(l.Validate),
		"commit_us": opt(l.CommitLat), "complete": l.Complete, "error": text(l.Error), "interval_lines": float64(l.Intervals),
		"aborts": aborts, "core_dumped": l.CoreDumped, "window_s": float64(int(l.Window()*10+0.5)) / 10,
		"wc_status": float64(l.WCStatus), "ready": l.Ready.OK(), "connected": connected,
	}
}

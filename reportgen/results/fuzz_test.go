package results

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// seed adds every file that matches the pattern under testdata.
func seed(f *testing.F, pattern string) {
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

// checkRun states what holds for every run, whatever it was read from.
func checkRun(t *testing.T, run *Run) {
	t.Helper()
	for _, e := range run.Experiments {
		for _, a := range e.Attempts {
			if a.Rep < 0 || a.Try < 1 || a.Verdict == "" {
				t.Errorf("attempt %+v", a)
			}
			if (a.Verdict == NotRun || a.Verdict == Unfinished) && len(a.Metrics) > 0 {
				t.Errorf("%s has metrics", a.Verdict)
			}
			if len(a.Findings) > 0 && (a.Verdict == Pass || !a.Verdict.ended()) {
				t.Errorf("%s has findings", a.Verdict)
			}
			for name, m := range a.Metrics {
				if m.Name != name || math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
					t.Errorf("metric %s: %+v", name, m)
				}
			}
		}
	}
}

func FuzzReadEvents(f *testing.F) {
	seed(f, "cases/go_test_json/*")
	seed(f, "../reportgen/testdata/demo.jsonl")
	data, err := os.ReadFile("testdata/long-attribute.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := ReadEvents("f", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		s := e.Tests
		if s.Pass+s.Fail+s.Skip+s.Incomplete != s.Tests || s.RunOK && (s.Fail+s.Incomplete > 0 || s.PackageVerdict == "fail" || !s.Consistent) {
			t.Errorf("%+v", s)
		}
		for _, run := range e.Runs {
			checkRun(t, run)
		}
	})
}

func FuzzReadBench(f *testing.F) {
	seed(f, "cases/benchstat/*")
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := ReadBench("f", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Count(data, []byte("\n")) + 1
		for _, n := range append(append([]int{}, b.Valid...), b.Ignored...) {
			if n < 1 || n > lines {
				t.Errorf("line %d of %d", n, lines)
			}
		}
	})
}

// FuzzReadDir spoils the four kinds of file that the readers of a directory parse themselves.
func FuzzReadDir(f *testing.F) {
	f.Add([]byte(runJSON), []byte(journal), []byte("cell,rep,tried_kops,commit_kops\na1,0,20,16.0\n"),
		[]byte(`{"verdict":"infra","exits":{"mn":"signal KILL"},"findings":[{"fault":"link-down","evidence":[{"file":"mn: dmesg","text":"x"}]},7]}`))
	f.Add([]byte(""), []byte(""), []byte("cell,rep\n+x,1,\n"), []byte("{"))
	f.Fuzz(func(t *testing.T, runFileData, journalData, summary, record []byte) {
		dir := t.TempDir()
		put := func(name string, data []byte) {
			full := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		put("old/a1_rep0/m_client.log", []byte(goodLog))
		put("old/summary.csv", summary)
		put("new/run.json", runFileData)
		put("new/journal.jsonl", journalData)
		put("new/step6/a1_rep0/cell.json", record)
		for _, name := range []string{"old", "new"} {
			run, err := ReadDir(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			checkRun(t, run)
		}
	})
}

// FuzzSanity states that a check that was read has a name, one of four answers and a line of the file.
func FuzzSanity(f *testing.F) {
	f.Add([]byte(`{"time":"t","checks":[{"check":"a","answer":"yes"},7,{"check":"b","answer":"x"}]}`))
	f.Add([]byte("{\n\"checks\": {}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, warnings := parseSanity(data)
		if s == nil && len(warnings) == 0 {
			t.Fatal("nothing, and no word why")
		}
		if s == nil {
			return
		}
		for _, c := range s.Checks {
			known := c.Answer == Yes || c.Answer == No || c.Answer == Unknown || c.Answer == Skipped
			if !known || c.Check == "" || c.Line < 1 || c.Line > bytes.Count(data, newline)+1 {
				t.Errorf("%+v", c)
			}
		}
	})
}

// FuzzSSD states that every point is positive and finite.
func FuzzSSD(f *testing.F) {
	f.Add([]byte("block_size,bandwidth_mib_s,latency_us,iops\n4096,812.5,4.9,208000\n8192,1e3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _, err := parseSSD("ssd/x.csv", "x", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range s.Points {
			if p.BlockSize <= 0 || !(p.Bandwidth > 0) || !(p.LatencyUS > 0) || !(p.IOPS > 0) || math.IsInf(p.Bandwidth+p.LatencyUS+p.IOPS, 0) {
				t.Errorf("%+v", p)
			}
		}
	})
}

// FuzzRunFile states that whatever run.json holds, the run is read.
func FuzzRunFile(f *testing.F) {
	f.Add([]byte(fullRunJSON))
	f.Add([]byte(runJSON))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, runFile), data, 0o644); err != nil {
			t.Fatal(err)
		}
		run, err := ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		checkRun(t, run)
	})
}

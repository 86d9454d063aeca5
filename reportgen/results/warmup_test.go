package results

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// writeIntervals writes a log with one line each half second from the given tick on.
func writeIntervals(t *testing.T, name string, firstTick int, kops ...float64) {
	t.Helper()
	text := "\x1b[32m[     20526][cn.go:63] CN initialize benchmark metadata done\x1b[0m\n"
	for i, v := range kops {
		text += fmt.Sprintf("\x1b[32m[%10d][cn.go:146] Tried txn thpt: %.2f KOPS, committed txn thpt: %.2f KOPS, abort rate: 0.10\x1b[0m\n", firstTick+i*5_000_000, v+1, v)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A run with a directory says how its attempts began: the compute nodes together, on a clock that begins with the measurement.
func TestFindWarmups(t *testing.T) {
	run := &Run{Dir: t.TempDir(), Experiments: []Experiment{{Name: "step6"}}}
	attempt := func(name string, verdict Verdict) *Attempt {
		e := &run.Experiments[0]
		e.Attempts = append(e.Attempts, Attempt{Cell: name, Try: 1, Dir: "step6/" + name + "_rep0", Verdict: verdict})
		if err := os.MkdirAll(filepath.Join(run.Dir, "step6", name+"_rep0"), 0o777); err != nil {
			t.Fatal(err)
		}
		return &e.Attempts[len(e.Attempts)-1]
	}
	log := func(cell string, cn int) string {
		return filepath.Join(run.Dir, "step6", cell+"_rep0", fmt.Sprintf("m_cn%d.log", cn))
	}
	attempt("warm", Pass)
	writeIntervals(t, log("warm", 0), 15_000_000, 1, 5, 5.1, 4.9, 5, 5.1, 4.9)
	writeIntervals(t, log("warm", 1), 15_100_000, 3, 5, 5.1, 4.9, 5, 5.1) // one line less
	attempt("steady", Pass)
	writeIntervals(t, log("steady", 0), 5_000_000, 5, 5.1, 4.9, 5, 5.1, 4.9)
	attempt("failed", Fail)
	writeIntervals(t, log("failed", 0), 5_000_000, 1, 5, 5.1, 4.9, 5, 5.1)
	attempt("empty", Pass)
	if err := run.FindWarmups(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"warm": "the first 0.5 s are 60 % below the rest and move the mean by -10.0 %",
		"steady": "no warm-up", "failed": "no warm-up", "empty": "no warm-up"}
	for _, a := range run.Experiments[0].Attempts {
		if got := a.Warmup.String(); got != want[a.Cell] {
			t.Errorf("%s: %s\nwant %s", a.Cell, got, want[a.Cell])
		}
	}
	if n := run.Experiments[0].Attempts[0].Warmup.N; n != 6 {
		t.Errorf("%d points, want those that both logs have", n)
	}
}

func TestFindWarmupsWithoutADirectory(t *testing.T) {
	run := &Run{Experiments: []Experiment{{Attempts: []Attempt{{Verdict: Pass, Dir: "x"}}}}}
	if err := run.FindWarmups(); err != nil || run.Experiments[0].Attempts[0].Warmup.N != 0 {
		t.Errorf("%v, %+v", err, run.Experiments[0].Attempts[0].Warmup)
	}
}

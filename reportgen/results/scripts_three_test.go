package results

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scriptRun writes what one of run_v27_{step6,a1b_smoke,drift_smoke}.sh leaves behind, in the formats of the program's logs; the
// numbers are made up.
func scriptRun(t *testing.T, name string, cells []string, tuner map[string]int) string {
	t.Helper()
	files := map[string]string{}
	rows := "cell,rep,tried_kops,commit_kops,atomic_per_txn,cn_balance\n"
	for i, cell := range cells {
		for rep := range 3 {
			dir := fmt.Sprintf("%s_rep%d/", cell, rep)
			committed := 1000 + 100*i + 10*rep
			files[dir+"m_client.log"] = fmt.Sprintf("Tried: %d Committed: %d\nTried Throughput: %d KOPS, Commit Troughput: %d KOPS \n", 2*committed, committed, 2*committed/100, committed/100)
			for cn := range 4 {
				log := fmt.Sprintf("\x1b[32m[   5000000][bench_runner.cc:1] Tried txn thpt: 2.00 KOPS, committed txn thpt: 1.00 KOPS, abort rate: 0.50\x1b[0m\nTried: %d Committed: %d\n", committed/2, committed/4)
				for n := range tuner[cell] {
					log += fmt.Sprintf("\x1b[32m[   6000000][tuner.cc:1] self-tuned sgd step %d [t=%d.00s] atomic=0.480 rpc=1.100 move=2.520 load=0.200\x1b[0m\n", n, n+1)
				}
				files[dir+fmt.Sprintf("m_cn%d.log", cn)] = log
				files[dir+fmt.Sprintf("m_cn%d.details.txt", cn)] = fmt.Sprintf("[ tpcc.NEWORDER ]\ntpcc.NEWORDER.rdma.atomic.total:%10d\n[ tpcc.STOCK_LEVEL ]\ntpcc.STOCK_LEVEL.rdma.atomic.total:%10d\n", committed, 999)
			}
			files[dir+"m_mn.log"] = "MN0 waits for incomming connection\n"
			rows += fmt.Sprintf("%s,%d,%d,%d,4.0,\n", cell, rep, 2*committed/100, committed/100)
		}
	}
	files["summary.csv"] = rows
	return write(t, name, files)
}

// The three scripts' directories give the tables of the three experiments, whose names are in those of the directories.
func TestTheThreeScripts(t *testing.T) {
	check := func(dir, experiment, baseline string, cells []string, tuner map[string]int) {
		t.Helper()
		run := readDir(t, scriptRun(t, dir, cells, tuner))
		e := run.Experiments[0]
		var names []string
		for _, c := range e.Cells {
			names = append(names, c.Label)
		}
		if run.System != "AURA" || e.Name != experiment || e.Baseline != baseline || e.Reps != 3 {
			t.Errorf("%s: system %q, experiment %q, baseline %q, %d reps", dir, run.System, e.Name, e.Baseline, e.Reps)
		}
		if diff := cmp.Diff(cells, names); diff != "" {
			t.Errorf("%s: cells (-want +got)\n%s", dir, diff)
		}
		for i, a := range e.Attempts {
			committed := float64(1000 + 100*(i/3) + 10*(i%3))
			if a.Verdict != Pass || a.Metrics["committed"].Value != committed || a.Metrics["atomic_per_txn"].Value != 4 {
				t.Errorf("%s: %s rep %d: %s %s: %v", dir, a.Cell, a.Rep, a.Verdict, a.Reason, a.Metrics)
			}
			if got := a.Metrics["n_sgd_logs"].Value; got != float64(4*tuner[a.Cell]) {
				t.Errorf("%s: %s rep %d: %v lines of the tuner", dir, a.Cell, a.Rep, got)
			}
		}
	}
	check("aura_v27_step6_20260101_120000", "step6", "baseline", []string{"baseline", "+a1", "+a2", "+a3", "full_v27"}, nil)
	check("aura_v27_a1b_smoke_20260101_120000", "a1b", "fixed", []string{"fixed", "rule", "sgd"}, map[string]int{"sgd": 3})
	check("aura_v27_drift_20260101_120000", "drift", "no_drift", []string{"no_drift", "drift_5sec", "drift_2sec"}, map[string]int{"no_drift": 1, "drift_5sec": 2, "drift_2sec": 5})
}

// A summary.csv of which the cell directories were not kept makes the table as well, in its directory or under a name of its own.
func TestSummaryAlone(t *testing.T) {
	rows := "cell,rep,tried_kops,commit_kops,atomic_per_txn,cn_balance\n+a1,0,20,16,1.5,0.9\nbaseline,0,10,8,2.5,0.8\nbaseline,1,nan,8.1,,\nbad\n"
	want := []line{{"baseline", 0, 1, Pass, "", 8}, {"baseline", 1, 1, Pass, "", 8.1}, {"a1", 0, 1, Pass, "", 16}}
	dir := write(t, "aura_v27_step6_20260101_000000", map[string]string{"summary.csv": rows})
	other := filepath.Join(t.TempDir(), "aura_v27_step6_20260101_000000_summary.csv")
	if err := os.WriteFile(other, []byte(rows), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "summary.csv"), other} {
		run, err := ReadSummary(name)
		if err != nil {
			t.Fatal(err)
		}
		e := run.Experiments[0]
		if run.System != "AURA" || e.Name != "step6" || e.Baseline != "baseline" || len(run.Warnings) != 2 {
			t.Errorf("%s: system %q, experiment %q, baseline %q, warnings %q", name, run.System, e.Name, e.Baseline, run.Warnings)
		}
		if diff := cmp.Diff(want, short(e)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	empty := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(empty, []byte("cell,rep\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if run, err := ReadSummary(empty); err == nil || run != nil {
		t.Errorf("no row: %v, %v", run, err)
	}
}

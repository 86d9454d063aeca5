package figure

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

var update = flag.Bool("update", false, "write the golden files")

// reports is how many lines of each kind a made-up log has.
const reports = 6

// nodeLog writes a compute node's log as the fork does: a report, and with weights a line of them, every half second.
func nodeLog(rep, cn int, weights bool) string { return nodeLogOf(rep, cn, reports, weights) }

// nodeLogOf writes n reports.
func nodeLogOf(rep, cn, n int, weights bool) string {
	var b strings.Builder
	b.WriteString("\x1b[32m[       100][cn.go:1] Read configuration file succeed\x1b[0m\n")
	for i := 1; i <= n; i++ {
		tick := 1_000_000*(cn+1) + 5_000_000*i + 137*i
		fmt.Fprintf(&b, "\x1b[32m[%10d][cn.go:2] Tried txn thpt: 9.00 KOPS, committed txn thpt: %d.%d0 KOPS, abort rate: 0.18\x1b[0m\n", tick, 1+cn+i%2, rep)
		if weights {
			fmt.Fprintf(&b, "\x1b[32m[%10d][cn.go:3] self-tuned sgd [t=%.2fs] atomic=%.3f rpc=%.3f move=2.520 load=0.200\x1b[0m\n",
				tick+1, 0.5*float64(i), 0.48+0.1*float64(i), 1.1+0.2*float64(rep))
		}
		if weights && i%2 == 0 {
			fmt.Fprintf(&b, "\x1b[32m[%10d][drift.go:4] drift: phase %d hot=%d-3 [t=%.2fs]\x1b[0m\n", tick+2, i/2, i, 0.5*float64(i)+0.1)
		}
	}
	fmt.Fprintf(&b, "Tried: %d Committed: %d\nTried Throughput: 9 KOPS, Commit Troughput: 3 KOPS \n", 2000, 1500+100*cn+10*rep)
	return b.String()
}

const details = `[Threads: 1  Coroutine: 8 ]
[Statistics]
[History]
   tpcc.NEWORDER.lat:   average:   2.20   p50:   %d.90   p99: 2031.55   p999: 4031.55
   tpcc.NEWORDER.read.lat:   average:   2.20   p50:   1.90   p99:   3.55   p999:   4.55
   tpcc.PAYMENT.lat:   average:  12.20   p50:  11.90   p99: 933.55   p999: 1003.55
   tpcc.DELIVER.lat:   average:   0.00   p50:   0.00   p99:   0.00   p999:   0.00
`

// write writes files below dir.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// addCell adds reps of a cell to an experiment, with the logs of two compute nodes in the run's directory.
func addCell(t testing.TB, run *results.Run, e *results.Experiment, c results.Cell, kops ...float64) {
	t.Helper()
	e.Cells = append(e.Cells, c)
	for rep, v := range kops {
		dir := fmt.Sprintf("%s/%s_rep%d", e.Name, c.Name, rep)
		client := results.Origin{File: dir + "/m_client.log", Line: 2}
		e.Attempts = append(e.Attempts, results.Attempt{Cell: c.Name, Rep: rep, Try: 1, Dir: dir, Verdict: results.Pass, Metrics: map[string]results.Metric{
			"commit_kops":    {Name: "commit_kops", Value: v, Unit: "KOPS", Origins: []results.Origin{client}},
			"atomic_per_txn": {Name: "atomic_per_txn", Value: v / 2, Unit: "atomics/txn", Origins: []results.Origin{{File: dir + "/m_cn0.details.txt", Line: 8}, client}},
		}})
		for cn := range 2 {
			write(t, filepath.Join(run.Dir, dir), map[string]string{
				fmt.Sprintf("m_cn%d.log", cn):         nodeLog(rep, cn, e.Name == "drift"),
				fmt.Sprintf("m_cn%d.details.txt", cn): fmt.Sprintf(details, 100+10*cn+rep),
			})
		}
	}
}

const benchmarks = `device: mlx5_2
Unit B/s better=higher

BenchmarkReadBW/pair=mn-cn0/size=4096 1 5e+09 B/s
BenchmarkReadBW/pair=mn-cn0/size=65536 1 11e+09 B/s
BenchmarkReadBW/pair=mn-cn0/size=65536 1 12e+09 B/s
BenchmarkReadBW/pair=mn-cn1/size=4096 1 4e+09 B/s
BenchmarkReadLat/pair=mn-cn0/size=2 1 2.1e-06 sec/op 9e-06 p99-sec/op
BenchmarkAtomicMlx5_2/op=fetch_add/pair=mn-cn0 1 7.5e+06 ops/s
BenchmarkAtomicMlx5_2/op=fetch_add/pair=mn-cn1 1 7e+06 ops/s
BenchmarkRemoteSSDRead/mode=pinned/block=4096 1 1e+09 B/s
`

// wholeRun is a run with every kind of figure in it.
func wholeRun(t testing.TB) *results.Run {
	t.Helper()
	run := &results.Run{Dir: t.TempDir(), ID: "r", System: "minidm", Cluster: "local", Experiments: make([]results.Experiment, 3)}
	step6, drift, scale := &run.Experiments[0], &run.Experiments[1], &run.Experiments[2]
	step6.Name, drift.Name, scale.Name = "step6", "drift", "scaleout"
	addCell(t, run, step6, results.Cell{Name: "baseline", Label: "baseline"}, 13.0, 13.2, 12.8)
	addCell(t, run, step6, results.Cell{Name: "a1", Label: "+a1"}, 13.64, 13.71, 13.58)
	addCell(t, run, step6, results.Cell{Name: "baseline_aa", Label: "baseline (A/A)", AAOf: "baseline"}, 12.9)
	addCell(t, run, step6, results.Cell{Name: "full_v27", Label: "full_v27"})
	addCell(t, run, drift, results.Cell{Name: "no_drift"}, 9, 10)
	addCell(t, run, drift, results.Cell{Name: "drift_5sec"}, 7, 8)
	addCell(t, run, scale, results.Cell{Name: "cn4"}, 30, 31, 29)
	addCell(t, run, scale, results.Cell{Name: "cn1"}, 10, 11, 9)
	scale.Cells = append(scale.Cells, results.Cell{Name: "cn12", Deferred: &results.Deferral{Criterion: 4}})
	var err error
	if run.Bench, err = results.ReadBench("benchmarks.txt", strings.NewReader(benchmarks)); err != nil {
		t.Fatal(err)
	}
	for i, mode := range []string{"pinned", "staged"} {
		sweep := results.SSDSweep{Mode: mode}
		for j, size := range []int64{16 << 20, 1 << 20, 4096} {
			sweep.Points = append(sweep.Points, results.SSDPoint{BlockSize: size, Bandwidth: 2000 / float64((i+1)*(j+1)), LatencyUS: float64(size) / 1000,
				IOPS: 1e9 / float64(size), Origin: results.Origin{File: "ssd/" + mode + ".csv", Line: j + 2}})
		}
		run.SSD = append(run.SSD, sweep)
	}
	return run
}

func figuresOf(t testing.TB, run *results.Run) *Set {
	t.Helper()
	set, err := OfRun(run)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestData compares the data of every figure, with the lines that each number comes from, and all text with golden files.
func TestData(t *testing.T) {
	set := figuresOf(t, wholeRun(t))
	var all strings.Builder
	for i := range set.Figures {
		f := &set.Figures[i]
		fmt.Fprintf(&all, "# %s (%s) wide=%v\n# %s\n# %s\n# %s\n", f.Name, f.Experiment, f.Wide, f.Title, f.Caption, f.Alt)
		if err := f.WriteData(&all); err != nil {
			t.Fatal(err)
		}
		all.WriteByte('\n')
	}
	for _, m := range set.Missing {
		fmt.Fprintf(&all, "# no %s (%s) because %s\n", m.Name, m.Experiment, m.Reason)
	}
	const golden = "testdata/figures.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), all.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestEveryWeightIsALine finds each number of the weight figure in the line that it says it comes from.
func TestEveryWeightIsALine(t *testing.T) {
	run := wholeRun(t)
	n := 0
	for _, f := range figuresOf(t, run).Figures {
		if f.Name != "sgd_weights" {
			continue
		}
		for _, m := range f.Chart.marks() {
			from := m.point.Origins[0]
			data, err := os.ReadFile(filepath.Join(run.Dir, filepath.FromSlash(from.File)))
			if err != nil {
				t.Fatal(err)
			}
			line := strings.Split(string(data), "\n")[from.Line-1]
			want := fmt.Sprintf("%s=%.3f", m.series, m.point.Y)
			if m.series == switchName {
				want = "drift: phase"
			}
			if n++; !strings.Contains(line, want) {
				t.Errorf("%s: %q, want %s", from, line, want)
			}
		}
	}
	if want := len(weightNames)*reports + reports/2; n != want {
		t.Errorf("%d marks, want %d", n, want)
	}
}

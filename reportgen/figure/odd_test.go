package figure

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// drawAll writes every figure in every format, which must never fail.
func drawAll(t testing.TB, set *Set) {
	t.Helper()
	for i := range set.Figures {
		for _, format := range Formats {
			if err := set.Figures[i].Write(io.Discard, format); err != nil {
				t.Errorf("%s.%s: %v", set.Figures[i].Name, format, err)
			}
		}
	}
}

// TestOdd states which figures odd runs have, and why others are missing.
func TestOdd(t *testing.T) {
	check := func(name string, fill func(run *results.Run, e *results.Experiment), figures, missing string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			run := &results.Run{Dir: t.TempDir(), Experiments: []results.Experiment{{Name: "step6"}}}
			fill(run, &run.Experiments[0])
			set := figuresOf(t, run)
			drawAll(t, set)
			var got, not []string
			for _, f := range set.Figures {
				got = append(got, strings.TrimPrefix(f.Name, "step6_"))
			}
			for _, m := range set.Missing {
				not = append(not, strings.TrimPrefix(m.Name, "step6_")+": "+m.Reason)
			}
			if strings.Join(got, " ") != figures || strings.Join(not, "; ") != missing {
				t.Errorf("figures %q, want %q\nmissing %q\nwant    %q", strings.Join(got, " "), figures, strings.Join(not, "; "), missing)
			}
		})
	}
	const all = "commit atomics throughput balance latency"
	cell := func(name string) results.Cell { return results.Cell{Name: name} }
	check("nothing", func(*results.Run, *results.Experiment) {}, "", "commit: no attempt of step6 passed")
	check("one rep", func(run *results.Run, e *results.Experiment) {
		addCell(t, run, e, cell("a"), 5)
		addCell(t, run, e, cell("b"), 6)
	}, all, "")
	check("one cell", func(run *results.Run, e *results.Experiment) { addCell(t, run, e, cell("a"), 5, 6) }, "throughput latency",
		"commit: step6 has one cell, and nothing to compare it to; atomics: step6 has one cell, and nothing to compare it to; balance: step6 has one cell, and nothing to compare it to")
	check("all failed", func(run *results.Run, e *results.Experiment) {
		addCell(t, run, e, cell("a"), 5, 6)
		for i := range e.Attempts {
			e.Attempts[i].Verdict = results.Fail
		}
	}, "", "commit: no attempt of step6 passed")
	check("NaN and infinities", func(run *results.Run, e *results.Experiment) {
		addCell(t, run, e, cell("a"), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64)
		addCell(t, run, e, cell("b"), math.NaN(), 3)
	}, all, "")
	check("only NaN", func(run *results.Run, e *results.Experiment) {
		addCell(t, run, e, cell("a"), math.NaN())
		addCell(t, run, e, cell("b"), math.NaN())
	}, "throughput balance latency", "commit: no log of step6 has commit_kops; atomics: no log of step6 has atomic_per_txn")
	check("zeros, negative, far apart", func(run *results.Run, e *results.Experiment) {
		addCell(t, run, e, cell("a"), 0, 0, 0)
		addCell(t, run, e, cell("b"), -1, -2)
		addCell(t, run, e, cell("c"), 1e-300, 1e290)
	}, all, "")
	check("many reps", func(run *results.Run, e *results.Experiment) {
		addCell(t, run, e, cell("a"), make([]float64, 40)...)
		addCell(t, run, e, cell("b"), 1)
	}, all, "")
	check("odd names", func(run *results.Run, e *results.Experiment) {
		for _, name := range []string{"</svg>", "a\x1b[31mb", "漢字", strings.Repeat("long ", 40), "%s", "\xff"} {
			e.Cells = append(e.Cells, results.Cell{Name: name, Label: name})
			e.Attempts = append(e.Attempts, results.Attempt{Cell: name, Verdict: results.Pass, Dir: "../outside",
				Metrics: map[string]results.Metric{"commit_kops": {Name: "commit_kops", Value: 1}}})
		}
	}, "commit", "atomics: no log of step6 has atomic_per_txn; throughput: the logs of step6 are not there; balance: the logs of step6 are not there; latency: the logs of step6 are not there")
	check("a stream", func(run *results.Run, e *results.Experiment) {
		addCell(t, run, e, cell("a"), 5)
		addCell(t, run, e, cell("b"), 5)
		run.Dir = ""
	}, "commit atomics", "throughput: the logs of step6 are not there; balance: the logs of step6 are not there; latency: the logs of step6 are not there")
	cells := func(n int) func(*results.Run, *results.Experiment) {
		return func(run *results.Run, e *results.Experiment) {
			for i := range n {
				addCell(t, run, e, cell(fmt.Sprintf("cell_number_%d", i)), float64(i))
			}
		}
	}
	check("48 cells", cells(48), "commit atomics balance latency", "throughput: step6 has 48 cells, and there is room for 24 panels")
	check("49 cells", cells(49), "", "commit: step6 has 49 cells, and a figure has room for 48")
}

// TestDriftWithoutPhases checks what becomes of the dashed lines where no log prints the switches.
func TestDriftWithoutPhases(t *testing.T) {
	check := func(name, cell string, notes []string, until float64, want int, how string) {
		t.Helper()
		s := &study{exp: &results.Experiment{Name: "drift", Notes: notes}}
		got := s.switches(&cellData{cell: results.Cell{Name: cell}}, 0, until)
		if len(got.at) != want || !strings.Contains(got.how, how) || how == "" && got.how != "" {
			t.Errorf("%s: %d switches, %q", name, len(got.at), got.how)
		}
	}
	check("by the name", "drift_5sec", nil, 60, 12, "every 5 s, by the cell's name")
	check("half seconds", "drift_0.5sec", nil, 2.2, 4, "every 0.5 s")
	check("scaled down", "drift_5sec", []string{"the phase switches every 0.4 s in place of every 5 s"}, 5, 0, "not in the logs")
	check("no drift", "no_drift", nil, 60, 0, "")
	check("for ever", "drift_0.001sec", nil, 1e9, maxSwitches, "every 0.001 s")
	check("never", "drift_0sec", nil, 60, 0, "")
}

// TestLateReports checks that a line after a gap stands for the gap, and that a silent node leaves one.
func TestLateReports(t *testing.T) {
	at := func(halves ...int) string {
		var b strings.Builder
		for i, h := range halves {
			fmt.Fprintf(&b, "[%10d][cn.go:2] Tried txn thpt: 9 KOPS, committed txn thpt: %d KOPS, abort rate: 0\n", 5_000_000*h, i+1)
		}
		return b.String()
	}
	check := func(name string, want string, logs ...string) {
		t.Helper()
		run := &results.Run{Dir: t.TempDir(), Experiments: []results.Experiment{{Name: "x", Cells: []results.Cell{{Name: "a"}}}}}
		run.Experiments[0].Attempts = []results.Attempt{{Cell: "a", Verdict: results.Pass, Dir: "d"}}
		for i, log := range logs {
			write(t, run.Dir, map[string]string{fmt.Sprintf("d/m_cn%d.log", i): log})
		}
		s := newStudy(run, &run.Experiments[0])
		if err := readLogs(run, []*study{s}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range sumOverNodes(s.cells[0].logs[0], s.cells[0].interval()) {
			got = append(got, fmt.Sprintf("%v:%v", p.X, p.Y))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %s, want %s", name, text, want)
		}
	}
	check("in step", "0.5:2 1:4 1.5:6", at(1, 2, 3), at(7, 8, 9))
	check("one is late", "0.5:2 1:4 1.5:6 2:7 2.5:9", at(1, 2, 3, 4, 5), at(1, 2, 4, 5))
	check("one stops", "0.5:2 1:4", at(1, 2, 3, 4), at(1, 2))
	check("one stood still", "0.5:2 1:4 31:NaN 31:35", at(1, 2, 62), strings.Replace(at(append(seq(61), 62)...), " 62 KOPS", " 32 KOPS", 1))
	check("no line", "0.5:1 1:2", at(1, 2), "")
}

func seq(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i + 1
	}
	return list
}

// FuzzRun draws runs whose logs, names and numbers are whatever they may be.
func FuzzRun(f *testing.F) {
	f.Add(nodeLog(1, 0, true), fmt.Sprintf(details, 7), "drift", "drift_5sec", "cn0", 13.64, 13.71)
	f.Add("", "", "", "", "\x00", math.NaN(), math.Inf(1))
	f.Add("[ 1][a.cc:1] Tried txn thpt: 1e300 KOPS, committed txn thpt: 1e300 KOPS, abort rate: 0\nself-tuned sgd [t=1e300s] atomic=1e300 rpc=-1 move=0 load=1\n",
		"tpcc.A.lat: average: 1e300 p50: 1e300 p99: 1e-300 p999: 1\n", "drift", "cn4", "x", -1.0, 1e300)
	f.Fuzz(func(t *testing.T, log, details, experiment, cell, mode string, a, b float64) {
		run := &results.Run{Dir: t.TempDir(), System: mode, Experiments: []results.Experiment{{Name: experiment, Cells: []results.Cell{{Name: cell, Label: mode}}}}}
		write(t, run.Dir, map[string]string{"d/m_cn0.log": log, "d/m_cn1.log": log, "d/m_cn0.details.txt": details})
		for i, v := range []float64{a, b} {
			run.Experiments[0].Attempts = append(run.Experiments[0].Attempts, results.Attempt{Cell: cell, Rep: i, Verdict: results.Pass, Dir: "d",
				Metrics: map[string]results.Metric{"commit_kops": {Name: "commit_kops", Value: v}}})
		}
		run.SSD = []results.SSDSweep{{Mode: mode, Points: []results.SSDPoint{{BlockSize: int64(len(log)), Bandwidth: a, LatencyUS: b, IOPS: a}}}}
		set := figuresOf(t, run)
		for i := range set.Figures {
			written(t, &set.Figures[i], SVG)
			if err := set.Figures[i].WriteData(io.Discard); err != nil {
				t.Error(err)
			}
		}
	})
}

package figure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// outcome lists the figures of a run, and behind them what is missing, without the experiment's name.
func outcome(t *testing.T, run *results.Run) []string {
	t.Helper()
	set := figuresOf(t, run)
	drawAll(t, set)
	var list []string
	for _, f := range set.Figures {
		list = append(list, f.Name)
	}
	for _, m := range set.Missing {
		list = append(list, fmt.Sprintf("no %s: %s", m.Name, m.Reason))
	}
	return list
}

// TestMissing states what becomes of runs that lack something.
func TestMissing(t *testing.T) {
	check := func(name, experiment string, fill func(run *results.Run, e *results.Experiment), want ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			run := &results.Run{Dir: t.TempDir(), Experiments: []results.Experiment{{Name: experiment}}}
			fill(run, &run.Experiments[0])
			if diff := cmp.Diff(want, outcome(t, run)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	passed := func(e *results.Experiment, cell, dir string, kops float64) {
		e.Cells = append(e.Cells, results.Cell{Name: cell})
		e.Attempts = append(e.Attempts, results.Attempt{Cell: cell, Verdict: results.Pass, Dir: dir, Metrics: map[string]results.Metric{
			"commit_kops": {Name: "commit_kops", Value: kops}}})
	}
	check("dispatch", "dispatch", func(run *results.Run, e *results.Experiment) {
		addCell(t, run, e, results.Cell{Name: "full_v27"}, 12, 13, 14)
	}, "dispatch_throughput", "dispatch_latency",
		"no dispatch_commit: dispatch has one cell, and nothing to compare it to",
		"no dispatch_atomics: dispatch has one cell, and nothing to compare it to",
		"no dispatch_balance: dispatch has one cell, and nothing to compare it to")
	check("one cell of which nothing passed", "dispatch", func(run *results.Run, e *results.Experiment) {
		addCell(t, run, e, results.Cell{Name: "full_v27"})
	}, "no dispatch_commit: no attempt of dispatch passed")
	check("one number of nodes, the others deferred", "scaleout", func(run *results.Run, e *results.Experiment) {
		addCell(t, run, e, results.Cell{Name: "cn4"}, 30, 31)
		for _, name := range []string{"cn8", "cn12"} {
			e.Cells = append(e.Cells, results.Cell{Name: name, Deferred: &results.Deferral{Criterion: 4, Reason: "five nodes"}})
		}
	}, "scaleout_throughput", "scaleout_latency",
		"no scaleout_commit: scaleout has one cell, and nothing to compare it to",
		"no scaleout_atomics: scaleout has one cell, and nothing to compare it to",
		"no scaleout_balance: scaleout has one cell, and nothing to compare it to",
		"no scaleout_line: scaleout has throughput for one number of compute nodes only")
	check("missing reps", "step6", func(run *results.Run, e *results.Experiment) {
		addCell(t, run, e, results.Cell{Name: "a"}, 5, 6, 7)
		addCell(t, run, e, results.Cell{Name: "b"}, 8)
		e.Attempts = append(e.Attempts, results.Attempt{Cell: "b", Rep: 1, Verdict: results.NotRun}, results.Attempt{Cell: "b", Rep: 2, Verdict: results.Infra})
	}, "step6_commit", "step6_atomics", "step6_throughput", "step6_balance", "step6_latency")
	check("no logs of the tuner", "drift", func(run *results.Run, e *results.Experiment) {
		for _, cell := range []string{"no_drift", "drift_5sec"} {
			passed(e, cell, cell, 7)
			write(t, run.Dir, map[string]string{cell + "/m_cn0.log": nodeLog(0, 0, false)})
		}
	}, "drift_commit", "drift_throughput", "drift_balance",
		"no drift_atomics: no log of drift has atomic_per_txn",
		"no drift_latency: no details file of drift has latencies of transactions",
		"no sgd_weights: no log of drift has lines of the tuner's weights")
	check("one point of each", "drift", func(run *results.Run, e *results.Experiment) {
		for _, cell := range []string{"no_drift", "drift_5sec"} {
			passed(e, cell, cell, 7)
		}
		write(t, run.Dir, map[string]string{"drift_5sec/m_cn0.log": "[ 5000000][cn.go:2] Tried txn thpt: 9 KOPS, committed txn thpt: 8 KOPS, abort rate: 0\n" +
			"self-tuned sgd [t=0.50s] atomic=0.48 rpc=1.2 move=2.5 load=0.2\n"})
	}, "drift_commit", "drift_throughput", "sgd_weights",
		"no drift_atomics: no log of drift has atomic_per_txn",
		"no drift_balance: no log of a compute node of drift has a committed count",
		"no drift_latency: no details file of drift has latencies of transactions")
	check("directories that are gone", "step6", func(run *results.Run, e *results.Experiment) {
		passed(e, "a", "a_rep0", 5)
		passed(e, "b", "b_rep0", 6)
	}, "step6_commit",
		"no step6_atomics: no log of step6 has atomic_per_txn",
		"no step6_throughput: the logs of step6 are not there",
		"no step6_balance: the logs of step6 are not there",
		"no step6_latency: the logs of step6 are not there")
}

// TestNames gives figures of experiments whose names are alike names of their own.
func TestNames(t *testing.T) {
	run := &results.Run{Dir: t.TempDir(), Experiments: make([]results.Experiment, 3)}
	for i, name := range []string{"a/b", "a_b", "A b"} {
		e := &run.Experiments[i]
		e.Name = name
		for _, cell := range []string{"x", "y"} {
			e.Cells = append(e.Cells, results.Cell{Name: cell})
			e.Attempts = append(e.Attempts, results.Attempt{Cell: cell, Verdict: results.Pass, Metrics: map[string]results.Metric{"commit_kops": {Value: 1}}})
		}
	}
	set := figuresOf(t, run)
	var names []string
	for _, f := range set.Figures {
		names = append(names, f.Name)
	}
	if diff := cmp.Diff([]string{"a_b_commit", "a_b_commit_2", "A_b_commit_3"}, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if files, err := WriteDir(t.TempDir(), set.Figures); err != nil || len(files) != 4*len(names) {
		t.Errorf("%v, %v", files, err)
	}
}

// TestLooks holds the series apart in grey: no two have the same dash or the same marker.
func TestLooks(t *testing.T) {
	for i, a := range looks {
		for j, b := range looks[:i] {
			if fmt.Sprint(a.dashes) == fmt.Sprint(b.dashes) || fmt.Sprintf("%T", a.shape) == fmt.Sprintf("%T", b.shape) {
				t.Errorf("looks %d and %d are alike", i, j)
			}
		}
	}
}

// TestCaptions checks that a caption says how many reps and at which level, and ends as a sentence.
func TestCaptions(t *testing.T) {
	run := wholeRun(t)
	run.Recording = "RECORDING of 2026-01-01 on utah, not your cluster"
	for _, f := range figuresOf(t, run).Figures {
		for _, text := range []string{f.Caption, f.Alt} {
			if text == "" || strings.Contains(text, "..") || strings.Contains(text, "  ") || !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %q", f.Name, text)
			}
		}
		if !strings.Contains(f.Caption, run.Recording) || !strings.Contains(f.Caption, "minidm on local") {
			t.Errorf("%s: does not say what was measured where: %q", f.Name, f.Caption)
		}
		if f.Name == "step6_commit" && !strings.Contains(f.Caption, "1 to 3 reps, lines the order-statistic interval of the median at 75 %") {
			t.Errorf("%s: %q", f.Name, f.Caption)
		}
	}
}

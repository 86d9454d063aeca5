package render

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/results"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// with adds a metric to an attempt.
func with(a results.Attempt, name, unit string, value float64) results.Attempt {
	a.Metrics[name] = results.Metric{Name: name, Value: value, Unit: unit, Origins: []results.Origin{{File: a.Dir + "/m_cn0.log", Line: 9}}}
	return a
}

// inTurn places the attempts in the order in which they stand.
func inTurn(attempts []results.Attempt) []results.Attempt {
	for i := range attempts {
		attempts[i].Position = i
	}
	return attempts
}

// scaleRun has two sizes of a cluster, one that was put off, and an A/A cell.
func scaleRun() *results.Run {
	exp := results.Experiment{Name: "scaleout", Baseline: "cn1", Test: "TestScaleOut", Question: "RQ5: does throughput grow with compute nodes?", Reps: 6, Order: "interleaved", Seed: 3,
		Notes: []string{"scaled down: 1 s a cell instead of 60 s"},
		Cells: []results.Cell{{Name: "cn1"}, {Name: "cn4"}, {Name: "cn8", Deferred: postponed()}, {Name: "cn12", Deferred: postponed()}, {Name: "cn1_aa", AAOf: "cn1"}}}
	for i := range 6 {
		x := 0.01 * float64((i*7)%6)
		exp.Attempts = append(exp.Attempts,
			attempt("cn1", i, 1, results.Pass, "", 3.9+x, 3.8+x, 0.974, 12.1, 1),
			attempt("cn4", i, 1, results.Pass, "", 14.3+x, 13.6+x, 0.957, 12.2, 0.991),
			attempt("cn1_aa", i, 1, results.Pass, "", 3.91+x, 3.81+x, 0.974, 12.1, 1))
	}
	exp.Attempts = inTurn(exp.Attempts)
	return &results.Run{ID: "scale", System: "minidm", Cluster: "local", Tag: "local", Experiments: []results.Experiment{exp}}
}

func postponed() *results.Deferral {
	return &results.Deferral{Criterion: 4, Text: "the opportunity cost exceeds the cost of finishing", Date: "2026-01-31", Reason: "the cluster has 4 compute nodes"}
}

// driftRun falls while it runs, has a warm-up, an outlier and cells that noise explains.
func driftRun() *results.Run {
	exp := results.Experiment{Name: "drift", Baseline: "no_drift", Test: "TestDrift", Reps: 4, Order: "interleaved", Seed: 5,
		Cells: []results.Cell{{Name: "no_drift"}, {Name: "drift_5sec"}, {Name: "drift_2sec"}, {Name: "no_drift_aa", AAOf: "no_drift"}}}
	for i := range 4 {
		x := -0.1 * float64(i)
		exp.Attempts = append(exp.Attempts,
			with(attempt("no_drift", i, 1, results.Pass, "", 14+x, 13+x, 0.92, 12, 0.99), sgdLines, "lines", 480),
			with(attempt("drift_5sec", i, 1, results.Pass, "", 14+x, 13.05+x, 0.92, 12, 0.99), sgdLines, "lines", 1480+float64(i)),
			with(attempt("drift_2sec", i, 1, results.Pass, "", 9+x, 8+x, 0.9, 12, 0.99), sgdLines, "lines", 480),
			with(attempt("no_drift_aa", i, 1, results.Pass, "", 14+x, 12.95+x, 0.92, 12, 0.99), sgdLines, "lines", 480))
	}
	exp.Attempts = inTurn(exp.Attempts)
	exp.Attempts[0].Warmup = stats.FindWarmup([]float64{0.5, 1, 1.5, 2, 2.5, 3}, []float64{4, 13, 13.1, 13, 13.1, 12.9})
	exp.Attempts[14].Metrics[commitKOPS] = results.Metric{Name: commitKOPS, Value: 3, Unit: "KOPS"}
	return &results.Run{ID: "drifting", System: "minidm", Cluster: "local", Tag: "local", Experiments: []results.Experiment{exp}}
}

// dispatchRun has one cell, whose counters are what matters.
func dispatchRun() *results.Run {
	exp := results.Experiment{Name: "dispatch", Baseline: "full_v27", Test: "TestRDMADispatch", Reps: 3, Order: "sequential", Cells: []results.Cell{{Name: "full_v27"}}}
	for i := range 3 {
		a := attempt("full_v27", i, 1, results.Pass, "", 14.3, 13.6+float64(i)/100, 0.957, 12.2, 0.991)
		a = with(a, "a1.path_rpc", "sets", 12000+float64(i))
		exp.Attempts = append(exp.Attempts, with(with(a, "a1.path_onesided", "sets", 98765), "p99_us", "us", 531297))
	}
	return &results.Run{ID: "paths", System: "minidm", Cluster: "local", Tag: "local", Experiments: []results.Experiment{exp}}
}

// badRun has what must never be averaged silently.
func badRun() *results.Run {
	exp := results.Experiment{Name: "step6", Baseline: "zero", Reps: 4, Order: "interleaved", Cells: []results.Cell{{Name: "zero"}, {Name: "nan"}, {Name: "one"}, {Name: "failed"}, {Name: "a|b"}}}
	for i := range 4 {
		exp.Attempts = append(exp.Attempts, attempt("zero", i, 1, results.Pass, "", 1, 0), attempt("failed", i, 1, results.Fail, "exit status 139"))
	}
	inf := math.Inf(1)
	exp.Attempts = append(exp.Attempts,
		attempt("nan", 0, 1, results.Pass, "", math.NaN(), math.NaN()), attempt("nan", 1, 1, results.Pass, "", inf, 3), attempt("nan", 2, 1, results.Pass, "", 4, -inf),
		attempt("one", 0, 1, results.Pass, "", 5, 4, 0.8, 12),
		attempt("a|b", 0, 1, results.Pass, "", 1e-300, 1e-300), attempt("a|b", 1, 1, results.Pass, "", 1e300, 1e300))
	return &results.Run{ID: "bad", Experiments: []results.Experiment{exp}}
}

// hugeRun has more cells than a page has lines.
func hugeRun() *results.Run {
	exp := results.Experiment{Name: "grid", Baseline: "c0", Reps: 3}
	for i := range 500 {
		name := fmt.Sprintf("c%d", i)
		exp.Cells = append(exp.Cells, results.Cell{Name: name})
		for rep := range 3 {
			exp.Attempts = append(exp.Attempts, attempt(name, rep, 1, results.Pass, "", 2, 1+float64(i*rep)/1000, 0.5))
		}
		exp.Attempts = append(exp.Attempts, attempt(name, 3, 1, results.Infra, "connection lost"))
	}
	return &results.Run{ID: "huge", Experiments: []results.Experiment{exp}}
}

func tableOf(run *results.Run) *Table { return NewTable(run, &run.Experiments[0]) }

// noted fails unless a note, a doubt or a warning of the table has the text, and so has every format.
func noted(t *testing.T, run *results.Run, texts ...string) {
	t.Helper()
	table := tableOf(run)
	all := strings.Join(slices.Concat(table.Notes, table.Doubts), "\n")
	for _, text := range texts {
		if !strings.Contains(all, text) {
			t.Errorf("no note says %q:\n%s", text, all)
		}
	}
}

func TestColumnsAreThoseOfTheExperiment(t *testing.T) {
	start := []string{"cell", "n", "tried KOPS", "commit KOPS [interval]", "level", "commit rate", "atomic/txn", "CN balance"}
	for name, c := range map[string]struct {
		run  *results.Run
		more []string
	}{
		"step6":              {mixedRun(), []string{"Δ to baseline [interval]", "p (Holm)"}},
		"a1b, without lines": {fullRun(), []string{"Δ to baseline [interval]", "p (Holm)"}},
		"drift":              {driftRun(), []string{"SGD lines", "Δ to baseline [interval]", "p (Holm)"}},
		"scaleout":           {scaleRun(), []string{"speed-up to cn1 [interval]", "efficiency", "p"}},
		"dispatch":           {dispatchRun(), nil},
	} {
		if diff := cmp.Diff(slices.Concat(start, c.more), tableOf(c.run).Header()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestScaleOut(t *testing.T) {
	table := tableOf(scaleRun())
	text := func(cell, head string) string {
		return table.Cells(table.row(cell))[slices.Index(table.Header(), head)].Text
	}
	for _, c := range [][3]string{{"cn4", "speed-up to cn1 [interval]", "×3.56 [3.54, 3.58]"}, {"cn4", "efficiency", "0.891"}, {"cn1", "efficiency", "1.00"},
		{"cn8", "commit KOPS [interval]", "deferred (4)"}, {"cn8", "n", absent}, {"cn8", "efficiency", absent}, {"cn1_aa", "p", "A/A"}, {"cn4", "p", "0.002"}} {
		if got := text(c[0], c[1]); got != c[2] {
			t.Errorf("%s, %s: %q, want %q", c[0], c[1], got, c[2])
		}
	}
	noted(t, scaleRun(), "cn8, cn12: deferred by criterion 4 (the opportunity cost exceeds the cost of finishing) on 2026-01-31: the cluster has 4 compute nodes.",
		"scaled down: 1 s a cell instead of 60 s.", "A/A: cn1_aa repeats cn1 and differs by")
}

// What is doubtful about a number is said with it, in every format.
func TestDoubtsTravel(t *testing.T) {
	for text, run := range map[string]*results.Run{
		"within the noise floor of":                     driftRun(),
		"in the order of the run, commit KOPS falls by": driftRun(),
		"warm-up in 1 of 4 reps, most in rep 0: the first 0.5 s are 69 % below the rest and move the mean by -11.5 %": driftRun(),
		"rep 3: commit KOPS: 3 is an outlier": driftRun(),
		"the smallest p is":                   driftRun(),
	} {
		for _, f := range []Format{CSV{}, Bench{}} {
			if !strings.Contains(string(write(t, f, run)), text) {
				t.Errorf("%T does not say %q", f, text)
			}
		}
	}
	noted(t, driftRun(), "in the order of the run, commit KOPS falls by", "drift_2sec rep 3: commit KOPS: 3 is an outlier", "no_drift: warm-up in 1 of 4 reps",
		"no_drift_aa repeats no_drift", "as that of drift_5sec (≈)", "no difference can reach p < 0.05", "at least 5 reps a cell")
}

func TestBadInputIsSaid(t *testing.T) {
	noted(t, badRun(), "nan: 2 of 3 values not finite", "the baseline's median is 0: no ratio", "one: n=1: no interval",
		"cells differ in n (1 to 4)", "one: atomic/txn: no other cell has it", "4 fail", "equal values among the reps")
}

// The table of known reps: the median, [min, max] at the level that they give, and the bootstrap's coverage.
func TestKnownReps(t *testing.T) {
	run := oldRun()
	run.Experiments[0].Attempts = nil
	for i, v := range []float64{13.64, 13.71, 13.58} {
		run.Experiments[0].Attempts = append(run.Experiments[0].Attempts, attempt("full_v27", i, 1, results.Pass, "", 14.3, v))
	}
	md := string(write(t, Markdown{}, run))
	for _, want := range []string{"13.64 [13.58, 13.71]", "75 %", "the recipe calls it 95 %; for normal data it covers\n  75 % (n=3). It gives full_v27 [13.58, 13.71], the same brackets."} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
}

func TestHugeTables(t *testing.T) {
	run := hugeRun()
	md, tex := string(write(t, Markdown{}, run)), string(write(t, LaTeX{}, run))
	if n := strings.Count(md, "\n- "); n > 25 {
		t.Errorf("%d notes", n)
	}
	if !strings.Contains(md, "450 more attempts in the CSV file of the attempts") {
		t.Error("the attempts that Markdown leaves out are not counted")
	}
	if !strings.Contains(tex, "The table shows 40 of 500 cells") {
		t.Error("LaTeX does not say how many cells it leaves out")
	}
	if n := strings.Count(string(write(t, CSV{}, run)), "\n"); n != 501 {
		t.Errorf("%d lines in the CSV, want all 500 cells", n)
	}
}

func TestTableCellsHaveTheirNumbers(t *testing.T) {
	table := tableOf(fullRun())
	r := table.row("sgd")
	for i, c := range table.Cells(r) {
		switch head := table.Header()[i]; head {
		case "commit KOPS [interval]":
			if c.Metric != commitKOPS || c.Value != 1207 || c.Summary.N != 6 {
				t.Errorf("%s: %+v", head, c)
			}
		case "Δ to baseline [interval]":
			if math.Abs(c.Value-1207/102.5) > 1e-9 {
				t.Errorf("%s: %+v", head, c)
			}
		case "cell":
			if !math.IsNaN(c.Value) || c.Text != "sgd" {
				t.Errorf("%s: %+v", head, c)
			}
		}
	}
}

// An A/A cell that differs makes every number doubtful; one without a number, or none at all, is said.
func TestAAVerdicts(t *testing.T) {
	apart := func(aa float64, reps int) *results.Run {
		exp := results.Experiment{Name: "step6", Baseline: "baseline", Cells: []results.Cell{{Name: "baseline"}, {Name: "a1"}, {Name: "baseline_aa", AAOf: "baseline"}}}
		for i := range 6 {
			x := float64(i) / 100
			exp.Attempts = append(exp.Attempts, attempt("baseline", i, 1, results.Pass, "", 5, 4+x), attempt("a1", i, 1, results.Pass, "", 9, 8+x))
			if i < reps {
				exp.Attempts = append(exp.Attempts, attempt("baseline_aa", i, 1, results.Pass, "", 5, aa+x))
			}
		}
		return &results.Run{ID: "aa", Experiments: []results.Experiment{exp}}
	}
	const differs = "A/A: the same cell, measured twice, differs (p=0.002): something besides the cells changed during the run"
	noted(t, apart(4.5, 6), "Careful: "+differs+".", "differs by +12.4 % [+11.7, +13.2] at level 95.9 %. Effects up to 13.2 % are not told from noise.")
	if md := string(write(t, CSV{}, apart(4.5, 6))); strings.Count(md, differs) != 3 {
		t.Errorf("the warning is not with every row:\n%s", md)
	}
	noted(t, apart(4, 1), "Effects up to 1.2 % are not told from noise.")
	noted(t, apart(4, 0), "A/A: baseline_aa repeats baseline, and one of them has no number: how large noise is, this run cannot say.")
	none := apart(4, 0)
	none.Experiments[0].Cells = none.Experiments[0].Cells[:2]
	noted(t, none, "No A/A cell: how large an effect noise can make was not measured.")
	table := tableOf(apart(4.5, 6))
	if d := table.row("a1").Delta; d.Family != 1 {
		t.Errorf("the A/A cell is counted among the comparisons: %d", d.Family)
	}
}

// Without a plan, as in benchmark text, the name of an A/A cell tells what it repeats.
func TestAACellIsKnownByItsName(t *testing.T) {
	exp := results.Experiment{Name: "step6", Baseline: "baseline", Attempts: []results.Attempt{
		attempt("baseline", 0, 1, results.Pass, "", 5, 4), attempt("baseline_aa", 0, 1, results.Pass, "", 5, 4.1), attempt("other_aa", 0, 1, results.Pass, "", 5, 4)}}
	table := NewTable(&results.Run{}, &exp)
	if table.AA == nil || table.AA.Cell.Name != "baseline_aa" || table.row("other_aa").isAA() {
		t.Errorf("A/A cell %+v", table.AA)
	}
}

package compare

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"

	"github.com/gotestbed/gotestbed/reportgen/page"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

var update = flag.Bool("update", false, "write the goldens instead of comparing with them")

// reps are passed attempts of a cell with the values of commit_kops.
func reps(cell string, values ...float64) []results.Attempt {
	var list []results.Attempt
	for i, v := range values {
		list = append(list, results.Attempt{Cell: cell, Rep: i, Try: 1, Position: -1, Verdict: results.Pass,
			Metrics: map[string]results.Metric{"commit_kops": {Name: "commit_kops", Value: v, Unit: "KOPS"}}})
	}
	return list
}

func run(id string, exp results.Experiment, attempts ...[]results.Attempt) Source {
	for _, list := range attempts {
		exp.Attempts = append(exp.Attempts, list...)
	}
	exp.Baseline = "baseline"
	return Source{Name: id, Run: &results.Run{ID: id, System: "minidm", Cluster: "local", Experiments: []results.Experiment{exp}}}
}

// twoRuns differ in all that a plan has: cells, reps, duration, levers, cluster. One cell was measured twice, one has NaN, one
// failed, one has an odd name, and one metric is in one cell of one run only.
func twoRuns() []Source {
	old := run("v26", results.Experiment{Name: "step6", Test: "TestStep6", Reps: 6, Order: "interleaved", Params: results.Params{DurationS: 60, Txns: 200000, Threads: 8},
		Cells: []results.Cell{{Name: "baseline", Label: "baseline"}, {Name: "a1", Label: "+a1", Levers: []string{"a1"}}, {Name: "gone", Label: "gone"},
			{Name: "baseline_aa", Label: "baseline (A/A)", AAOf: "baseline"}}},
		reps("baseline", 10, 10.1, 10.2, 10.3, 10.4, 10.5), reps("a1", 12, 12.1, 12.2, 12.3, 12.4, 12.5), reps("gone", 1, 2, 3),
		reps("baseline_aa", 10.2, 10.3, 10.4, 10.5, 10.6, 10.7))
	cut := reps("cut", 9)
	cut[0].Verdict, cut[0].Reason = results.Fail, "exit status 139"
	nan := reps("nan", math.NaN(), 5)
	nan[0].Metrics["p99_us"] = results.Metric{Name: "p99_us", Value: 531297, Unit: "us"}
	odd := "x|y\x1b[31m_*&<b>"
	cur := run("v27", results.Experiment{Name: "step6", Test: "TestStep6", Reps: 3, Order: "interleaved", Params: results.Params{DurationS: 10, Txns: 200000},
		Notes: []string{"scaled down"},
		Cells: []results.Cell{{Name: "baseline", Label: "baseline"}, {Name: "a1", Label: "+a1", Levers: []string{"a1", "a2"}}, {Name: "nan", Label: "nan"}, {Name: odd, Label: odd}, {Name: "cut"}}},
		reps("baseline", 10.11, 10.21, 10.31, 10.41, 10.51, 10.61), reps("a1", 15, 15.1, 15.2, 15.3, 15.4, 15.5), nan, cut, reps(odd, 1, 1, 1))
	cur.Run.Cluster = "utah"
	cur.Run.Nodes = []results.Node{{Name: "mn", Hardware: "c6525-25g", Facts: map[string]string{"nic": "ConnectX-6 Dx"}}}
	return []Source{old, cur}
}

func TestGoldens(t *testing.T) {
	c, err := New(twoRuns())
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range page.Formats {
		var out bytes.Buffer
		if err := c.Document(nil).Write(&out, format); err != nil {
			t.Fatal(err)
		}
		golden(t, "compare."+map[string]string{"markdown": "md", "latex": "tex", "html": "html"}[format], out.String())
	}
	var out bytes.Buffer
	if err := c.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare.csv", out.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestDifferences(t *testing.T) {
	c, err := New(twoRuns())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"cluster: local in v26, utah in v27",
		"step6: reps: 6 in v26, 3 in v27",
		"step6: seconds of a cell: 60 in v26, 10 in v27",
		"step6: cells: baseline a1 gone baseline_aa in v26, baseline a1 nan x|y\x1b[31m_*&<b> cut in v27",
		"step6: what was changed: nothing in v26, scaled down in v27",
		"step6: levers of a1: a1 in v26, a1+a2 in v27",
		"Not every run has recorded, so it could not be compared: nodes, hardware, nic, step6: threads",
		"step6: attempts that did not run, did not pass or were tried again, and do not count: 1 in v27",
	}
	if diff := cmp.Diff(want, c.Differences); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRunsOfOnePlanDoNotDiffer(t *testing.T) {
	sources := twoRuns()
	c, err := New([]Source{sources[0], {Name: "again", Run: sources[0].Run}})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Differences) > 0 {
		t.Errorf("%q", c.Differences)
	}
	for _, r := range tableOf(t, c, "commit_kops").Rows {
		if d := r.Sides[1].Delta; d.Percent != 0 || d.Significant() {
			t.Errorf("%s: Δ %v, p %v", r.Cell.Name, d.Percent, d.PHolm)
		}
	}
}

// A cell or a metric of one run only is shown as such and never compared.
func TestOneSideOnly(t *testing.T) {
	c, err := New(twoRuns())
	if err != nil {
		t.Fatal(err)
	}
	kops := tableOf(t, c, "commit_kops")
	for _, r := range kops.Rows {
		common := r.Cell.Name == "baseline" || r.Cell.Name == "a1"
		if r.Common() != common {
			t.Errorf("%q: common %v", r.Cell.Name, r.Common())
		}
		if got := r.Sides[1].Delta.Family; common && got != 2 {
			t.Errorf("%s: a family of %d", r.Cell.Name, got)
		}
	}
	if kops.GeoMeans[1].Cells != 2 {
		t.Errorf("the mean is of %d cells", kops.GeoMeans[1].Cells)
	}
	p99 := tableOf(t, c, "p99_us")
	if p99.Has(0) || !p99.Has(1) || p99.GeoMeans != nil {
		t.Errorf("p99_us: has %v, %v; means %v", p99.Has(0), p99.Has(1), p99.GeoMeans)
	}
}

// The A/A cell of v26 says that 4.9 % may be noise: the baseline's change is.
func TestNoiseFloor(t *testing.T) {
	c, err := New(twoRuns())
	if err != nil {
		t.Fatal(err)
	}
	kops := tableOf(t, c, "commit_kops")
	if f := kops.Floors; !(f[0] > 2 && f[0] < 6) || !math.IsNaN(f[1]) {
		t.Errorf("floors %v", f)
	}
	if base, a1 := kops.Rows[0].Sides[1], kops.Rows[1].Sides[1]; !base.InNoise || a1.InNoise {
		t.Errorf("in noise: baseline %v, a1 %v", base.InNoise, a1.InNoise)
	}
}

func TestUnitsThatDiffer(t *testing.T) {
	sources := twoRuns()
	for i, a := range sources[1].Run.Experiments[0].Attempts {
		m := a.Metrics["commit_kops"]
		m.Unit = "MOPS"
		sources[1].Run.Experiments[0].Attempts[i].Metrics["commit_kops"] = m
	}
	c, err := New(sources)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range tableOf(t, c, "commit_kops").Rows {
		if r.Common() {
			t.Errorf("%s: KOPS were compared with MOPS", r.Cell.Name)
		}
	}
}

// An experiment of another name is the same if its test is: results.txt knows the test only.
func TestExperimentsOfOneTest(t *testing.T) {
	a := run("dir", results.Experiment{Name: "a1b", Test: "TestA1Tuner"}, reps("fixed", 1, 2, 3))
	b := run("text", results.Experiment{Name: "a1Tuner", Test: "TestA1Tuner"}, reps("fixed", 1, 2, 3))
	other := run("old", results.Experiment{Name: "drift"}, reps("no_drift", 1))
	c, err := New([]Source{a, b, other})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Tables) != 2 || c.Tables[0].Experiment != "a1b" || !c.Tables[0].Rows[0].Common() {
		t.Errorf("%+v", c.Tables)
	}
	if !strings.Contains(strings.Join(c.Differences, "\n"), "a1b: not in old\ndrift: not in dir, text") {
		t.Errorf("%q", c.Differences)
	}
}

func TestBenchmarks(t *testing.T) {
	bench := func(values ...float64) *results.Bench {
		b := &results.Bench{}
		for _, v := range values {
			b.Results = append(b.Results, &benchfmt.Result{Name: benchfmt.Name("ReadBW/pair=mn-cn0/size=65536"), Values: []benchfmt.Value{{Value: v, Unit: "B/s"}}})
		}
		return b
	}
	c, err := New([]Source{{"a", &results.Run{Bench: bench(100, 101, 102)}}, {"b", &results.Run{Bench: bench(200, 202, 204)}}})
	if err != nil {
		t.Fatal(err)
	}
	if d := tableOf(t, c, "B/s").Rows[0].Sides[1].Delta; d.Percent != 100 {
		t.Errorf("Δ %v %%", d.Percent)
	}
}

func TestNothingToCompare(t *testing.T) {
	if _, err := New(twoRuns()[:1]); !errors.Is(err, ErrOne) {
		t.Errorf("one run: %v", err)
	}
	if _, err := New([]Source{{"a", &results.Run{}}, {"b", &results.Run{}}}); err == nil {
		t.Error("two empty runs: no error")
	}
}

func TestZeroBaseline(t *testing.T) {
	a := run("a", results.Experiment{Name: "x"}, reps("c", 0, 0, 0), reps("d", 1, 1, 1))
	b := run("b", results.Experiment{Name: "x"}, reps("c", 1, 2, 3), reps("d", 2, 2, 2))
	c, err := New([]Source{a, b})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Document(nil).Write(&out, "markdown"); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"NaN", "Inf", "∞"} {
		if strings.Contains(out.String(), bad) {
			t.Errorf("%s in\n%s", bad, out.String())
		}
	}
	if !strings.Contains(out.String(), "the baseline's median is 0: no ratio") && !strings.Contains(out.String(), "no ratio") {
		t.Errorf("nothing about the zero in\n%s", out.String())
	}
}

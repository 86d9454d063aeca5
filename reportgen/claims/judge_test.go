package claims

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/page"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

var update = flag.Bool("update", false, "write the goldens instead of comparing with them")

// cells are the values of the metric m of an experiment's cells.
type cells map[string][]float64

func run(values cells) *results.Run {
	exp := results.Experiment{Name: "step6", Test: "TestStep6", Reps: 3}
	for _, cell := range []string{"baseline", "a1", "a2", "full"} {
		for rep, v := range values[cell] {
			exp.Attempts = append(exp.Attempts, results.Attempt{Cell: cell, Rep: rep, Try: 1, Position: -1, Verdict: results.Pass,
				Metrics: map[string]results.Metric{"m": {Name: "m", Value: v, Unit: "KOPS"}}})
		}
	}
	return &results.Run{ID: "r1", System: "minidm", Experiments: []results.Experiment{exp}}
}

// judgeOne parses a claim about the metric m and holds it to the run.
func judgeOne(t *testing.T, claim string, r *results.Run) Judgement {
	t.Helper()
	f, err := parse(head + claim + "}\n")
	if err != nil {
		t.Fatal(err)
	}
	list := f.Judge([]*results.Run{r})
	if len(list) != 1 {
		t.Fatalf("%d judgements", len(list))
	}
	return list[0]
}

func TestVerdicts(t *testing.T) {
	three := run(cells{"baseline": {10, 10.1, 10.2}, "a1": {12, 12.1, 12.2}, "a2": {12.05, 12.15, 12.3}, "full": {20, 20.2, 20.4}})
	check := func(claim string, want Verdict, reason string) {
		t.Helper()
		j := judgeOne(t, claim, three)
		if j.Verdict != want || !strings.Contains(j.Reason, reason) || reason == "" && j.Reason != "" {
			t.Errorf("%s: %s (%s), want %s (%s)", claim, j.Verdict, j.Reason, want, reason)
		}
	}
	check("ratio: {cell: full, to: baseline, at_least: 1.9}", Supported, "")
	check("ratio: {cell: full, to: baseline, at_least: 2.1}", NotSupported, "full ÷ baseline is 2.000 [1.961, 2.040]")
	check("ratio: {cell: full, to: baseline, at_least: 2.0}", TooLittle, "that may be so or not")
	check("ratio: {cell: full, to: baseline, at_least: 2.0}, tolerance: 5 %", Supported, "")
	check("ratio: {cell: full, to: baseline, at_most: 2.1}", Supported, "")
	check("ratio: {cell: full, to: baseline, at_most: 1.9}, tolerance: 0.2", Supported, "")
	check("ratio: {cell: full, to: baseline, is: 2}, tolerance: 5 %", Supported, "")
	check("ratio: {cell: full, to: baseline, is: 2}, tolerance: 5 %, level: 95 %", TooLittle, "the reps say so at 90 %, and 95 % is asked for")
	check("ratio: {cell: full, to: baseline, at_least: 1.9}, level: 95 %", Supported, "") // one end of an interval of 90 %
	check("ratio: {cell: full, to: baseline, at_least: 2.1}, level: 96 %", TooLittle, "speaks against it, but at 95 % only")
	check("ratio: {cell: full, to: baseline, is: 3}, tolerance: 5 %", NotSupported, "2.000")
	check("order: baseline < a1 < full", Supported, "")
	check("order: full > a1 > baseline", Supported, "")
	check("order: full < a1", NotSupported, "a1 ÷ full is 0.5990")
	check("order: baseline < a1 < a2 < full", TooLittle, "a2 ÷ a1 is")
	check("order: baseline < a1 < a2 < full, tolerance: 5 %", Supported, "")
	check("order: baseline < full < a1 < a2", NotSupported, "a1 ÷ full")
	check("order: baseline < a1 < full, level: 91 %", TooLittle, "the reps say so at 90 %") // two steps of 95 %
	check("value: {cell: full, is: 20}, tolerance: 2.5 %", Supported, "")
	check("value: {cell: full, is: 20}, tolerance: 0.3", TooLittle, "that may be so or not")
	check("value: {cell: full, is: 30}, tolerance: 1", NotSupported, "full is 20.20 [20.00, 20.40]")
	check("value: {cell: full, at_least: 19}", Supported, "")
	check("value: {cell: full, at_least: 19}, level: 80 %", TooLittle, "the reps say so at 75 %, and 80 % is asked for")
	check("value: {cell: nothing, at_least: 19}", TooLittle, "no value of nothing")
	check("order: baseline < nothing", TooLittle, "no value of nothing")
}

// What the data cannot say is too little, never support.
func TestThinData(t *testing.T) {
	check := func(values cells, claim, reason string) {
		t.Helper()
		if j := judgeOne(t, claim, run(values)); j.Verdict != TooLittle || !strings.Contains(j.Reason, reason) {
			t.Errorf("%v, %s: %s (%s), want too little data (%s)", values, claim, j.Verdict, j.Reason, reason)
		}
	}
	nan, inf := math.NaN(), math.Inf(1)
	check(cells{"full": {20}}, "value: {cell: full, at_least: 1}", "n=1: no interval")
	check(cells{"full": {20, 21}}, "value: {cell: full, at_least: 1}", "at 50 %")
	check(cells{"full": {20}, "a1": {10}}, "order: a1 < full", "no interval")
	check(cells{"full": {1, 2, 3}, "a1": {0, 0, 0}}, "ratio: {cell: full, to: a1, at_least: 1}", "no ratio")
	check(cells{"full": {nan, nan, nan}}, "value: {cell: full, at_least: 1}", "not finite")
	check(cells{"full": {inf, 5, nan}}, "value: {cell: full, at_least: 1}", "not finite")
}

func TestEqualCellsHaveNoOrder(t *testing.T) {
	j := judgeOne(t, "order: a1 < full", run(cells{"full": {1, 1, 1}, "a1": {1, 1, 1}}))
	if j.Verdict != NotSupported {
		t.Errorf("%s (%s)", j.Verdict, j.Reason)
	}
}

func TestOtherExperimentOrMetric(t *testing.T) {
	r := run(cells{"full": {1, 2, 3}})
	r.Experiments[0].Name = "drift"
	if j := judgeOne(t, "order: a1 < full", r); j.Verdict != TooLittle || j.Reason != "no run has the experiment step6" || j.Run != "" {
		t.Errorf("%+v", j)
	}
	r.Experiments[0].Name = "step6"
	f, err := parse("claims:\n- {claim: c, experiment: TestStep6, metric: other, order: a1 < full}\n")
	if err != nil {
		t.Fatal(err)
	}
	if j := f.Judge([]*results.Run{r, r}); len(j) != 2 || j[0].Verdict != TooLittle || j[0].Run != "r1" {
		t.Errorf("%+v", j)
	}
}

// Absolute values are held to the hardware that they were measured on; ratios and orders are judged anywhere, but of the program
// that the claim is about.
func TestComparable(t *testing.T) {
	const preamble = "system: AURA\nrecorded: {hardware: c6525-25g, nic: ConnectX-6 Dx}\nclaims:\n- {claim: c, experiment: step6, metric: m, "
	judge := func(claim string, change func(*results.Run)) Judgement {
		t.Helper()
		f, err := parse(preamble + claim + "}\n")
		if err != nil {
			t.Fatal(err)
		}
		r := run(cells{"baseline": {5, 5.1, 5.2}, "full": {20, 20.2, 20.4}})
		r.System = "AURA"
		r.Nodes = []results.Node{{Name: "mn", Hardware: "c6525-25g", Facts: map[string]string{"nic": "Mellanox MT2892 Family [ConnectX-6 Dx]"}}, {Name: "cn0"}}
		change(r)
		return f.Judge([]*results.Run{r})[0]
	}
	check := func(change func(*results.Run), value, ratio Verdict, reason string) {
		t.Helper()
		j := judge("value: {cell: full, is: 20}, tolerance: 5 %", change)
		if j.Verdict != value || !strings.Contains(j.Reason, reason) {
			t.Errorf("value: %s (%s), want %s (%s)", j.Verdict, j.Reason, value, reason)
		}
		if j := judge("ratio: {cell: full, to: baseline, at_least: 2}", change); j.Verdict != ratio {
			t.Errorf("ratio: %s (%s), want %s", j.Verdict, j.Reason, ratio)
		}
	}
	check(func(*results.Run) {}, Supported, Supported, "")
	check(func(r *results.Run) { r.Nodes[1].Hardware = "xl170" }, NotComparable, Supported, "hardware is c6525-25g and xl170, the claim was measured on c6525-25g")
	check(func(r *results.Run) { r.Nodes[0].Facts["nic"] = "unknown: no lspci" }, Supported, Supported, "did not record nic; taken for the claim's")
	check(func(r *results.Run) { r.Nodes = nil }, Supported, Supported, "did not record hardware, nic")
	check(func(r *results.Run) { r.System = "minidm" }, NotComparable, NotComparable, "the claim is about AURA, the run is of minidm")
	check(func(r *results.Run) { r.System = "" }, NotComparable, NotComparable, "did not record its program")
}

// Without anything in common there is nothing to take it for.
func TestNothingRecorded(t *testing.T) {
	f, err := parse("recorded: {site: Utah}\nclaims:\n- {claim: c, experiment: step6, metric: m, value: {cell: full, at_least: 1}}\n")
	if err != nil {
		t.Fatal(err)
	}
	r := run(cells{"full": {20, 20.2, 20.4}})
	if j := f.Judge([]*results.Run{r})[0]; j.Verdict != NotComparable {
		t.Errorf("%s (%s)", j.Verdict, j.Reason)
	}
	r.Site = "CloudLab Utah"
	if j := f.Judge([]*results.Run{r})[0]; j.Verdict != Supported {
		t.Errorf("%s (%s)", j.Verdict, j.Reason)
	}
}

func TestHold(t *testing.T) {
	for _, c := range []struct {
		verdicts []Verdict
		want     bool
	}{
		{nil, false},
		{[]Verdict{Supported}, true},
		{[]Verdict{Supported, NotComparable}, true},
		{[]Verdict{NotComparable}, false},
		{[]Verdict{Supported, TooLittle}, false},
		{[]Verdict{Supported, NotSupported}, false},
	} {
		var list []Judgement
		for _, v := range c.verdicts {
			list = append(list, Judgement{Verdict: v})
		}
		if got := Hold(list); got != c.want {
			t.Errorf("%v: %v", c.verdicts, got)
		}
	}
}

// The claims on AURA hold for the reps that are known, and are too little data where only one rep is.
func TestAURA(t *testing.T) {
	f := readFile(t, "aura.yaml")
	var verdicts []Verdict
	for _, name := range []string{"aura_v27_step6_20260101_000000", "aura_v27_step6_20260101_010000"} {
		r, err := results.ReadDir(filepath.Join("..", "..", "testdata", "old-runs", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range f.Judge([]*results.Run{r}) {
			verdicts = append(verdicts, j.Verdict)
		}
	}
	if diff := cmp.Diff([]Verdict{Supported, TooLittle, TooLittle, TooLittle}, verdicts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func readFile(t *testing.T, name string) *File {
	t.Helper()
	in, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	f, err := Parse(name, in)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestGoldens(t *testing.T) {
	f, err := parse(`claims:
- {claim: "All levers *together* | double it & more.", paper: "§6.2, Table 2", experiment: step6, metric: m, ratio: {cell: full, to: baseline, at_least: 1.9}}
- {claim: "Each step adds.", experiment: step6, metric: m, order: baseline < a1 < full}
- {claim: "=a1 is slower.", experiment: step6, metric: m, order: a1 < baseline}
- {claim: "Drift costs nothing.", experiment: drift, metric: m, value: {cell: drift_2sec, is: 1}, tolerance: 5 %}
- {claim: "Twenty.", experiment: step6, metric: m, value: {cell: full, is: 20.2}, tolerance: 0.1}
`)
	if err != nil {
		t.Fatal(err)
	}
	list := f.Judge([]*results.Run{run(cells{"baseline": {10, 10.1, 10.2}, "a1": {12, 12.1, 12.2}, "full": {20, 20.2, 20.4}})})
	for _, format := range page.Formats {
		var out bytes.Buffer
		if err := Document(f, list).Write(&out, format); err != nil {
			t.Fatal(err)
		}
		golden(t, "claims."+map[string]string{"markdown": "md", "latex": "tex", "html": "html"}[format], out.String())
	}
	var out bytes.Buffer
	if err := WriteCSV(&out, f, list); err != nil {
		t.Fatal(err)
	}
	golden(t, "claims.csv", out.String())
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

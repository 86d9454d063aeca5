package render

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"
)

// What Bench writes, the reader of benchstat reads: every used attempt, in base units, with its cell as /cell.
func TestBenchReadsBack(t *testing.T) {
	r := benchfmt.NewReader(bytes.NewReader(write(t, Bench{}, mixedRun())), "results.txt")
	var got []string
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Errorf("%v", rec)
		case *benchfmt.Result:
			v, _ := rec.Value("commit-txn/s")
			got = append(got, fmt.Sprintf("%s %s %s %v", rec.Name, rec.GetConfig("system"), rec.GetConfig("cluster"), v))
			if rec.GetConfig("run") != "" {
				t.Error("run is a configuration key: benchstat would not compare two runs")
			}
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Step6/cell=baseline minidm local 4200", "Step6/cell=baseline minidm local 4300", "Step6/cell=baseline minidm local 4250",
		"Step6/cell=a1 minidm local 6020",
		"Step6/cell=full_v27 minidm local 13640", "Step6/cell=full_v27 minidm local 13710", "Step6/cell=full_v27 minidm local 13580",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	for unit, want := range map[string]int{"tried-txn/s": 1, "commit-txn/s": 1, "commit-ratio": 1, "cn-balance": 1, "atomics/txn": 0} {
		if got := r.Units().GetBetter(unit); got != want {
			t.Errorf("%s: better = %d, want %d", unit, got, want)
		}
	}
}

func TestHostileNamesStayOneBenchmark(t *testing.T) {
	r := benchfmt.NewReader(bytes.NewReader(write(t, Bench{}, hostileRun())), "results.txt")
	n := 0
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Errorf("%v", rec)
		case *benchfmt.Result:
			n++
			if _, parts := rec.Name.Parts(); len(parts) != 1 {
				t.Errorf("%s has %d parts, want one", rec.Name, len(parts))
			}
		}
	}
	if n != 3 {
		t.Errorf("%d results, want 3", n)
	}
}

func TestBenchPart(t *testing.T) {
	for in, want := range map[string]string{"full_v27": "full_v27", "a-b": "a-b", "a-27": "a%2D27", "a-27b": "a-27b", "a-": "a-", "a/b": "a%2Fb", "a b": "a%20b", "a%2Fb": "a%252Fb"} {
		if got := benchPart(in); got != want {
			t.Errorf("benchPart(%q) = %q, want %q", in, got, want)
		}
	}
}

// FromBench undoes Bench, up to what the format cannot hold.
func TestFromBench(t *testing.T) {
	r := benchfmt.NewReader(bytes.NewReader(append(write(t, Bench{}, mixedRun()), "BenchmarkOther/size=8 1 3 ns/op\n"...)), "results.txt")
	var list []*benchfmt.Result
	for r.Scan() {
		if res, ok := r.Result().(*benchfmt.Result); ok {
			list = append(list, res.Clone())
		}
	}
	runs := FromBench(list)
	if len(runs) != 1 || len(runs[0].Experiments) != 1 {
		t.Fatalf("%d runs: %+v", len(runs), runs)
	}
	exp := runs[0].Experiments[0]
	if runs[0].System != "minidm" || runs[0].Cluster != "local" || exp.Name != "step6" || exp.Test != "TestStep6" {
		t.Errorf("system %q, cluster %q, experiment %q, test %q", runs[0].System, runs[0].Cluster, exp.Name, exp.Test)
	}
	want := map[string]bool{}
	for _, a := range NewTable(mixedRun(), &mixedRun().Experiments[0]).Rows {
		for i, u := range a.Used {
			for name, m := range u.Metrics {
				want[fmt.Sprint(a.Cell.Name, i, name, m.Value, m.Unit)] = true
			}
		}
	}
	got := map[string]bool{}
	for _, a := range exp.Attempts {
		for name, m := range a.Metrics {
			got[fmt.Sprint(a.Cell, a.Rep, name, m.Value, m.Unit)] = true
			if m.Origins[0].File != "results.txt" || m.Origins[0].Line < 9 {
				t.Errorf("%s is from %v", name, m.Origins)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

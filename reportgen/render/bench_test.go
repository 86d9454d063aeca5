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

package results

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

type benchWant struct {
	Results *int
	Errors  []int
	Ignored []int
	Valid   []int
	Compare []struct {
		Name, Unit    string
		Before, After float64
		DeltaPct      *float64 `json:"delta_pct"`
		N             int
		Significant   *bool
	}
	Warnings []struct {
		Name, Config string
		Min, Max     float64
	}
}

// TestBenchCases checks every case of kind benchstat: which lines hold what, and what a comparison of the values comes to.
func TestBenchCases(t *testing.T) {
	cases := casesOf[benchWant](t, "benchstat")
	if len(cases) != 3 {
		t.Errorf("%d cases, want 3", len(cases))
	}
	for _, c := range cases {
		t.Run(filepath.Base(c.File), func(t *testing.T) {
			f, err := os.Open(filepath.Join(testdata, "cases", c.File))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			b, err := ReadBench(c.File, f)
			if err != nil {
				t.Fatal(err)
			}
			verifyLines(t, b, c.Want)
			verifyComparison(t, b, c.Want)
		})
	}
}

func verifyLines(t *testing.T, b *Bench, want benchWant) {
	t.Helper()
	if want.Results != nil && *want.Results != len(b.Results) {
		t.Errorf("%d results, want %d", len(b.Results), *want.Results)
	}
	errors := []int{}
	for _, e := range b.Errors {
		errors = append(errors, e.Line)
	}
	if diff := cmp.Diff(want.Errors, errors); diff != "" {
		t.Errorf("errors (-want +got)\n%s\n%v", diff, b.Errors)
	}
	if want.Valid != nil {
		if diff := cmp.Diff(want.Valid, b.Valid); diff != "" {
			t.Errorf("valid (-want +got)\n%s", diff)
		}
	}
	if diff := cmp.Diff(want.Ignored, b.Ignored); diff != "" {
		t.Errorf("ignored (-want +got)\n%s", diff)
	}
}

// sample returns the values of a benchmark under a configuration, with the assumption that the text's Unit lines make.
func sample(b *Bench, name, note, unit string) (*benchmath.Sample, benchmath.Assumption) {
	var values []float64
	// Values are kept in tidied units (ns/op as sec/op), and compared as printed.
	for _, r := range b.Results {
		if string(r.Name.Base()) != name || r.GetConfig("note") != note {
			continue
		}
		for _, v := range r.Values {
			switch unit {
			case v.OrigUnit:
				values = append(values, v.OrigValue)
			case v.Unit:
				values = append(values, v.Value)
			}
		}
	}
	return benchmath.NewSample(values, &benchmath.DefaultThresholds), b.Units.GetAssumption(unit)
}

func verifyComparison(t *testing.T, b *Bench, want benchWant) {
	t.Helper()
	for _, w := range want.Compare {
		before, assume := sample(b, w.Name, "before", w.Unit)
		after, _ := sample(b, w.Name, "after", w.Unit)
		if len(before.Values) != w.N || len(after.Values) != w.N {
			t.Errorf("%s: n = %d and %d, want %d", w.Name, len(before.Values), len(after.Values), w.N)
		}
		x, y := assume.Summary(before, 0.95).Center, assume.Summary(after, 0.95).Center
		if x != w.Before || y != w.After {
			t.Errorf("%s: %v and %v, want %v and %v", w.Name, x, y, w.Before, w.After)
		}
		comparison := assume.Compare(before, after)
		if w.Significant != nil && *w.Significant != (comparison.P < comparison.Alpha) {
			t.Errorf("%s: p = %v", w.Name, comparison.P)
		}
		if w.DeltaPct != nil && math.Abs(100*(y/x-1)-*w.DeltaPct) > 1e-9 {
			t.Errorf("%s: delta %v %%, want %v %%", w.Name, 100*(y/x-1), *w.DeltaPct)
		}
	}
	for _, w := range want.Warnings {
		s, assume := sample(b, w.Name, w.Config, "wire-bytes")
		warnings := assume.Summary(s, 0.95).Warnings
		if len(warnings) == 0 || s.Values[0] != w.Min || s.Values[len(s.Values)-1] != w.Max {
			t.Errorf("%s: warnings %v, values %v", w.Name, warnings, s.Values)
		}
	}
}

func TestReadBenchLines(t *testing.T) {
	const good = "BenchmarkStep6/cell=full_v27 1 13700 commit-txn/s\n"
	check := func(name, in string, results int, errors, ignored []int) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			b, err := ReadBench("results.txt", strings.NewReader(in))
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, e := range b.Errors {
				got = append(got, e.Line)
			}
			if len(b.Results) != results {
				t.Errorf("%d results, want %d", len(b.Results), results)
			}
			if diff := cmp.Diff([][]int{errors, ignored}, [][]int{got, b.Ignored}); diff != "" {
				t.Errorf("errors, ignored (-want +got)\n%s", diff)
			}
		})
	}
	check("empty", "", 0, nil, nil)
	check("good", "system: minidm\n\nUnit commit-txn/s better=higher\n"+good+good, 2, nil, nil)
	check("the same unit twice", "Unit x better=higher\nUnit x better=higher\n", 0, nil, nil)
	check("other output", "PASS\nok  \tx\t0.1s\nBenchmarkX\n"+good, 1, nil, []int{1, 2})
	check("long line", strings.Repeat("x", 1<<20)+"\n"+good, 1, []int{1}, nil)
	check("at the scanner's limit", strings.Repeat("x", maxScanned)+"\n"+strings.Repeat("y", maxScanned+1)+"\n"+good, 1, []int{2}, []int{1})
	check("no newline at the end", strings.TrimSuffix(good, "\n"), 1, nil, nil)
	check("junk last", good+"junk", 1, nil, []int{2})
	check("DOS line ends", "note: x\r\n\r\n"+good, 1, nil, nil)
}

func TestReadBenchConfig(t *testing.T) {
	b, err := ReadBench("results.txt", strings.NewReader("run: r1\nUnit commit-txn/s better=higher\nBenchmarkStep6/cell=a1 1 16000 commit-txn/s\nrun: r2\nBenchmarkStep6/cell=a1 1 17000 commit-txn/s\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range b.Results {
		_, parts := benchfmt.Name(r.Name).Parts()
		got = append(got, r.GetConfig("run")+" "+string(parts[0]))
	}
	if diff := cmp.Diff([]string{"r1 /cell=a1", "r2 /cell=a1"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if b.Units.GetBetter("commit-txn/s") <= 0 {
		t.Error("the unit's direction is lost")
	}
}

package results

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// benchStream is what `go test -bench . -json` prints for one benchmark with a sub-benchmark.
const benchStream = `{"Action":"start","Package":"x"}
{"Action":"output","Package":"x","Output":"goos: linux\n"}
{"Action":"run","Package":"x","Test":"BenchmarkA"}
{"Action":"output","Package":"x","Test":"BenchmarkA","Output":"=== RUN   BenchmarkA\n"}
{"Action":"output","Package":"x","Test":"BenchmarkA","Output":"BenchmarkA\n"}
{"Action":"run","Package":"x","Test":"BenchmarkA/op=x/pair=mn-cn0"}
{"Action":"output","Package":"x","Test":"BenchmarkA/op=x/pair=mn-cn0","Output":"BenchmarkA/op=x/pair=mn-cn0\n"}
{"Action":"output","Package":"x","Test":"BenchmarkA/op=x/pair=mn-cn0","Output":"Unit ops/s better=higher\n"}
{"Action":"output","Package":"x","Test":"BenchmarkA/op=x/pair=mn-cn0","Output":"BenchmarkA/op=x/pair=mn-cn0-2         \t"}
{"Action":"output","Package":"x","Test":"BenchmarkA/op=x/pair=mn-cn0","Output":"      10\t         5.000 ops/s\n"}
{"Action":"output","Package":"x","Output":"PASS\n"}
{"Action":"pass","Package":"x","Elapsed":0.029}
`

func TestBenchmarksOfStream(t *testing.T) {
	e := readEvents(t, benchStream)
	if e.Bench == nil || len(e.Bench.Results) != 1 {
		t.Fatalf("benchmarks: %+v", e.Bench)
	}
	res := e.Bench.Results[0]
	if v, ok := res.Value("ops/s"); res.Name.String() != "A/op=x/pair=mn-cn0-2" || !ok || v != 5 {
		t.Errorf("%s: %v", res.Name, res.Values)
	}
	if got := e.Bench.Origin(res).Line; got != 10 {
		t.Errorf("line %d of the stream, want 10", got)
	}
	if s := e.Tests; !s.RunOK || s.Pass != 2 || s.Incomplete != 0 {
		t.Errorf("a benchmark has no end event and passes with its package: %+v", s)
	}
	cut := readEvents(t, benchStream[:strings.Index(benchStream, `{"Action":"output","Package":"x","Output":"PASS`)])
	if s := cut.Tests; s.RunOK || s.Incomplete != 2 {
		t.Errorf("without the package's end nobody knows: %+v", s)
	}
}

// What a benchmark prints besides its result is not taken for one, and one that prints for ever is bounded.
func TestBenchmarkTextIsBounded(t *testing.T) {
	var b strings.Builder
	out := func(text string) {
		fmt.Fprintf(&b, `{"Action":"output","Package":"x","Test":"BenchmarkA","Output":%q}`+"\n", text)
	}
	b.WriteString(`{"Action":"run","Package":"x","Test":"BenchmarkA"}` + "\n")
	out("Benchmarking is hard\n")
	out("BenchmarkA-2 \t")
	out(strings.Repeat("x", maxBenchLine))
	out("BenchmarkA-2 \t1\t7 ops/s\n")
	for range 20_000 {
		out("BenchmarkA/" + strings.Repeat("n", 400) + " 1 7 ops/s\n")
	}
	e := readEvents(t, b.String())
	if n := len(e.Bench.Results); n < 5_000 || n > maxBenchText/400 {
		t.Errorf("%d results", n)
	}
	if n := e.Bench.Dropped + len(e.Bench.Results); n != 20_001 || e.Bench.ErrorCount > 0 {
		t.Errorf("%d results kept or dropped, malformed: %v", n, e.Bench.Errors)
	}
}

func TestBenchmarksOfDirectory(t *testing.T) {
	run := readDir(t, write(t, "micro", map[string]string{benchmarksFile: "device: mlx5_2\nUnit ops/s better=higher\n# warning: slow\n" +
		"BenchmarkAtomicMlx5_2/op=fetch_add/pair=mn-cn0 1 7.5e+06 ops/s\nBenchmarkX 1 x ops/s\n"}))
	if len(run.Bench.Results) != 1 || run.Bench.Results[0].GetConfig("device") != "mlx5_2" {
		t.Errorf("%+v", run.Bench)
	}
	if diff := cmp.Diff([]string{"slow"}, run.Bench.Doubts(run.Bench.Results[0])); diff != "" || run.Bench.IgnoreCount > 0 {
		t.Errorf("doubts (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"benchmarks.txt:5: parsing measurement: invalid syntax"}, run.Warnings); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
}

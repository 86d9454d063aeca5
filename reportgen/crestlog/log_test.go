package crestlog

import (
	"bytes"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, in string) *Log {
	t.Helper()
	l, err := Parse("log", iotest.HalfReader(strings.NewReader(in)))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestSummary states the counts and the committed rate that a log ends in, and what was complained of.
func TestSummary(t *testing.T) {
	check := func(name, in string, tried, committed, kops Value, complete bool, complaints ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			l := parse(t, in)
			if diff := cmp.Diff([]Value{tried, committed, kops}, []Value{l.Tried, l.Committed, l.CommitKOPS}); diff != "" {
				t.Errorf("tried, committed, KOPS (-want +got)\n%s", diff)
			}
			if l.Complete != complete {
				t.Errorf("Complete = %v, want %v", l.Complete, complete)
			}
			var got []string
			for _, e := range l.Bad {
				got = append(got, e.Error())
			}
			if diff := cmp.Diff(complaints, append(got, l.Warnings...)); diff != "" {
				t.Errorf("complaints (-want +got)\n%s", diff)
			}
		})
	}
	const counts = "Tried: 1078 Committed: 996\n"
	const rates = "Tried Throughput: 6.5 KOPS, Commit Troughput: 6.25 KOPS \n"
	none := Value{}
	check("as printed", counts+rates, Value{1078, 1}, Value{996, 1}, Value{6.25, 2}, true)
	check("their spelling or ours", counts+"Tried Throughput: 6.5 KOPS, Commit Throughput: 6.25 KOPS\n", Value{1078, 1}, Value{996, 1}, Value{6.25, 2}, true)
	check("scientific", "Tried: 1e+06 Committed: 9.5e+05\nTried Throughput: 1.2e-05 KOPS, Commit Troughput: 1e+01 KOPS \n", Value{1e6, 1}, Value{9.5e5, 1}, Value{10, 2}, true)
	check("glued", "Tried:1234567890 Committed:1234567889\n"+rates, Value{1234567890, 1}, Value{1234567889, 1}, Value{6.25, 2}, true)
	check("DOS line ends", "Tried: 1078 Committed: 996\r\nTried Throughput: 6.5 KOPS, Commit Troughput: 6.25 KOPS \r\n", Value{1078, 1}, Value{996, 1}, Value{6.25, 2}, true)
	check("reset pushed to the next line", "\x1b[32m[1][a.cc:1] x\n\x1b[0mTried: 1078 Committed: 996\x1b[0m\n\x1b[0m\x1b[32m"+rates, Value{1078, 2}, Value{996, 2}, Value{6.25, 3}, true)
	check("colour inside", "Tried: \x1b[1m1078\x1b[0m Committed: \x1b[1m996\x1b[0m\n"+rates, Value{1078, 1}, Value{996, 1}, Value{6.25, 2}, true)
	check("behind a log prefix", "\x1b[32m[  10][Benchmark.cc:1] Tried: 1078 Committed: 996\x1b[0m\n"+rates, Value{1078, 1}, Value{996, 1}, Value{6.25, 2}, true)
	check("committed rate alone", "Commit Troughput: 13.64 KOPS \n", none, none, Value{13.64, 1}, true)

	check("-nan", "Tried: 0 Committed: 0\nTried Throughput: -nan KOPS, Commit Troughput: nan KOPS \n", Value{0, 1}, Value{0, 1}, none, true,
		"log:2: Tried Throughput: is not a finite number", "log:2: Commit Troughput: is not a finite number")
	check("inf", counts+"Tried Throughput: inf KOPS, Commit Troughput: -inf KOPS \n", Value{1078, 1}, Value{996, 1}, none, true,
		"log:2: Tried Throughput: is not a finite number", "log:2: Commit Troughput: is not a finite number")
	check("out of range", counts+"Tried Throughput: 6.5 KOPS, Commit Troughput: 1e999 KOPS \n", Value{1078, 1}, Value{996, 1}, none, true, `log:2: Commit Troughput: no number: "1e999"`)
	check("negative", "Tried: -5 Committed: 996\n", none, none, none, false, "log:1: Tried: -5 is negative")
	check("a word", "Tried: many Committed: 996\n", none, none, none, false, `log:1: Tried: no number: "many"`)
	check("hexadecimal", "Tried: 0x10 Committed: 996\n", none, none, none, false, `log:1: Tried: no number: "0x10"`)
	check("a fraction", "Tried: 10.5 Committed: 9\n", none, none, none, false, "log:1: a count of transactions has a fraction")
	check("another unit", counts+"Tried Throughput: 6.5 KOPS, Commit Troughput: 6.25 MOPS\n", Value{1078, 1}, Value{996, 1}, none, true, `log:2: Commit Troughput: unit is "MOPS", not KOPS`)
	check("more committed than tried", "Tried: 5 Committed: 6\n", Value{5, 1}, Value{6, 1}, none, false, "log:1: more transactions committed than tried")

	check("empty", "", none, none, none, false)
	check("cut in a count", "Tried: 1078 Committed: 99", none, none, none, false, "log:1: Committed: the file ends inside the number", "log:1: summary line ends before the committed count")
	check("cut before the rates", counts, Value{1078, 1}, Value{996, 1}, none, false)
	check("cut in a rate", counts+"Tried Throughput: 6.5 KOPS, Commit Troughput: 6.2", Value{1078, 1}, Value{996, 1}, none, false,
		"log:2: Commit Troughput: the file ends inside the number", "log:2: summary line ends before the commit throughput")
	check("cut behind a rate", counts+"Tried Throughput: 6.5 KOPS, Commit Troughput: 6.25 KO", Value{1078, 1}, Value{996, 1}, Value{6.25, 2}, true)
	check("no newline at the end", counts+strings.TrimSuffix(rates, "\n"), Value{1078, 1}, Value{996, 1}, Value{6.25, 2}, true)

	start := "[1][BenchRunner.cc:130] Read configuration file succeed\n"
	check("appended", start+counts+rates+start+"Tried: 8 Committed: 4\n"+rates, Value{8, 5}, Value{4, 5}, Value{6.25, 6}, true, "log:4: the log holds an earlier run; only the last one is used")
	check("appended and cut", start+counts+rates+start, none, none, none, false, "log:4: the log holds an earlier run; only the last one is used")
	check("second summary", counts+rates+"Tried: 8 Committed: 4\n", Value{8, 3}, Value{4, 3}, none, false, "log:3: a second summary; only the last one is used")
	check("long line", strings.Repeat("x", 1<<20)+"\n"+counts+rates, Value{1078, 2}, Value{996, 2}, Value{6.25, 3}, true, "log:1: line is longer than 65536 bytes")
	check("binary junk", "\x00\xff\x1b[\x1b\n\x1b\x1b[[[][]\n"+counts+rates, Value{1078, 3}, Value{996, 3}, Value{6.25, 4}, true)
	check("words that begin alike", counts+rates+"Commit Transaction log\nTried hard\nAverage\n", Value{1078, 1}, Value{996, 1}, Value{6.25, 2}, true)
	check("row", "crest 12.5 12 618 590 1004 2217 3980 402 71 139\n", none, none, Value{12, 1}, true)
	check("short row", "crest 12.5 12 618\n", none, none, none, false, "log:1: row of 3 numbers, want 10")
	check("not a row", "crest is a program\n", none, none, none, false)
}

func TestErrors(t *testing.T) {
	check := func(in, class string, line int) {
		t.Helper()
		if l := parse(t, in); l.Error != class || l.ErrorLine != line {
			t.Errorf("%q: error %q on line %d, want %q on %d", in, l.Error, l.ErrorLine, class, line)
		}
	}
	check("all is well\n", "", 0)
	check("x\n[1][Benchmark.cc:85] Thread0 build connection failed\n", ErrConnect, 2)
	check("dial tcp 127.0.0.1:11211: connect: connection refused\n", ErrConnect, 1)
	check("terminate called after throwing an instance of 'std::bad_alloc'\n", ErrTerminate, 1)
	check("terminate called\n[1][Benchmark.cc:85] Thread0 build connection failed\n", ErrTerminate, 1)
	check("[qp_impl.hpp:152] poll till completion error: 12 transport retry counter exceeded\n", ErrTransportRetry, 1)
	check("[qp_impl.hpp:152] poll till completion error: 5 Work Request Flushed Error\n", ErrCompletion, 1)
	check("poll till completion error: 1", ErrCompletion, 1)
	check("panic: runtime error: index out of range\n", ErrPanic, 1)
	check("consistency: FAILED: warehouse 1\n", ErrConsistency, 1)
	check("consistency: ok 8 warehouses\n", "", 0)
}

func TestSeries(t *testing.T) {
	const in = "\x1b[32m[  36156630][Benchmark.cc:129] Tried txn thpt: 10.75 KOPS, committed txn thpt: 10.27 KOPS, abort rate: 0.05\x1b[0m\n" +
		"\x1b[32m[  41201546][Benchmark.cc:129] Tried txn thpt: 0.00 KOPS, committed txn thpt: 0.00 KOPS, abort rate: -nan\x1b[0m\n" +
		"[t=5.10s] atomic=0.480 rpc=1.100 move=2.520 load=0.200\n" +
		"\x1b[32m[5][Tuner.cc:9] self-tuned weights [t=5.20s] atomic=0.5 rpc=1e-03 move=2 load=0 (sgd)\x1b[0m\n" +
		"self-tuned by hand\n[t=x] atomic\n[t=5.30s] atomic=0.5 rpc=1 move=nan load=0\n[t=5.30s] atomic=0.5 rpc=1 move=2 load=0."
	var intervals []Interval
	var weights []Weights
	l, err := ParseSeries("log", strings.NewReader(in), Options{
		Interval: func(i Interval) { intervals = append(intervals, i) },
		Weights:  func(w Weights) { weights = append(weights, w) },
	})
	if err != nil {
		t.Fatal(err)
	}
	nan := cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
	if diff := cmp.Diff([]Interval{{1, 36156630, 10.75, 10.27, 0.05}, {2, 41201546, 0, 0, math.NaN()}}, intervals, nan); diff != "" {
		t.Errorf("intervals (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]Weights{{3, 5.1, 0.48, 1.1, 2.52, 0.2}, {4, 5.2, 0.5, 0.001, 2, 0}}, weights); diff != "" {
		t.Errorf("weights (-want +got)\n%s", diff)
	}
	if l.SGD != 1 || l.FirstSGD != 4 || l.WeightPoints != 2 || l.Intervals != 2 || l.BadLines != 2 {
		t.Errorf("SGD %d first %d, weights %d, intervals %d, bad %v", l.SGD, l.FirstSGD, l.WeightPoints, l.Intervals, l.Bad)
	}
}

// TestIntervalCount: lines are counted alike whether each is taken apart (ParseSeries) or only looked at (Parse).
func TestIntervalCount(t *testing.T) {
	const rest = "Tried txn thpt: 1 KOPS, committed txn thpt: 1 KOPS, abort rate: 0"
	in := "\x1b[32m[         1][Benchmark.cc:129] " + rest + "\x1b[0m\n" +
		"\x1b[32m[ 999999999][Benchmark.cc:129] " + rest + "\x1b[0m\r\n" +
		"\x1b[32m[19999999999][Benchmark.cc:129] " + rest + "\x1b[0m\n" + // the prefix grows
		"\x1b[0m\x1b[32m[         1][Benchmark.cc:129] " + rest + "\n" +
		"[         1][Benchmark.cc:129] " + rest + "\n" +
		"\x1b[32m[         1][Benchmark.cc:129] Tried hard to reach txn thpt\x1b[0m\n" +
		"\x1b[32m[         1][Benchmark.cc:129] \n\n" + rest + "\n" +
		"\x1b[32m[         1][Benchmark.cc:129] " + rest + strings.Repeat(" ", longestInterval) + "self-tuned sgd\n"
	taken, err := ParseSeries("log", strings.NewReader(in), Options{Interval: func(Interval) {}})
	if err != nil {
		t.Fatal(err)
	}
	counted := parse(t, in)
	if counted.Intervals != 6 || taken.Intervals != 6 || counted.SGD != 1 {
		t.Errorf("counted %d, taken apart %d, want 6; %d sgd lines, want 1", counted.Intervals, taken.Intervals, counted.SGD)
	}
}

// junk is a reader of n bytes without a newline.
type junk struct{ n int64 }

func (j *junk) Read(p []byte) (int, error) {
	if j.n == 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), j.n)]
	n := copy(p, noNewline)
	j.n -= int64(n)
	return n, nil
}

var noNewline = bytes.Repeat([]byte("z"), 256<<10)

// TestHugeLine reads a line of 1 GB (256 MB with -short) and what stands behind it in bounded memory.
func TestHugeLine(t *testing.T) {
	size := int64(1 << 30)
	if testing.Short() {
		size = 256 << 20
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const rest = "\nTried: 1078 Committed: 996\nTried Throughput: 6.5 KOPS, Commit Troughput: 6.25 KOPS \n"
	l, err := Parse("log", io.MultiReader(&junk{size}, strings.NewReader(rest)))
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if l.BadLines != 1 || l.Bad[0].Line != 1 || l.Committed != (Value{996, 2}) || !l.Complete {
		t.Errorf("got %+v", l)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("allocated %d bytes for a line of %d", grown, size)
	}
}

func TestIOError(t *testing.T) {
	l, err := Parse("log", io.MultiReader(strings.NewReader("Tried: 1078 Committed: 996\n"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if err == nil || err.Error() != "log:2: unexpected EOF" || !l.Tried.OK() {
		t.Errorf("err = %v, log %+v", err, l)
	}
}

package results

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestEventsOddities(t *testing.T) {
	check := func(name string, build func(*stream), verify func(*testing.T, *Events)) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			var s stream
			build(&s)
			verify(t, readEvents(t, s.String()))
		})
	}
	check("empty", func(*stream) {}, func(t *testing.T, e *Events) {
		if e.Tests.RunOK || e.Tests.PackageVerdict != "" || len(e.Runs) != 0 {
			t.Errorf("%+v", e)
		}
	})
	check("torn last line", func(s *stream) {
		s.add("run", "TestA")
		s.add("pass", "TestA")
		s.WriteString(`{"Action":"pass","Pack`)
	}, func(t *testing.T, e *Events) {
		if e.Tests.RunOK || e.Tests.Invalid != 1 || e.Tests.InvalidLines[0] != 3 || e.Tests.Cause != "incomplete: package example.com/e2e has no end event" {
			t.Errorf("%+v", e.Tests)
		}
	})
	check("long and odd lines", func(s *stream) {
		s.WriteString(strings.Repeat("x", 1<<20) + "\n\n[1]\nnull\n{}\nFAIL\tx\n")
		s.add("run", "TestA")
		s.add("output", "TestA", "Output", strings.Repeat("y", 60_000)+"\n")
		s.add("output", "TestA", "Output", "no newline")
		for _, length := range []int{maxScanned, maxScanned + 1} { // the second one would stop testjson's scanner
			var empty stream
			empty.attr("TestA", "x", "")
			s.attr("TestA", "x", strings.Repeat("z", length-(empty.Len()-len("\n"))))
		}
		s.add("pass", "TestA")
		s.add("pass", "")
	}, func(t *testing.T, e *Events) {
		if diff := cmp.Diff([]int{1, 3, 4, 5, 6, 11}, e.Tests.InvalidLines); diff != "" || !e.Tests.RunOK || e.Tests.Pass != 1 {
			t.Errorf("%+v\n%s", e.Tests, diff)
		}
	})
	check("skip with its reason", func(s *stream) {
		s.add("run", "TestA")
		s.add("output", "TestA", "Output", "=== RUN   TestA\n")
		s.add("output", "TestA", "Output", "    a_test.go:3: no RDMA device\n")
		s.add("output", "TestA", "Output", "--- SKIP: TestA (0.00s)\n")
		s.add("skip", "TestA")
		s.add("pass", "")
	}, func(t *testing.T, e *Events) {
		want := []TestOutput{{"example.com/e2e", "TestA", []string{"    a_test.go:3: no RDMA device"}}}
		if diff := cmp.Diff(want, e.Tests.Skipped); diff != "" || !e.Tests.RunOK {
			t.Errorf("run ok %v (-want +got)\n%s", e.Tests.RunOK, diff)
		}
	})
	check("TestMain fails", func(s *stream) {
		s.add("output", "", "Output", "the cluster is in use\n")
		s.add("fail", "")
	}, func(t *testing.T, e *Events) {
		if e.Tests.RunOK || e.Tests.Cause != "package fails without a failed test: the cluster is in use" {
			t.Errorf("%+v", e.Tests)
		}
	})
	check("one of two packages fails", func(s *stream) {
		s.add("fail", "", "Package", "example.com/b")
		s.add("pass", "")
	}, func(t *testing.T, e *Events) {
		if e.Tests.RunOK || e.Tests.PackageVerdict != "fail" {
			t.Errorf("%+v", e.Tests)
		}
	})
	check("bad attributes", func(s *stream) {
		s.add("run", "TestA")
		s.attr("TestA", "plan", "{")
		s.add("run", "TestA/x")
		s.attr("TestA/x", "cell", "x")
		s.attr("TestA/x", "rep", "first")
		s.add("run", "TestA/y")
		for _, kv := range [][2]string{{"cell", "y"}, {"rep", "0"}, {"experiment", "e"}, {"verdict", "pass"}, {"metric.commit_kops", "NaN KOPS"}, {"metric.tried", "5 txn m.log"}} {
			s.attr("TestA/y", kv[0], kv[1])
		}
		s.add("pass", "TestA/y")
	}, func(t *testing.T, e *Events) {
		a := e.Runs[0].Experiments[0].Attempts[0]
		if a.Verdict != Fail || len(a.Metrics) != 0 || len(a.Warnings) != 2 || len(e.Runs[0].Warnings) != 2 {
			t.Errorf("%+v, warnings %q", a, e.Runs[0].Warnings)
		}
	})
}

// chatter is a stream of n bytes of output of one running test.
type chatter struct {
	n    int64
	line []byte
	off  int
}

func (c *chatter) Read(p []byte) (int, error) {
	if c.n <= 0 {
		return 0, io.EOF
	}
	n := copy(p, c.line[c.off:])
	c.off = (c.off + n) % len(c.line)
	c.n -= int64(n)
	return n, nil
}

// TestHugeStream reads a test that prints 64 MB and a line of 1 GB (a quarter of both with -short): memory stays
// where it was.
func TestHugeStream(t *testing.T) {
	var s stream
	s.add("output", "TestA", "Output", strings.Repeat("z", 4000)+"\n")
	line := []byte(s.String())
	printed, junk := int64(64<<20), int64(1<<30)
	if testing.Short() {
		printed, junk = 16<<20, 256<<20
	}
	in := io.MultiReader(
		strings.NewReader(`{"Action":"run","Package":"example.com/e2e","Test":"TestA"}`+"\n"),
		&chatter{n: printed / int64(len(line)) * int64(len(line)), line: line},
		&chatter{n: junk, line: bytes.Repeat([]byte("x"), 64<<10)},
		strings.NewReader("\n"+`{"Action":"fail","Package":"example.com/e2e","Test":"TestA"}`+"\n"),
	)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e, err := ReadEvents("events.json", in)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if e.Tests.Fail != 1 || e.Tests.Invalid != 1 || len(e.Tests.Failed[0].Lines) != maxTestTail {
		t.Errorf("%+v", e.Tests)
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 32<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
	runtime.KeepAlive(e)
}

func TestEventsIOError(t *testing.T) {
	in := io.MultiReader(strings.NewReader(`{"Action":"run","Package":"p","Test":"TestA"}`+"\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	e, err := ReadEvents("events.json", in)
	if err == nil || err.Error() != "events.json:2: unexpected EOF" || e.Tests.Incomplete != 1 {
		t.Errorf("%v, %+v", err, e)
	}
}

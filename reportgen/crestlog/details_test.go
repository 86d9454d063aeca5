package crestlog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readDetails(t *testing.T, in string) *Details {
	t.Helper()
	d, err := ParseDetails("d", strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// block writes a block as a compute node does: values in ten columns.
func block(atomics ...int) string {
	var b strings.Builder
	b.WriteString("[Threads: 8  Coroutine: 4 ]\n[Statistics]\n[Ticker]\n\n")
	for i, n := range atomics {
		fmt.Fprintf(&b, "[ tpcc.%s ]\n\n%44s:%10d\n%44s:%10d\n\n", atomicTransactions[i], "tpcc."+atomicTransactions[i]+".abort", 7, "tpcc."+atomicTransactions[i]+".rdma.atomic.total", n)
	}
	return b.String() + "[History]\n   tpcc.NEWORDER.lat:   average:   2.20   p50:   1.90   p99:   3.55   p999:   3.55\n\n"
}

func TestAtomics(t *testing.T) {
	check := func(name, in string, want []Value, wantErr string, bad ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			d := readDetails(t, in)
			got, err := d.Atomics()
			if msg := fmt.Sprint(err); msg != wantErr && (err != nil || wantErr != "") {
				t.Errorf("error %q, want %q", msg, wantErr)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			var lines []string
			for _, e := range d.Bad {
				lines = append(lines, e.Error())
			}
			if diff := cmp.Diff(bad, lines); diff != "" {
				t.Errorf("bad lines (-want +got)\n%s", diff)
			}
		})
	}
	four := func(first int) []Value {
		return []Value{{1, first}, {20, first + 5}, {1234567890, first + 10}, {12345678901, first + 15}}
	}
	good := block(1, 20, 1234567890, 12345678901)
	height := strings.Count(good, "\n")
	check("one block", good, four(8), "")
	check("last block of two", block(9, 9, 9, 9)+good, four(height+8), "")
	check("second block cut off", good+block(1, 2), nil, fmt.Sprintf("d:%d: the block has no tpcc.DELIVER.rdma.atomic.total", height+1))
	check("a header and no more", good+"[Threads: 8  Coroutine: 4 ]\n", []Value{}, "")
	check("DOS line ends", strings.ReplaceAll(good, "\n", "\r\n"), four(8), "")
	check("no atomics at all", "[Threads: 1  Coroutine: 2 ]\n   tpcc.NEWORDER.abort:        44\n", []Value{}, "")
	check("empty", "", []Value{}, "")
	check("cut in a count", "[Threads: 1  Coroutine: 2 ]\ntpcc.NEWORDER.rdma.atomic.total:    12", []Value{}, "", "d:2: tpcc.NEWORDER.rdma.atomic.total: the file ends inside the count")
	check("words for counts", "tpcc.NEWORDER.rdma.atomic.total: -nan\ntpcc.PAYMENT.rdma.atomic.total: x1\n", []Value{}, "",
		`d:1: tpcc.NEWORDER.rdma.atomic.total: no count: "-nan"`, `d:2: tpcc.PAYMENT.rdma.atomic.total: no count: "x1"`)
	check("bad header", "[Threads: \n", []Value{}, "", `d:1: block header without its counts: "[Threads: "`)
	check("long line", strings.Repeat("x", 1<<20)+"\n"+good, four(9), "", "d:1: line is longer than 65536 bytes")
}

func TestDetailsOfCREST(t *testing.T) {
	f, err := os.Open(filepath.Join(testdata, "crest-logs/tpcc-1mn-2cn/m_cn0.details.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := ParseDetails("d", f)
	if err != nil {
		t.Fatal(err)
	}
	if d.Threads != 1 || d.Coros != 2 || d.Blocks != 1 || len(d.Counters) != 60 || d.BadLines != 0 {
		t.Errorf("threads %d, coros %d, blocks %d, %d counters, bad %v", d.Threads, d.Coros, d.Blocks, len(d.Counters), d.Bad)
	}
	if got := d.Counters["tpcc.PAYMENT.fail_insert"]; got.V != 20 {
		t.Errorf("tpcc.PAYMENT.fail_insert = %+v", got)
	}
}

func TestDetailsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 2 * maxCounters {
		fmt.Fprintf(&b, "tpcc.X.c%d: 1\n", i)
	}
	d := readDetails(t, b.String())
	if len(d.Counters) != maxCounters || d.BadLines != maxCounters || len(d.Bad) != maxErrors {
		t.Errorf("%d counters, %d bad lines, %d kept", len(d.Counters), d.BadLines, len(d.Bad))
	}
}

package crestlog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHistograms(t *testing.T) {
	check := func(name, in string, want map[string]Histogram, bad ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			d := readDetails(t, in)
			if diff := cmp.Diff(want, d.Histograms); diff != "" {
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
	const line = "   tpcc.NEWORDER.lat:   average:   2.20   p50:   1.90   p99:   3.55   p999:   4.5\n"
	one := map[string]Histogram{"tpcc.NEWORDER.lat": {Line: 2, Average: 2.2, P50: 1.9, P99: 3.55, P999: 4.5}}
	check("one", "[History]\n"+line, one)
	check("glued", "[History]\ntpcc.NEWORDER.lat:average:2.20 p50:1.90 p99:3.55 p999:4.5\n", one)
	check("six digits and more", "tpcc.A.lat:   average: 221885.28   p50: 219225.82   p99: 565382.34   p999: 583569.04\n",
		map[string]Histogram{"tpcc.A.lat": {Line: 1, Average: 221885.28, P50: 219225.82, P99: 565382.34, P999: 583569.04}})
	check("last block of two", block(1, 2, 3, 4)+"[Threads: 8  Coroutine: 4 ]\n[Statistics]\ntpcc.A.lat: average: 1 p50: 2 p99: 3 p999: 4\n",
		map[string]Histogram{"tpcc.A.lat": {Line: strings.Count(block(1, 2, 3, 4), "\n") + 3, Average: 1, P50: 2, P99: 3, P999: 4}})
	check("a header and no more", block(1, 2, 3, 4)+"[Threads: 8  Coroutine: 4 ]\n", map[string]Histogram{})
	check("-nan", "tpcc.A.lat: average: -nan p50: 1 p99: 2 p999: 3\n", nil, "d:1: tpcc.A.lat: average: no latency")
	check("negative", "tpcc.A.lat: average: 1 p50: -1 p99: 2 p999: 3\n", nil, "d:1: tpcc.A.lat: p50: no latency")
	check("short", "tpcc.A.lat: average: 1 p50: 2\n", nil, "d:1: tpcc.A.lat: no p99:")
	check("cut", "tpcc.A.lat: average: 1 p50: 2 p99: 3 p999: 4", nil, "d:1: tpcc.A.lat: the file ends inside the latency")
}

func TestHistogramsOfCREST(t *testing.T) {
	f, err := os.Open(filepath.Join(testdata, "crest-logs/tpcc-1mn-2cn/m_cn0.details.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := ParseDetails("d", f)
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string]Histogram{}
	for name, h := range d.Histograms {
		if txn, ok := Transaction(name); ok {
			whole[txn] = h
		}
	}
	want := map[string]Histogram{
		"NEWORDER":     {89, 221885.28, 219225.82, 565382.34, 583569.04},
		"PAYMENT":      {102, 92484.75, 85875.23, 222972.36, 222972.36},
		"DELIVER":      {Line: 115},
		"STOCK_LEVEL":  {Line: 128},
		"ORDER_STATUS": {141, 43985.70, 35959.71, 39035.03, 39035.03},
	}
	if diff := cmp.Diff(want, whole); diff != "" || len(d.Histograms) != 45 {
		t.Errorf("%d histograms, (-want +got)\n%s", len(d.Histograms), diff)
	}
	if !whole["DELIVER"].Empty() || whole["PAYMENT"].Empty() {
		t.Error("DELIVER was never run, PAYMENT was")
	}
}

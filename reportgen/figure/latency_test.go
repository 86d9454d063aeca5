package figure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// latencies is a details file with a histogram of each type of transaction; p50 is 100 µs and more.
func latencies(txns int) string {
	var b strings.Builder
	b.WriteString("[Threads: 1  Coroutine: 8 ]\n[Statistics]\n[History]\n")
	for i := range txns {
		fmt.Fprintf(&b, "   tpcc.T%02d.lat:   average:   2.20   p50:   %d.00   p99: 2031.55   p999: 4031.55\n", i, 100+i)
	}
	return b.String()
}

// TestLatencyGroups checks what is a group and what a mark, with more types of transactions than cells and with fewer.
func TestLatencyGroups(t *testing.T) {
	check := func(cells, txns, groups, series, dots int, missing string) {
		t.Helper()
		run := &results.Run{Dir: t.TempDir(), Experiments: []results.Experiment{{Name: "x"}}}
		e := &run.Experiments[0]
		for i := range cells {
			name := fmt.Sprintf("c%d", i)
			e.Cells = append(e.Cells, results.Cell{Name: name})
			e.Attempts = append(e.Attempts, results.Attempt{Cell: name, Verdict: results.Pass, Dir: name})
			write(t, run.Dir, map[string]string{name + "/m_cn0.log": nodeLog(0, 0, false), name + "/m_cn0.details.txt": latencies(txns)})
		}
		set := &Set{}
		s := newStudy(run, e)
		if err := readLogs(run, []*study{s}); err != nil {
			t.Fatal(err)
		}
		s.latency(set)
		drawAll(t, set)
		if missing != "" {
			if want := []Missing{{Name: "x_latency", Experiment: "x", Reason: missing}}; !cmp.Equal(set.Missing, want) {
				t.Errorf("%d cells, %d transactions: %v", cells, txns, set.Missing)
			}
			return
		}
		d := set.Figures[0].Chart.(*Dots)
		got := 0
		for _, g := range d.Groups {
			got += len(g.Dots)
			for i, dot := range g.Dots {
				if dot.Series != i {
					t.Errorf("%d cells, %d transactions: mark %d of %s is of series %d", cells, txns, i, g.Label, dot.Series)
				}
			}
		}
		if len(d.Groups) != groups || len(d.Series) != series || got != dots {
			t.Errorf("%d cells, %d transactions: %d groups of %d marks, %d marks", cells, txns, len(d.Groups), len(d.Series), got)
		}
	}
	check(1, 5, 5, 1, 5, "")
	check(2, 5, 5, 2, 10, "")
	check(5, 2, 2, 5, 10, "")
	check(8, 1, 1, 8, 8, "")
	check(9, 1, 9, 1, 9, "")
	check(9, 5, 9, 5, 45, "")
	check(3, 11, maxTransactions, 3, 3*maxTransactions, "")
	check(12, 11, 12, maxTransactions, 12*maxTransactions, "")
	check(40, 5, 0, 0, 0, "5 types of transactions in 40 cells are more than can be told apart")
	check(3, 0, 0, 0, 0, "no details file of x has latencies of transactions")
}

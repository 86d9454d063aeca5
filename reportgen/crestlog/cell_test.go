package crestlog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// summary writes the end of a log.
func summary(tried, committed int, triedKOPS, commitKOPS float64) string {
	return fmt.Sprintf("Tried: %d Committed: %d\nTried Throughput: %g KOPS, Commit Troughput: %g KOPS \n"+
		"Average latency: 10 us, P50 latency: 9 us, P90 latency: 20 us, P99 latency: 30 us\n", tried, committed, triedKOPS, commitKOPS)
}

// readCell writes a cell directory step6/c_rep0 and reads it.
func readCell(t *testing.T, files map[string]string) *Cell {
	t.Helper()
	run := t.TempDir()
	dir := filepath.Join(run, "step6", "c_rep0")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c, err := ReadCell(run, dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// values drops everything of the metrics but the numbers.
func values(c *Cell) map[string]float64 {
	got := map[string]float64{}
	for name, m := range c.Metrics {
		got[name] = m.Value
	}
	return got
}

func TestReadCell(t *testing.T) {
	check := func(name string, files map[string]string, want map[string]float64, reason string, warnings ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			c := readCell(t, files)
			if diff := cmp.Diff(want, values(c), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
				t.Errorf("metrics (-want +got)\n%s", diff)
			}
			if c.Reason != reason || c.Complete != (reason == "") {
				t.Errorf("Complete %v, Reason %q, want %q", c.Complete, c.Reason, reason)
			}
			if diff := cmp.Diff(warnings, c.Warnings); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
		})
	}
	client := summary(2000, 1600, 20, 16)
	latency := func(m map[string]float64) map[string]float64 {
		m["avg_us"], m["p50_us"], m["p90_us"], m["p99_us"] = 10, 9, 20, 30
		return m
	}
	check("fork", map[string]string{
		"m_client.log": client, "m_cn0.log": summary(900, 700, 9, 7), "m_cn1.log": "self-tuned by sgd\n" + summary(1100, 900, 11, 9),
		"m_cn0.details.txt": block(800, 0, 0, 0), "m_cn1.details.txt": block(100, 200, 300, 200),
	}, latency(map[string]float64{
		"tried": 2000, "committed": 1600, "tried_kops": 20, "commit_kops": 16, "commit_rate": 0.8, "atomic_per_txn": 1, "cn_balance": 7. / 9, "n_sgd_logs": 1,
	}), "")
	check("upstream", map[string]string{"m_cn0.log": summary(900, 700, 9, 7), "m_cn1.log": summary(1100, 900, 11, 9), "m_cn0.details.txt": "", "m_cn1.details.txt": ""},
		map[string]float64{"tried": 2000, "committed": 1600, "tried_kops": 20, "commit_kops": 16, "commit_rate": 0.8, "cn_balance": 7. / 9}, "")
	check("upstream, one node", map[string]string{"m_cn0.log": summary(900, 450, 9, 7), "m_cn0.details.txt": ""},
		latency(map[string]float64{"tried": 900, "committed": 450, "tried_kops": 9, "commit_kops": 7, "commit_rate": 0.5, "cn_balance": 1}), "")
	check("a log and details missing", map[string]string{"m_client.log": client, "m_cn0.log": summary(900, 700, 9, 7), "m_cn0.details.txt": block(1, 1, 1, 1), "m_cn2.log": summary(1, 1, 1, 1)},
		latency(map[string]float64{"tried": 2000, "committed": 1600, "tried_kops": 20, "commit_kops": 16, "commit_rate": 0.8}), "",
		"cn_balance: no log of cn1", "atomic_per_txn: no details of cn1")
	check("one node less than connected", map[string]string{
		"m_mn.log": "MN0 establishes connection with CN0 succeed\nMN0 establishes connection with CN1 succeed\n", "m_cn0.log": summary(900, 700, 9, 7), "m_cn0.details.txt": ""},
		map[string]float64{}, "cn1: m_cn1.log is missing", "cn_balance: no log of cn1", "atomic_per_txn: no details of cn1")
	check("one node did not end", map[string]string{"m_cn0.log": summary(900, 700, 9, 7), "m_cn1.log": "x\ny\n", "m_cn0.details.txt": "", "m_cn1.details.txt": ""},
		map[string]float64{}, "cn1: no summary in the 2 lines of m_cn1.log", "cn_balance: step6/c_rep0/m_cn1.log has no committed count")
	check("partial atomics", map[string]string{"m_client.log": client, "m_cn0.log": "", "m_cn0.details.txt": block(1, 2)},
		latency(map[string]float64{"tried": 2000, "committed": 1600, "tried_kops": 20, "commit_kops": 16, "commit_rate": 0.8}), "",
		"atomic_per_txn: step6/c_rep0/m_cn0.details.txt:1: the block has no tpcc.DELIVER.rdma.atomic.total")
	check("nothing committed", map[string]string{"m_client.log": "Tried: 10 Committed: 0\nTried Throughput: 1 KOPS, Commit Troughput: 0 KOPS\n", "m_cn0.log": "", "m_cn0.details.txt": block(1, 1, 1, 1)},
		map[string]float64{"tried": 10, "committed": 0, "tried_kops": 1, "commit_kops": 0}, "")
	check("no files", nil, map[string]float64{}, "no log of a client or a compute node in step6/c_rep0")
	check("empty client log", map[string]string{"m_client.log": ""}, map[string]float64{}, "client: m_client.log is empty")
	check("cut client log", map[string]string{"m_client.log": "x\nTried: 10 Committed: 5\n"}, map[string]float64{"tried": 10, "committed": 5, "commit_rate": 0.5},
		"client: the summary in m_client.log is cut off after line 2")
	check("the cause is in another log", map[string]string{"m_client.log": "waiting\n", "m_cn0.log": "[qp_impl.hpp:152] poll till completion error: 12 transport retry counter exceeded\n", "m_cn0.details.txt": ""},
		map[string]float64{}, "cn0: poll till completion error: 12 transport retry counter exceeded (m_cn0.log:1)")
	check("error after the result", map[string]string{"m_client.log": client + "terminate called without an active exception\n"},
		latency(map[string]float64{"tried": 2000, "committed": 1600, "tried_kops": 20, "commit_kops": 16, "commit_rate": 0.8}), "",
		"step6/c_rep0/m_client.log:4: terminate called without an active exception")
	check("inconsistent", map[string]string{"m_client.log": client + "consistency: FAILED warehouse 3: 12 is not 11\n"},
		latency(map[string]float64{"tried": 2000, "committed": 1600, "tried_kops": 20, "commit_kops": 16, "commit_rate": 0.8}),
		"client: consistency: FAILED warehouse 3: 12 is not 11 (m_client.log:4)")
}

func TestReadCellOfCREST(t *testing.T) {
	dir := filepath.Join(testdata, "crest-logs")
	c, err := ReadCell(dir, filepath.Join(dir, "tpcc-1mn-2cn"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"tried": 1078 + 1086, "committed": 996 + 993, "tried_kops": 0.00682416 + 0.00703272, "commit_kops": 0.00630507 + 0.00643047,
		"commit_rate": 1989. / 2164, "cn_balance": 993. / 996,
	}
	if diff := cmp.Diff(want, values(c), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !c.Complete || c.System != SystemCREST || c.CNs != 2 || len(c.Warnings) > 0 {
		t.Errorf("complete %v, system %q, %d CNs, warnings %q", c.Complete, c.System, c.CNs, c.Warnings)
	}
	origins := []Origin{{"tpcc-1mn-2cn/m_cn0.log", 170}, {"tpcc-1mn-2cn/m_cn1.log", 170}}
	if diff := cmp.Diff(origins, c.Metrics["committed"].Origins); diff != "" {
		t.Errorf("origins (-want +got)\n%s", diff)
	}
}

func TestTail(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "\x1b[32m[%d][a.cc:1] step %d\x1b[0m\r\n", i, i)
	}
	b.WriteString("last\x00\xff\a line \x1b[31mred")
	c := readCell(t, map[string]string{"m_client.log": b.String()})
	if n := len(c.Tail); n != 10 {
		t.Fatalf("%d lines: %q", n, c.Tail)
	}
	if c.Tail[0] != "[31][a.cc:1] step 31" || c.Tail[9] != "last??? line red" {
		t.Errorf("tail %q", c.Tail)
	}
	c = readCell(t, map[string]string{"m_client.log": strings.Repeat("\xffx", 1<<20)})
	if n := len(strings.Join(c.Tail, "")); n == 0 || n > maxTailBytes {
		t.Errorf("tail of one long line has %d bytes", n)
	}
}

package results_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

const (
	benchCells = 2000
	benchBytes = 400 << 20
)

// BenchmarkReadDir reads 400 MB of logs in 2000 cell directories. It reports the peak resident memory, and how many
// times as long it takes as `grep -rF`, which reads the same files and does nothing with them.
func BenchmarkReadDir(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "aura_v27_step6_20260101_000000")
	size := generate(b, dir, benchCells, benchBytes)
	grep := timeGrep(b, dir)
	debug.FreeOSMemory()
	resetPeak()
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		run, err := results.ReadDir(dir)
		if err != nil {
			b.Fatal(err)
		}
		if n := len(run.Experiments[0].Attempts); n != benchCells {
			b.Fatalf("%d attempts", n)
		}
	}
	if peak, ok := peakMiB(); ok {
		b.ReportMetric(peak, "peak-MiB")
	}
	if grep > 0 {
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/grep.Seconds(), "times-grep")
	}
}

// generate writes n cell directories of a step6 run with about size bytes of logs and returns their size. The
// numbers are random: they are there to be read, not to mean anything.
func generate(tb testing.TB, dir string, n int, size int64) int64 {
	tb.Helper()
	rnd := rand.New(rand.NewPCG(27, 6))
	cells := []string{"baseline", "+a1", "+a2", "+a3", "full_v27"}
	body := intervals(rnd, size/int64(n)/5)
	var total int64
	put := func(name string, parts ...string) {
		f, err := os.Create(name)
		if err != nil {
			tb.Fatal(err)
		}
		w := bufio.NewWriterSize(f, 64<<10)
		for _, p := range parts {
			n, _ := w.WriteString(p)
			total += int64(n)
		}
		if err := w.Flush(); err != nil {
			tb.Fatal(err)
		}
		if err := f.Close(); err != nil {
			tb.Fatal(err)
		}
	}
	for i := range n {
		cell := filepath.Join(dir, fmt.Sprintf("%s_rep%d", cells[i%len(cells)], i/len(cells)))
		if err := os.MkdirAll(cell, 0o755); err != nil {
			tb.Fatal(err)
		}
		committed := 700_000 + rnd.IntN(100_000)
		for cn := range 4 {
			put(fmt.Sprintf("%s/m_cn%d.log", cell, cn), body, benchSummary(committed/4))
			put(fmt.Sprintf("%s/m_cn%d.details.txt", cell, cn), benchDetails(rnd))
		}
		put(cell+"/m_client.log", body, benchSummary(committed))
		put(cell+"/m_mn.log", "\x1b[32m[  90298022][Pool.cc:47] MN0 waits for incomming connection\x1b[0m\n")
	}
	return total
}

// intervals returns at least size bytes of the lines that a compute node writes every half second.
func intervals(rnd *rand.Rand, size int64) string {
	var b strings.Builder
	for tick := 5_000_000; int64(b.Len()) < size; tick += 5_000_000 {
		fmt.Fprintf(&b, "\x1b[32m[%10d][Benchmark.cc:129] Tried txn thpt: %.2f KOPS, committed txn thpt: %.2f KOPS, abort rate: %.2f\x1b[0m\n",
			tick, 14+rnd.Float64(), 13+rnd.Float64(), rnd.Float64()/10)
	}
	return b.String()
}

func benchSummary(committed int) string {
	tried := committed * 21 / 20
	return fmt.Sprintf("Tried: %d Committed: %d\nTried Throughput: %.6g KOPS, Commit Troughput: %.6g KOPS \n"+
		"Average latency: 154 us, P50 latency: 129 us, P90 latency: 271 us, P99 latency: 531 us\n",
		tried, committed, float64(tried)/6e4, float64(committed)/6e4)
}

func benchDetails(rnd *rand.Rand) string {
	var b strings.Builder
	b.WriteString("[Threads: 8  Coroutine: 8 ]\n[Statistics]\n[Ticker]\n")
	for _, txn := range []string{"NEWORDER", "PAYMENT", "DELIVER", "STOCK_LEVEL", "ORDER_STATUS"} {
		fmt.Fprintf(&b, "\n\n[ tpcc.%s ]\n\n", txn)
		for _, k := range []string{"abort", "fail_lock", "fail_insert", "rdma.read.total", "rdma.write.total", "rdma.atomic.total"} {
			fmt.Fprintf(&b, "%44s:%10d\n", "tpcc."+txn+"."+k, rnd.IntN(10_000_000))
		}
	}
	return b.String()
}

// timeGrep returns the best of three passes of grep over the files, 0 without grep. The first pass also brings them into the
// page cache.
func timeGrep(b *testing.B, dir string) time.Duration {
	grep, err := exec.LookPath("grep")
	if err != nil {
		return 0
	}
	best := time.Duration(0)
	for range 3 {
		cmd := exec.Command(grep, "-rF", "Tried Throughput", dir)
		start := time.Now()
		if err := cmd.Run(); err != nil {
			b.Fatalf("%v: %v", cmd, err)
		}
		if d := time.Since(start); best == 0 || d < best {
			best = d
		}
	}
	return best
}

// resetPeak makes the kernel forget the peak of resident memory so far. Where that cannot be done the peak includes
// the generator.
func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peakMiB returns the peak of resident memory in MiB, on Linux.
func peakMiB() (float64, bool) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	_, rest, found := strings.Cut(string(data), "VmHWM:")
	fields := strings.Fields(rest)
	if !found || len(fields) == 0 {
		return 0, false
	}
	kib, err := strconv.ParseFloat(fields[0], 64)
	return kib / 1024, err == nil
}

package results_test

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// pipeline does what the older scripts do for each cell directory: four numbers by grep and awk, a quotient by bc.
const pipeline = `
cd "$1" || exit
for d in *_rep?; do
	tried=$(grep -oE 'Tried Throughput: [0-9.]+' "$d/m_client.log" | head -n 1 | awk '{ print $3 }')
	kops=$(grep -oE 'Commit Troughput: [0-9.]+' "$d/m_client.log" | head -n 1 | awk '{ print $3 }')
	committed=$(grep -oE 'Committed: [0-9]+' "$d/m_client.log" | head -n 1 | awk '{ print $2 }')
	atomics=0
	for cn in 0 1 2 3; do
		n=$(grep -E 'tpcc\.(NEWORDER|PAYMENT|DELIVER|ORDER_STATUS)\.rdma\.atomic\.total' "$d/m_cn$cn.details.txt" | awk '{ sum += $NF } END { print sum + 0 }')
		atomics=$((atomics + n))
	done
	echo "$d,$tried,$kops,$(awk "BEGIN { print $atomics / $committed }")"
done`

// BenchmarkTables reads 400 MB of logs in 2000 cell directories and writes every table in every format. It reports how many
// times as long the scripts' pipeline takes, which is timed on the 50 directories rep0 to rep9 and multiplied, without what
// pandas takes after it.
func BenchmarkTables(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "aura_v27_step6_20260101_000000")
	size := generate(b, dir, benchCells, benchBytes)
	timeGrep(b, dir) // brings the files into the page cache
	start := time.Now()
	out, err := exec.Command("sh", "-c", pipeline, "sh", dir).Output()
	scripts := time.Since(start)
	timed := strings.Count(string(out), "\n")
	if err != nil || timed != 50 {
		b.Fatalf("pipeline: %v, %d cells", err, timed)
	}
	debug.FreeOSMemory()
	resetPeak()
	b.SetBytes(size)
	for b.Loop() {
		run, err := results.ReadDir(dir)
		if err != nil {
			b.Fatal(err)
		}
		for i := range run.Experiments {
			table := render.NewTable(run, &run.Experiments[i])
			for _, f := range render.Formats {
				if err := f.Write(io.Discard, table); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	if peak, ok := peakMiB(); ok {
		b.ReportMetric(peak, "peak-MiB")
	}
	own := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(scripts.Seconds()*benchCells/float64(timed)/own, "times-faster")
}

// BenchmarkReadEvents reads a go test -json stream of 1 GB: memory does not grow with it.
func BenchmarkReadEvents(b *testing.B) {
	const size = 1 << 30
	debug.FreeOSMemory()
	resetPeak()
	b.SetBytes(size)
	for b.Loop() {
		events, err := results.ReadEvents("events.json", io.LimitReader(&chatter{}, size))
		if err != nil {
			b.Fatal(err)
		}
		if events.Tests.Tests == 0 {
			b.Fatal("no test was read")
		}
	}
	if peak, ok := peakMiB(); ok {
		b.ReportMetric(peak, "peak-MiB")
	}
}

// chatter is an endless stream of tests that print a lot.
type chatter struct {
	test    int
	pending []byte
}

func (c *chatter) Read(p []byte) (int, error) {
	if len(c.pending) == 0 {
		c.test++
		name := fmt.Sprintf("TestStep6/full_v27/rep%d", c.test)
		event := func(rest string) string {
			return `{"Time":"2026-01-31T10:00:00Z",` + rest + `,"Package":"e2e","Test":"` + name + `"` + "}\n"
		}
		line := event(`"Action":"output","Output":"Tried txn thpt: 14.32 KOPS, committed txn thpt: 13.70 KOPS, abort rate: 0.04\n"`)
		c.pending = []byte(event(`"Action":"run"`) + strings.Repeat(line, 5000) + event(`"Action":"pass","Elapsed":60`))
	}
	n := copy(p, c.pending)
	c.pending = c.pending[n:]
	return n, nil
}

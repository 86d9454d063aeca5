package recording

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// BenchmarkCell is what a cell asks of a node: a configuration, a daemon that gets ready and ends, its log of 1 MiB; plain and recorded.
// Compare the two with benchstat -col /mode.
func BenchmarkCell(b *testing.B) {
	for _, mode := range []string{"plain", "recorded"} {
		b.Run("mode="+mode, func(b *testing.B) {
			l := newLab(b, 2)
			dial := clusterenv.Dialer(clusterenv.DialSSH)
			var rec *Recorder
			if mode == "recorded" {
				var err error
				rec, err = NewRecorder(b.TempDir(), Header{Tag: "local"})
				require.NoError(b, err)
				dial = rec.Dialer(dial)
			}
			c, err := clusterenv.Open(b.Context(), l.spec, dial)
			require.NoError(b, err)
			ctx := WithScope(b.Context(), "TestCell/a/rep0")
			dir := b.TempDir()
			for b.Loop() {
				cell(ctx, b, c.Node("mn"), dir)
			}
			require.NoError(b, c.Close())
			if rec != nil {
				rec.Finish("TestCell", true)
				require.NoError(b, rec.Close())
			}
		})
	}
}

func cell(ctx context.Context, b *testing.B, n *clusterenv.Node, dir string) {
	_, err := n.Push(ctx, "cell/config.json", strings.NewReader(strings.Repeat(`{"port": 11211}`, 100)), 0o644)
	require.NoError(b, err)
	d, err := clusterenv.StartDaemon(ctx, n, clusterenv.DaemonSpec{Name: "p", Dir: "cell",
		Argv: []string{"sh", "-c", `echo ready; yes "Tried txn thpt: 14.32 KOPS, committed txn thpt: 13.70 KOPS" | head -c 1048576`}})
	require.NoError(b, err)
	_, err = d.WaitLine(ctx, "ready")
	require.NoError(b, err)
	_, err = d.Wait(ctx)
	require.NoError(b, err)
	_, err = n.PullDir(ctx, "cell", dir, clusterenv.PullOptions{}, "p.log")
	require.NoError(b, err)
}

func BenchmarkRedact(b *testing.B) {
	data := bytes.Repeat([]byte("\x1b[32m[ 123456789][bench_runner.cc:123] Tried txn thpt: 0.01 KOPS, committed txn thpt: 0.01 KOPS, abort rate: 0.18\x1b[0m\n"), 10_000)
	red := cloudRedactor()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		red.bytes(data, nil)
	}
}

func BenchmarkOpenAndReplay(b *testing.B) {
	list := make([]*Request, 1000)
	for i := range list {
		list[i] = said("TestLab", strings.Repeat("Committed: 996\n", 20), "sh", "-c", strings.Repeat("a script\n", 300), "name", strings.Repeat("x", i%97))
	}
	dir := write(b, map[string][]*Request{"mn": list})
	ctx := WithScope(b.Context(), "TestLab")
	for b.Loop() {
		r, err := Open(dir)
		require.NoError(b, err)
		for _, q := range list {
			_, err := ask(ctx, r, "mn", clusterenv.Command{Argv: q.Argv})
			require.NoError(b, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "us/request")
}

// BenchmarkRequest is what recording adds to a request that costs nothing by itself, in the path and behind it.
func BenchmarkRequest(b *testing.B) {
	for _, mode := range []string{"plain", "recorded"} {
		b.Run("mode="+mode, func(b *testing.B) {
			var n *clusterenv.Node
			if mode == "plain" {
				c, err := clusterenv.Open(b.Context(), cloudSpec(), func(context.Context, *clusterenv.Spec, clusterenv.NodeSpec) (clusterenv.Transport, error) {
					return instant{}, nil
				})
				require.NoError(b, err)
				n = c.Node("node2")
			} else {
				rec, c := recorded(b, b.TempDir(), instant{})
				n = c.Node("node2")
				b.Cleanup(func() {
					rec.Finish("TestCell", true)
					require.NoError(b, rec.Close())
				})
			}
			ctx := WithScope(b.Context(), "TestCell")
			for b.Loop() {
				_, err := n.Script(ctx, "wait for cn0", "cd -- \"$1\"\ncat exit\n", "/users/agnes/gotestbed/cells/step6_baseline_rep0/cn0", "cn0", "22944", "531275")
				require.NoError(b, err)
			}
		})
	}
}

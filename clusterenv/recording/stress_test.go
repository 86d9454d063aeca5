package recording

import (
	"context"
	"testing"
	"time"
	"os"
	"os/exec"
	"runtime/pprof"

	"github.com/google/go-cmp/cmp"
	"github.com/gotestbed/gotestbed/clusterenv"
)

func TestStress(t *testing.T) {
	var live *transcript
	dir := newLab(t, 3).record(t, func(ctx context.Context, _ *Recorder, c *clusterenv.Cluster) {
		live = traffic(ctx, c, t.TempDir())
	})
	for i := range 3 {
		r, _ := Open(dir)
		c, err := clusterenv.Open(t.Context(), r.Spec(), r.Dialer())
		if err != nil { t.Fatal(err) }
		ctx, cancel := context.WithTimeout(WithScope(t.Context(), "TestLab/sub"), 20*time.Second)
		tm := time.AfterFunc(10*time.Second, func() { pprof.Lookup("goroutine").WriteTo(os.Stderr, 2) ; t.Log(r.Unasked()) })
		again := traffic(ctx, c, t.TempDir())
		tm.Stop()
		cancel()
		if d := cmp.Diff(live.lines, again.lines); d != "" {
			exec.Command("cp", "-r", dir, "/tmp/badrec").Run()
			t.Fatalf("%d: %s", i, d)
		}
		c.Close()
	}
}

package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// A transcript is what a test saw, a line for each call.
type transcript struct{ lines []string }

func (s *transcript) add(call string, result any, err error) {
	s.lines = append(s.lines, fmt.Sprintf("%s: %v, %v", call, result, err))
}

// traffic makes every kind of call and notes what came of it. Paths are below the home directory, wherever that is.
func traffic(ctx context.Context, c *clusterenv.Cluster, dir string) *transcript {
	s := &transcript{}
	n := c.Node("mn")
	out, err := n.Run(ctx, "echo", "hello", "it's", "ünïcode\n", "")
	s.add("run", string(out), err)
	out, err = n.Script(ctx, "args", `printf '%s|' "$0" "$@"; echo to stderr >&2`, "a b", "$HOME", "*")
	s.add("script", string(out), err)
	_, err = n.Script(ctx, "fail", `echo some output; echo reason >&2; exit 7`)
	s.add("exit", nil, err)
	_, err = n.Run(ctx, "no-such-program")
	s.add("missing", nil, err)
	_, err = n.Script(ctx, "die", `kill -KILL $$`)
	s.add("signal", nil, err)
	out, err = n.RunInput(ctx, strings.NewReader("one\ntwo\n"), "tr", "a-z", "A-Z")
	s.add("input", string(out), err)
	out, err = n.Script(ctx, "binary", `awk 'BEGIN { for (i = 0; i < 300000; i++) printf "%c", (i * 7919) % 251 }'; printf '\000\377\n\r\000'`)
	s.add("binary", digest(out), err)
	for range 3 { // polling: the same request, another answer each time
		out, err = n.Script(ctx, "poll", `echo x >>polled; wc -l <polled`)
		s.add("poll", strings.TrimSpace(string(out)), err)
	}
	s.copies(ctx, n, dir)
	s.daemon(ctx, n)
	for _, n := range c.Nodes() {
		out, err = n.Script(ctx, "home", `[ "$1" = "$(pwd -P)" ] && echo at home`, n.Home)
		s.add(n.Name+" "+filepath.Base(n.Home), string(out), err)
	}
	return s
}

func (s *transcript) copies(ctx context.Context, n *clusterenv.Node, dir string) {
	big := bytes.Repeat([]byte("0123456789abcdef\n"), 200_000)
	sum, err := n.Push(ctx, "files/config.json", strings.NewReader(`{"port": 11211}`), 0o644)
	s.add("push", sum, err)
	sum, err = n.Push(WithOpaqueInput(ctx), "files/program", bytes.NewReader(big), 0o755)
	s.add("push program", sum, err)
	_, err = n.Push(ctx, "files", strings.NewReader("x"), 0o644)
	s.add("push onto a directory", nil, err)
	var got bytes.Buffer
	sum, err = n.Pull(ctx, "files/program", &got)
	s.add("pull", sum+" "+digest(got.Bytes()), err)
	_, err = n.Pull(ctx, "files/none", &got)
	s.add("pull nothing", nil, err)
	names, err := n.PullDir(ctx, "files", dir, clusterenv.PullOptions{}, "program", "none", "config.json")
	s.add("pull dir", names, err)
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		s.add(name, digest(data), err)
	}
	names, err = n.PullDir(ctx, "files", dir, clusterenv.PullOptions{}, "none")
	s.add("pull dir of nothing", names, err)
	_, err = n.PullDir(ctx, "no-dir", dir, clusterenv.PullOptions{}, "none")
	s.add("pull no dir", nil, err)
}

// daemon goes through the life of one: ready line, questions on stdin, an end on request; and of one that is stopped.
func (s *transcript) daemon(ctx context.Context, n *clusterenv.Node) {
	d, err := clusterenv.StartDaemon(ctx, n, clusterenv.DaemonSpec{Name: "server", Dir: "run", HoldStdin: true,
		Argv: []string{"sh", "-c", `echo ready on port; while read -r x; do echo "got $x"; [ "$x" != quit ] || exit 3; done`}})
	if err != nil {
		s.add("start", nil, err)
		return
	}
	type end struct {
		exit clusterenv.Exit
		err  error
	}
	ended := make(chan end, 1)
	go func() {
		exit, err := d.Wait(ctx)
		ended <- end{exit, err}
	}()
	line, err := d.WaitLine(ctx, "ready")
	s.add("ready", line, err)
	s.add("write", nil, d.Write(ctx, "one\n"))
	line, err = d.WaitLine(ctx, "got one")
	s.add("got", line, err)
	s.add("ended before it was told to", len(ended), nil)
	s.add("quit", nil, d.Write(ctx, "quit\n"))
	e := <-ended
	s.add("wait", e.exit.String(), e.err)
	_, err = d.WaitLine(ctx, "never printed")
	var early *clusterenv.EndedError
	s.add("ended", errors.As(err, &early), err)
	found, err := clusterenv.FindDaemon(ctx, n, "run", "server")
	s.add("find", err == nil && found.PID() == d.PID() && found.Started().Equal(d.Started()), err)
	s.add("write late", nil, d.Write(ctx, "x\n"))

	d, err = clusterenv.StartDaemon(ctx, n, clusterenv.DaemonSpec{Name: "sleeper", Dir: "run", Argv: []string{"sleep", "1000"}})
	s.add("start sleeper", nil, err)
	if err != nil {
		return
	}
	exit, err := d.Stop(ctx, 10*time.Second)
	s.add("stop", exit.String(), err)
}

func TestRecordThenReplay(t *testing.T) {
	var live *transcript
	dir := newLab(t, 3).record(t, func(ctx context.Context, _ *Recorder, c *clusterenv.Cluster) {
		live = traffic(ctx, c, t.TempDir())
	})
	ctx, r, c := replay(t, dir)
	start := time.Now()
	again := traffic(ctx, c, t.TempDir())
	took := time.Since(start)
	if d := cmp.Diff(live.lines, again.lines); d != "" {
		t.Errorf("replay differs (-live +replay):\n%s", d)
	}
	require.Empty(t, r.Unasked(), "all that was recorded should have been asked")
	require.Less(t, took, r.Patience, "nothing should have been waited for")
	t.Logf("%d calls in %s:\n%s", len(again.lines), took, strings.Join(again.lines, "\n"))
}

package clusterenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// startDaemon starts spec in a directory of its own and makes sure that nothing of it stays.
func startDaemon(t *testing.T, n *Node, spec DaemonSpec) *Daemon {
	t.Helper()
	if spec.Name == "" {
		spec.Name = "d"
	}
	if spec.Dir == "" {
		spec.Dir = t.TempDir()
	}
	d, err := StartDaemon(within(t), n, spec)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_, err := d.Stop(ctx, 0)
		if !errors.Is(err, ErrDaemonLost) && !errors.Is(err, fs.ErrNotExist) {
			require.NoError(t, err)
		}
	})
	return d
}

func readLog(t *testing.T, d *Daemon) string {
	t.Helper()
	b, err := os.ReadFile(d.Log())
	require.NoError(t, err)
	return string(b)
}

func testDaemonLife(t *testing.T, s *testServer) {
	n := s.node(t)
	dir := filepath.Join(t.TempDir(), "new", "it's a $dir")
	before := time.Now()
	d := startDaemon(t, n, DaemonSpec{
		Dir:  dir,
		Argv: []string{"sh", "-c", `pwd; echo "$A|$B|$1"; echo err >&2; cat; exit 3`, "sh", "a b"},
		Env:  []string{"A=x y'z", "B=two\nlines"},
	})
	require.Equal(t, dir, d.Dir())
	require.Equal(t, filepath.Join(dir, "d.log"), d.Log())
	exit, err := d.Wait(within(t))
	require.NoError(t, err)
	require.Equal(t, "exit status 3", exit.String())
	var exitErr *ExitError
	require.ErrorAs(t, exit.Err(), &exitErr)
	require.Equal(t, ExitError{Status: 3}, *exitErr)
	require.Equal(t, dir+"\nx y'z|two\nlines|a b\nerr\n", readLog(t, d))
	require.False(t, exit.Started.Before(before.Truncate(time.Second)), "started %v before %v", exit.Started, before)
	require.False(t, exit.Ended.Before(exit.Started))
	require.WithinDuration(t, time.Now(), exit.Ended, 20*time.Second)

	again, err := d.Wait(within(t))
	require.NoError(t, err)
	require.Equal(t, exit, again)
}

func testDaemonExits(t *testing.T, s *testServer) {
	n := s.node(t)
	dir := t.TempDir()
	for _, tt := range []struct{ script, want string }{
		{"exit 0", "exit status 0"},
		{"exit 1", "exit status 1"},
		{"exit 128", "exit status 128"},
		{"exit 134", "exit status 134"}, // not a signal, though it looks like one
		{"exit 137", "exit status 137"},
		{"exit 139", "exit status 139"},
		{"exit 255", "exit status 255"},
		{"kill -KILL $$", "signal KILL"},
		{"ulimit -c 0; kill -SEGV $$", "signal SEGV"},
		{"ulimit -c 0; kill -ABRT $$", "signal ABRT"},
		{"kill -TERM $$", "signal TERM"},
		{"kill -INT $$; sleep 1", "signal INT"}, // would be ignored, had the shell started it with &
		{"kill -PIPE $$", "signal PIPE"},
		{"echo noise >&2; exit 143", "exit status 143"},
	} {
		d := startDaemon(t, n, DaemonSpec{Dir: dir, Name: "exits", Argv: []string{"sh", "-c", tt.script}})
		exit, err := d.Wait(within(t))
		require.NoError(t, err)
		require.Equal(t, tt.want, exit.String(), tt.script)
	}
}

func testDaemonStdin(t *testing.T, s *testServer) {
	n := s.node(t)
	d := startDaemon(t, n, DaemonSpec{
		HoldStdin: true,
		Argv:      []string{"sh", "-c", `echo ready; while read -r line; do echo "got $line"; [ "$line" != quit ] || exit 0; done; echo EOF; exit 9`},
	})
	_, err := d.WaitLine(within(t), "ready")
	require.NoError(t, err)
	state, err := os.Stat(filepath.Join(d.Dir(), ".daemon-d"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o700), state.Mode().Perm(), "nobody else reads what is written to stdin")
	for i := range 3 { // each writer comes and goes without the program seeing the end
		require.NoError(t, d.Write(within(t), fmt.Sprintf("line '%d'\n", i)))
		line, err := d.WaitLine(within(t), fmt.Sprintf("'%d'", i))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("got line '%d'", i), line)
	}
	require.NoError(t, d.Write(within(t), "quit\n"))
	exit, err := d.Wait(within(t))
	require.NoError(t, err)
	require.NoError(t, exit.Err())
	require.ErrorIs(t, d.Write(within(t), "more\n"), ErrDaemonEnded)

	d = startDaemon(t, n, DaemonSpec{Argv: []string{"sleep", "600"}})
	require.ErrorContains(t, d.Write(within(t), "x"), "HoldStdin")
}

func testDaemonStop(t *testing.T, s *testServer) {
	n := s.node(t)
	for _, tt := range []struct {
		before, want string
		grace        time.Duration
	}{
		{"", "signal TERM", 20 * time.Second},
		{"trap 'exit 0' TERM; ", "exit status 0", 20 * time.Second},
		{"trap '' TERM; ", "signal KILL", 100 * time.Millisecond},
	} {
		dir := t.TempDir()
		d := startDaemon(t, n, DaemonSpec{Dir: dir, Argv: []string{"sh", "-c", tt.before + family}})
		pids := familyPIDs(t, d)
		exit, err := d.Stop(within(t), tt.grace)
		require.NoError(t, err)
		require.Equal(t, tt.want, exit.String())
		requireGone(t, pids)
		again, err := d.Stop(within(t), tt.grace)
		require.NoError(t, err)
		require.Equal(t, exit, again, "a second Stop")
	}
}

// familyPIDs waits for the three pids that family prints.
func familyPIDs(t *testing.T, d *Daemon) []int {
	t.Helper()
	var pids []int
	require.Eventually(t, func() bool {
		f := strings.Fields(readLog(t, d))
		pids = nil
		for _, s := range f {
			pid, err := strconv.Atoi(s)
			require.NoError(t, err)
			pids = append(pids, pid)
		}
		return len(pids) == 3
	}, within10, tick)
	return pids
}

func testDaemonLeftovers(t *testing.T, s *testServer) {
	n := s.node(t)
	d := startDaemon(t, n, DaemonSpec{Argv: []string{"sh", "-c", `sleep 600 & echo $!; exit 0`}})
	exit, err := d.Wait(within(t))
	require.NoError(t, err)
	require.NoError(t, exit.Err())
	pid, err := strconv.Atoi(strings.TrimSpace(readLog(t, d)))
	require.NoError(t, err)
	requireGone(t, []int{pid})
}

func testDaemonPIDReuse(t *testing.T, s *testServer) {
	n := s.node(t)
	// A bystander whose pid the daemon once had, as the state says, with another start time.
	bystander := startDaemon(t, n, DaemonSpec{Name: "bystander", Argv: []string{"sleep", "600"}})
	d := startDaemon(t, n, DaemonSpec{Argv: []string{"sleep", "600"}})
	old := *d
	d.pid = bystander.pid
	state := filepath.Join(d.Dir(), ".daemon-d", "pid")
	text, err := os.ReadFile(state)
	require.NoError(t, err)
	forged := strings.Replace(string(text), strconv.Itoa(old.pid), strconv.Itoa(bystander.pid), 1)
	forged = strings.Replace(forged, " "+old.start+" ", " 12345 ", 1)
	d.start = "12345"
	require.NoError(t, os.WriteFile(state, []byte(forged), 0o600))
	for _, signal := range []string{"TERM", "KILL"} {
		require.NoError(t, d.Signal(within(t), signal))
	}
	require.True(t, lives(bystander.pid), "a process that only has the daemon's pid was signalled")
	require.NoError(t, os.WriteFile(state, text, 0o600))
	d.pid, d.start = old.pid, old.start
}

func testDaemonFind(t *testing.T, s *testServer) {
	n := s.node(t)
	dir := t.TempDir()
	_, err := FindDaemon(within(t), n, dir, "d")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = FindDaemon(within(t), n, dir+"/no-such-dir", "d")
	require.ErrorIs(t, err, fs.ErrNotExist)
	d := startDaemon(t, n, DaemonSpec{Dir: dir, Argv: []string{"sleep", "600"}})
	found, err := FindDaemon(within(t), n, dir, "d")
	require.NoError(t, err)
	require.Equal(t, d, found)

	_, err = StartDaemon(within(t), n, DaemonSpec{Name: "d", Dir: dir, Argv: []string{"true"}})
	require.ErrorIs(t, err, ErrDaemonRunning)
	require.True(t, lives(d.PID()))

	_, err = d.Stop(within(t), time.Second)
	require.NoError(t, err)
	found, err = FindDaemon(within(t), n, dir, "d")
	require.NoError(t, err)
	exit, err := found.Wait(within(t))
	require.NoError(t, err)
	require.Equal(t, "signal TERM", exit.String())

	startDaemon(t, n, DaemonSpec{Dir: dir, Argv: []string{"sleep", "600"}})
	_, err = d.Wait(within(t))
	require.ErrorIs(t, err, fs.ErrNotExist, "the first daemon's handle must not speak for the second")
}

func testDaemonBadSpec(t *testing.T, s *testServer) {
	n := s.node(t)
	for _, spec := range []DaemonSpec{
		{Name: "", Argv: []string{"true"}},
		{Name: "../x", Argv: []string{"true"}},
		{Name: "d"},
		{Name: "d", Argv: []string{"true"}, Env: []string{"no-equals"}},
		{Name: "d", Argv: []string{"true"}, Env: []string{"a b=c"}},
		{Name: "d", Argv: []string{"true"}, Dir: "/proc/no/such"},
	} {
		if spec.Dir == "" {
			spec.Dir = t.TempDir()
		}
		_, err := StartDaemon(within(t), n, spec)
		require.Error(t, err, "%+v", spec)
		require.Contains(t, err.Error(), "n0: start ")
	}
	for _, program := range []string{"no-such-program", "./none", "/no/such/program"} {
		_, err := StartDaemon(within(t), n, DaemonSpec{Name: "d", Dir: t.TempDir(), Argv: []string{program}})
		require.EqualError(t, err, "n0: start d: exit status 127: not found: "+program)
	}
}

// TestDaemonWithoutFlock has a node without the tool that waiting is built on.
func TestDaemonWithoutFlock(t *testing.T) {
	bin := t.TempDir()
	for _, tool := range []string{"sh", "setsid"} {
		path, err := exec.LookPath(tool)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(bin, tool)))
	}
	n := startSSHTestEnv(t, "PATH="+bin).node(t)
	_, err := StartDaemon(within(t), n, DaemonSpec{Name: "d", Dir: t.TempDir(), Argv: []string{"true"}})
	require.EqualError(t, err, "n0: start d: exit status 127: flock is missing (util-linux)")
}

func testDaemonWaitLine(t *testing.T, s *testServer) {
	n := s.node(t)
	d := startDaemon(t, n, DaemonSpec{
		HoldStdin: true,
		Argv:      []string{"sh", "-c", `echo one; printf 'half a '; read -r x; printf 'line is [ready]\r\n'; read -r x; echo last words; exit 7`},
	})
	_, err := d.WaitLine(within(t), "one")
	require.NoError(t, err)
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = d.WaitLine(short, "ready")
	require.ErrorIs(t, err, context.DeadlineExceeded)

	got := make(chan string, 1)
	go func() {
		line, _ := d.WaitLine(within(t), "[ready]")
		got <- line
	}()
	require.NoError(t, d.Write(within(t), "\n"))
	require.Equal(t, "half a line is [ready]", <-got)

	var wg sync.WaitGroup
	wg.Go(func() { _, err = d.WaitLine(within(t), "never") })
	require.NoError(t, d.Write(within(t), "\n"))
	wg.Wait()
	var ended *EndedError
	require.ErrorAs(t, err, &ended)
	require.Equal(t, 7, ended.Exit.Status)
	require.Contains(t, err.Error(), `n0: d: ended before it printed "never": exit status 7; its last output:`)
	require.Contains(t, err.Error(), "last words")
	var exit *ExitError
	require.ErrorAs(t, err, &exit)

	line, err := d.WaitLine(within(t), "one") // also after the end
	require.NoError(t, err)
	require.Equal(t, "one", line)
}

func testDaemonTail(t *testing.T, s *testServer) {
	n := s.node(t)
	d := startDaemon(t, n, DaemonSpec{Argv: []string{"sh", "-c", `seq 1 20000; sleep 0.2; seq 20001 40000; printf 'no newline'`}})
	var log bytes.Buffer
	require.NoError(t, d.Tail(within(t), &log))
	require.Equal(t, readLog(t, d), log.String())
	require.True(t, strings.HasSuffix(log.String(), "\n40000\nno newline"))
	log.Reset()
	require.NoError(t, d.Tail(within(t), &log), "after the end")
	require.Equal(t, readLog(t, d), log.String())
}

func testDaemonReconnect(t *testing.T, s *testServer) {
	p := newProxy(t, s.addr)
	n := dialThrough(t, s.target(t), p)
	dir := t.TempDir()
	d := startDaemon(t, n, DaemonSpec{Dir: dir, HoldStdin: true, Argv: []string{"sh", "-c", "echo up; read -r x; exit $x"}})
	waited := make(chan error, 1)
	go func() {
		_, err := d.Wait(within(t))
		waited <- err
	}()
	_, err := d.WaitLine(within(t), "up")
	require.NoError(t, err)
	p.cut()
	require.ErrorIs(t, <-waited, ErrDisconnected)
	require.True(t, lives(d.PID()))

	found, err := FindDaemon(within(t), n, dir, "d")
	require.NoError(t, err)
	require.Equal(t, d, found)
	require.NoError(t, found.Write(within(t), "139\n"))
	exit, err := found.Wait(within(t))
	require.NoError(t, err)
	require.Equal(t, "exit status 139", exit.String())
}

func testDaemonSupervisorKilled(t *testing.T, s *testServer) {
	n := s.node(t)
	d := startDaemon(t, n, DaemonSpec{Argv: []string{"sleep", "600"}})
	waited := make(chan error, 1)
	go func() {
		_, err := d.Wait(within(t))
		waited <- err
	}()
	_, err := n.Run(within(t), "kill", "-KILL", strconv.Itoa(d.supervisor))
	require.NoError(t, err)
	require.ErrorIs(t, <-waited, ErrDaemonLost)
	_, err = StartDaemon(within(t), n, DaemonSpec{Name: "d", Dir: d.Dir(), Argv: []string{"true"}})
	require.ErrorIs(t, err, ErrDaemonRunning, "its program still runs")
	_, err = d.Stop(within(t), time.Second)
	require.ErrorIs(t, err, ErrDaemonLost)
	requireGone(t, []int{d.PID()})
	require.NoError(t, os.RemoveAll(filepath.Join(d.Dir(), ".daemon-d")))
}

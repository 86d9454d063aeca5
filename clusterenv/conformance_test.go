package clusterenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// TestConformance tries what commands, transfers and daemons promise, on the server of this module's tests, on OpenSSH's, and
// on nodes that have no other tools than busybox's.
func TestConformance(t *testing.T) {
	tests := []struct {
		name  string
		run   func(*testing.T, *testServer)
		shell bool // depends on the node's shell and tools
	}{
		{"Argv", testArgv, false},
		{"BinaryInputOutput", testBinary, false},
		{"ExitStatus", testExitStatus, false},
		{"Signal", testSignal, false},
		{"NoInputIsEmpty", testNoInput, false},
		{"StderrSeparate", testStderr, false},
		{"StderrTail", testStderrTail, false},
		{"CancelEndsGroup", testCancelGroup, true},
		{"CancelStubborn", testCancelStubborn, false},
		{"CancelBeforeStart", testCancelBeforeStart, false},
		{"Concurrent", testConcurrent, false},
		{"OutputStreams", testStreams, false},
		{"OutputBeyondLimit", testLimit, false},
		{"InputFails", testInputFails, false},
		{"InputNotRead", testInputNotRead, false},
		{"Script", testScript, true},
		{"NotFound", testNotFound, false},
		{"ConnectionLost", testConnectionLost, false},
		{"Reconnect", testReconnect, false},
		{"Close", testClose, false},

		{"PushPull", testPushPull, true},
		{"PushReplaces", testPushReplaces, false},
		{"PushFails", testPushFails, true},
		{"PushCut", testPushCut, true},
		{"PullFails", testPullFails, true},
		{"PullDir", testPullDir, true},
		{"PullDirFails", testPullDirFails, false},

		{"TreeSync", testTreeSync, true},
		{"TreeChanges", testTreeChanges, true},
		{"TreeAllChanges", testTreeAllChanges, true},
		{"TreeRepairs", testTreeRepairs, true},
		{"TreeAtomic", testTreeAtomic, false},
		{"TreeTwoAtOnce", testTreeTwoAtOnce, false},
		{"TreeCut", testTreeCut, false},
		{"TreeDiskFull", testTreeDiskFull, true},
		{"TreeEmpty", testTreeEmpty, true},
		{"TreeNotOurs", testTreeNotOurs, false},

		{"DaemonLife", testDaemonLife, true},
		{"DaemonExits", testDaemonExits, true},
		{"DaemonStdin", testDaemonStdin, true},
		{"DaemonStop", testDaemonStop, true},
		{"DaemonLeftovers", testDaemonLeftovers, true},
		{"DaemonPIDReuse", testDaemonPIDReuse, false},
		{"DaemonFind", testDaemonFind, false},
		{"DaemonBadSpec", testDaemonBadSpec, false},
		{"DaemonWaitLine", testDaemonWaitLine, true},
		{"DaemonTail", testDaemonTail, true},
		{"DaemonReconnect", testDaemonReconnect, false},
		{"DaemonSupervisorKilled", testDaemonSupervisorKilled, true},

		{"LeaseKept", testLeaseKept, false},
		{"LeaseReleased", testLeaseReleased, true},
		{"LeaseWithoutDirectory", testLeaseWithoutDirectory, true},
		{"LeaseStubborn", testLeaseStubborn, true},
		{"LeaseTakenAway", testLeaseTakenAway, true},
		{"LeaseBad", testLeaseBad, false},
		{"DriverKilled", testDriverKilled, false},
	}
	for _, kind := range serverKinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel() // most of these wait for most of their time
			server := kind.start(t)
			for _, tt := range tests {
				if kind.shell && !tt.shell {
					continue
				}
				t.Run(tt.name, func(t *testing.T) {
					if testing.Short() && strings.HasPrefix(tt.name, "Tree") && kind.name != "sshtest" {
						t.Skip("-short: the trees of one kind of server will do")
					}
					t.Parallel()
					tt.run(t, server)
				})
			}
		})
	}
}

func testArgv(t *testing.T, s *testServer) {
	n := s.node(t)
	args := []string{
		"", " ", "a b", "'", `"`, `it's "quoted"`, "$(touch pwned)", "`id`", "$HOME", "!!", "!", "*", "~", `\`, `\\`, `a\nb`,
		"a\nb", "\n", "a\tb", "tail\n", "-n", "--", "&& false", "; exit 3", "| cat", "> f", "#x", "{a,b}", "häßlich 漢字 🚀",
		"\x80\xff", "\x01\x02\x1b[31m\x7f", "%s", "=", "a=b", strings.Repeat("x", 50_000),
	}
	got, err := n.Run(within(t), append([]string{"printf", `%s\0`}, args...)...)
	require.NoError(t, err)
	want := strings.Join(args, "\x00") + "\x00"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

func testBinary(t *testing.T, s *testServer) {
	n := s.node(t)
	in := make([]byte, 8<<20)
	rand.NewChaCha8([32]byte{1}).Read(in)
	out, err := n.RunInput(within(t), bytes.NewReader(in), "cat")
	require.NoError(t, err)
	require.True(t, bytes.Equal(in, out), "cat returned %d other bytes than the %d it was given", len(out), len(in))
}

func testExitStatus(t *testing.T, s *testServer) {
	n := s.node(t)
	for _, status := range []int{0, 1, 2, 127, 128, 137, 139, 255} {
		_, err := n.Run(within(t), "sh", "-c", "exit $1", "sh", strconv.Itoa(status))
		if status == 0 {
			require.NoError(t, err)
			continue
		}
		var exit *ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, ExitError{Status: status}, *exit)
	}
}

func testSignal(t *testing.T, s *testServer) {
	n := s.node(t)
	for _, signal := range []string{"KILL", "SEGV", "TERM", "ABRT"} {
		_, err := n.Run(within(t), "sh", "-c", "ulimit -c 0; kill -$1 $$", "sh", signal)
		var exit *ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, ExitError{Signal: signal}, *exit)
	}
}

func testNoInput(t *testing.T, s *testServer) {
	n := s.node(t)
	for range 10 {
		out, err := n.Run(within(t), "cat")
		require.NoError(t, err)
		require.Empty(t, out)
	}
}

func testStderr(t *testing.T, s *testServer) {
	n := s.node(t)
	for _, text := range []string{"", "err", "err\n", "one\ntwo\n\nthree", "\x00\xff\n"} {
		var out, errs bytes.Buffer
		wait, err := n.Start(within(t), Command{
			Argv:   []string{"sh", "-c", `printf out; cat >&2`},
			Stdin:  strings.NewReader(text),
			Stdout: &out,
			Stderr: &errs,
		})
		require.NoError(t, err)
		require.NoError(t, wait())
		require.Equal(t, "out", out.String())
		require.Equal(t, text, errs.String())
	}
}

func testStderrTail(t *testing.T, s *testServer) {
	_, err := s.node(t).Run(within(t), "sh", "-c", "seq 1 100000 >&2; echo the cause >&2; exit 4")
	var exit *ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 4, exit.Status)
	require.Len(t, exit.Stderr, 4<<10)
	require.True(t, strings.HasSuffix(string(exit.Stderr), "99999\n100000\nthe cause\n"))
	require.Contains(t, err.Error(), "n0: ")
}

// family is a command with a child and a grandchild, all of one process group, that prints their pids when they are there.
const family = `sh -c 'sh -c "echo \$\$; exec sleep 600" & echo $$; wait' & echo $$; wait`

// startFamily runs family with the shell text before it, and returns the pids.
func startFamily(t *testing.T, ctx context.Context, n *Node, before string) (wait func() error, pids []int) {
	t.Helper()
	r, w := io.Pipe()
	wait, err := n.Start(ctx, Command{Argv: []string{"sh", "-c", before + family}, Stdout: w})
	require.NoError(t, err)
	for range 3 {
		var pid int
		_, err := fmt.Fscanln(r, &pid)
		require.NoError(t, err)
		pids = append(pids, pid)
	}
	go io.Copy(io.Discard, r)
	return wait, pids
}

func killAll(pids []int) {
	for _, pid := range pids {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// requireGone waits until none of the processes exists.
func requireGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		require.Eventually(t, func() bool { return !lives(pid) }, within10, tick, "process %d lives", pid)
	}
}

// lives reports whether a process exists and is more than a zombie that nobody has collected yet.
func lives(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func testCancelGroup(t *testing.T, s *testServer) {
	n := s.node(t)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(within(t))
	wait, pids := startFamily(t, ctx, n, "")
	began := time.Now()
	cancel(cause)
	require.ErrorIs(t, wait(), cause)
	require.Less(t, time.Since(began), killGrace, "TERM alone should have done")
	requireGone(t, pids)
	_, err := n.Run(within(t), "true")
	require.NoError(t, err, "the connection should have stayed")
}

func testCancelStubborn(t *testing.T, s *testServer) {
	n := s.node(t)
	ctx, cancel := context.WithCancel(within(t))
	wait, pids := startFamily(t, ctx, n, "trap '' TERM; ")
	cancel()
	require.ErrorIs(t, wait(), context.Canceled)
	requireGone(t, pids)
}

func testCancelBeforeStart(t *testing.T, s *testServer) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.node(t).Run(ctx, "true")
	require.ErrorIs(t, err, context.Canceled)
}

func testConcurrent(t *testing.T, s *testServer) {
	n := s.node(t)
	// More than the ten sessions that a server opens: were they not held back here, some would be refused.
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			out, err := n.RunInput(within(t), strings.NewReader(strconv.Itoa(i)), "sh", "-c", "read -r x; sleep 0.1; printf %s $x")
			if err != nil || string(out) != strconv.Itoa(i) {
				t.Errorf("command %d: %q, %v", i, out, err)
			}
		})
	}
	wg.Wait()
}

func testStreams(t *testing.T, s *testServer) {
	n := s.node(t)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	wait, err := n.Start(within(t), Command{Argv: []string{"cat"}, Stdin: inR, Stdout: outW})
	require.NoError(t, err)
	for _, line := range []string{"one", "two", "three"} { // a dialogue: output comes while the command runs
		fmt.Fprintln(inW, line)
		var got string
		_, err := fmt.Fscanln(outR, &got)
		require.NoError(t, err)
		require.Equal(t, line, got)
	}
	inW.Close()
	require.NoError(t, wait())
}

func testLimit(t *testing.T, s *testServer) {
	n := s.node(t)
	out, err := n.Run(within(t), "head", "-c", strconv.Itoa(MaxOutput), "/dev/zero")
	require.NoError(t, err)
	require.Len(t, out, MaxOutput)

	out, err = n.Run(within(t), "sh", "-c", "echo $$ >&2; exec cat /dev/zero")
	require.ErrorIs(t, err, ErrTooMuchOutput)
	require.Nil(t, out)
}

func testInputFails(t *testing.T, s *testServer) {
	n := s.node(t)
	broken := errors.New("disk on fire")
	in := io.MultiReader(strings.NewReader("half of it\n"), errReader{broken})
	out, err := n.RunInput(within(t), in, "sh", "-c", "cat; echo whole")
	require.ErrorIs(t, err, broken)
	require.Nil(t, out)
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

func testInputNotRead(t *testing.T, s *testServer) {
	n := s.node(t)
	_, err := n.RunInput(within(t), io.LimitReader(zeros{}, 64<<20), "true")
	require.NoError(t, err)
	r, w := io.Pipe() // never written to, never closed
	defer w.Close()
	_, err = n.RunInput(within(t), r, "true")
	require.NoError(t, err)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func testScript(t *testing.T, s *testServer) {
	n := s.node(t)
	out, err := n.Script(within(t), "greet", `printf '%s|%s|%s' "$0" "$1" "$2"`, "a b", "$(id)")
	require.NoError(t, err)
	require.Equal(t, "greet|a b|$(id)", string(out))
	_, err = n.Script(within(t), "complain", `echo "no such thing: $1" >&2; exit 3`, "x")
	require.EqualError(t, err, "n0: complain: exit status 3: no such thing: x")
}

func testNotFound(t *testing.T, s *testServer) {
	_, err := s.node(t).Run(within(t), "no-such-program")
	var exit *ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 127, exit.Status)
	require.Contains(t, err.Error(), "no-such-program")
	for _, argv := range [][]string{nil, {""}, {"-x"}, {"echo", "a\x00b"}, {"echo", strings.Repeat("x", 200_000)}} {
		_, err := s.node(t).Run(within(t), argv...)
		require.Error(t, err)
	}
}

func testConnectionLost(t *testing.T, s *testServer) {
	p := newProxy(t, s.addr)
	target := s.target(t)
	n := dialThrough(t, target, p)
	ctx := within(t)
	wait, pids := startFamily(t, ctx, n, "")
	t.Cleanup(func() { killAll(pids) }) // as documented, nobody ends a lost command
	p.cut()
	require.ErrorIs(t, wait(), ErrDisconnected)
}

func testReconnect(t *testing.T, s *testServer) {
	p := newProxy(t, s.addr)
	n := dialThrough(t, s.target(t), p)
	for range 3 {
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				_, err := n.Run(within(t), "true")
				if err != nil {
					t.Errorf("after a cut: %v", err)
				}
			})
		}
		wg.Wait()
		p.cut()
		requireDead(t, n)
	}
	require.Equal(t, 3, p.accepted(), "connections made")
}

func testClose(t *testing.T, s *testServer) {
	n := s.node(t)
	wait, pids := startFamily(t, within(t), n, "")
	t.Cleanup(func() { killAll(pids) })
	require.NoError(t, n.transport.Close())
	require.ErrorIs(t, wait(), ErrDisconnected)
	_, err := n.Run(within(t), "true")
	require.ErrorIs(t, err, ErrDisconnected)
	require.NoError(t, n.transport.Close(), "a second Close")
}

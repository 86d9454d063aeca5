package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// instant is a node that answers at once: with its argument, or what it is told to.
type instant struct {
	answer func(ctx context.Context, cmd clusterenv.Command) error
}

func (n instant) Start(ctx context.Context, cmd clusterenv.Command) (func() error, error) {
	return func() error {
		if cmd.Hint == clusterenv.HintIdentity {
			_, err := io.WriteString(cmd.Stdout, "/home/u\nu\nLinux\nx86_64\n6.1\n")
			return err
		}
		if n.answer != nil {
			return n.answer(ctx, cmd)
		}
		_, err := io.WriteString(cmd.Stdout, strings.Join(cmd.Argv[1:], " "))
		return err
	}, nil
}

func (instant) Close() error { return nil }

// recorded opens a cluster of two such nodes through a new recorder.
func recorded(t testing.TB, root string, n instant) (*Recorder, *clusterenv.Cluster) {
	t.Helper()
	rec, err := NewRecorder(root, Header{Tag: "local"})
	require.NoError(t, err)
	c, err := clusterenv.Open(t.Context(), cloudSpec(), rec.Dialer(func(context.Context, *clusterenv.Spec, clusterenv.NodeSpec) (clusterenv.Transport, error) {
		return n, nil
	}))
	require.NoError(t, err)
	return rec, c
}

func filesIn(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	list := []string{}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// Only tests that ended well are kept, each with what all share; and they take the place of older recordings.
func TestOnlyGoodTestsAreKept(t *testing.T) {
	root := t.TempDir()
	inPlace := []string{}
	run := func(answer string, good ...string) *Recorder {
		rec, c := recorded(t, root, instant{func(_ context.Context, cmd clusterenv.Command) error {
			_, err := io.WriteString(cmd.Stdout, answer)
			return err
		}})
		for _, test := range []string{"TestGood", "TestBad", "TestUnfinished", "BenchmarkGood"} {
			_, err := c.Node("node3").Run(WithScope(t.Context(), test+"/sub"), "ask", test)
			require.NoError(t, err)
		}
		_, err := c.Node("node2").Run(WithScope(t.Context(), Preflight+"/memcached"), "check")
		require.NoError(t, err)
		for _, test := range good {
			rec.Finish(test, true)
		}
		rec.Finish("TestBad", false)
		before := slices.DeleteFunc(filesIn(t, root), func(name string) bool { return strings.HasPrefix(name, ".incomplete-") })
		require.Equal(t, inPlace, before, "nothing is put in its place before the end")
		_, err = c.Node("node3").Run(t.Context(), "tidy up") // shared, and later than the tests
		require.NoError(t, err)
		require.NoError(t, rec.Close())
		require.NoError(t, rec.Close(), "a second Close does nothing")
		inPlace = filesIn(t, root)
		return rec
	}
	rec := run("first", "TestGood", "BenchmarkGood")
	require.Equal(t, []string{"BenchmarkGood", "TestGood"}, rec.Written())
	require.Equal(t, []string{"BenchmarkGood", "TestGood"}, filesIn(t, root))
	require.Equal(t, []string{"cluster.yaml", "node2", "node3"}, filesIn(t, filepath.Join(root, "TestGood")))
	run("second", "TestGood")
	answer := func(test string) string {
		file, err := Read(filepath.Join(root, test, "node3"))
		require.NoError(t, err)
		require.Len(t, file.Requests, 3, "identify, tidy up, ask")
		require.Equal(t, test+"/sub", file.Requests[2].Scope)
		return string(file.Requests[2].Output[0].Data)
	}
	require.Equal(t, "second", answer("TestGood"))
	require.Equal(t, "first", answer("BenchmarkGood"), "what was not recorded again should stay")
	run("third")
	require.Equal(t, "second", answer("TestGood"))
}

// fullDisk takes a number of bytes.
type fullDisk struct {
	*os.File
	left int
}

func (f *fullDisk) Write(p []byte) (int, error) {
	if len(p) > f.left {
		n, _ := f.File.Write(p[:f.left])
		f.left = 0
		return n, syscall.ENOSPC
	}
	f.left -= len(p)
	return f.File.Write(p)
}

// A disk that is full, at whatever byte, does not disturb the test, fails the recorder's end and leaves nothing.
func TestDiskFull(t *testing.T) {
	for _, room := range []int{0, 10, 300, 900} {
		root := t.TempDir()
		rec, c := recorded(t, root, instant{})
		left := room
		rec.shelf.create = func(path string) (io.WriteCloser, error) {
			f, err := os.Create(path)
			return &fullDisk{f, left}, err
		}
		for i := range 20 {
			out, err := c.Node("node2").Run(WithScope(t.Context(), "TestA"), "echo", fmt.Sprint(i), strings.Repeat("x", 100))
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(string(out), fmt.Sprint(i)))
		}
		rec.Finish("TestA", true)
		err := rec.Close()
		require.ErrorIs(t, err, syscall.ENOSPC, "with room for %d bytes", room)
		require.ErrorContains(t, err, "TestA was not recorded")
		require.Empty(t, filesIn(t, root))
		require.Empty(t, rec.Written())
	}
}

// More output than is recorded reaches the test, and fails only the recording of that test.
func TestTooMuchOutput(t *testing.T) {
	root := t.TempDir()
	piece := make([]byte, 1<<20)
	rec, c := recorded(t, root, instant{func(_ context.Context, cmd clusterenv.Command) error {
		for range 65 {
			if _, err := cmd.Stdout.Write(piece); err != nil {
				return err
			}
		}
		return nil
	}})
	n := 0
	wait, err := c.Node("node2").Start(WithScope(t.Context(), "TestBig"), clusterenv.Command{Argv: []string{"cat", "big"}, Stdout: countWriter{&n}})
	require.NoError(t, err)
	require.NoError(t, wait())
	require.Equal(t, 65<<20, n)
	rec.Finish("TestBig", true)
	rec.Finish("TestSmall", true)
	err = rec.Close()
	require.ErrorIs(t, err, errBodyTooLong)
	require.ErrorContains(t, err, "TestBig was not recorded: node2: cat big")
	require.Equal(t, []string{"TestSmall"}, rec.Written())
	require.Zero(t, rec.pending.Load(), "memory is given back")
}

type countWriter struct{ n *int }

func (w countWriter) Write(p []byte) (int, error) { *w.n += len(p); return len(p), nil }

// A request that goes on when its test has ended counts as cancelled, with what it had printed; so does one whose output was refused.
func TestUnfinishedRequest(t *testing.T) {
	root := t.TempDir()
	printed := make(chan struct{})
	rec, c := recorded(t, root, instant{func(ctx context.Context, cmd clusterenv.Command) error {
		if _, err := io.WriteString(cmd.Stdout, "line\n"); err != nil {
			return err
		}
		if cmd.Argv[0] == "tail" {
			close(printed)
			<-ctx.Done()
			return context.Cause(ctx)
		}
		return nil
	}})
	ctx, cancel := context.WithCancel(WithScope(t.Context(), "TestA"))
	ended := make(chan error, 1)
	wait, err := c.Node("node2").Start(ctx, clusterenv.Command{Argv: []string{"tail"}})
	require.NoError(t, err)
	go func() { ended <- wait() }()
	<-printed
	enough := errors.New("enough")
	wait, err = c.Node("node2").Start(ctx, clusterenv.Command{Argv: []string{"refused"}, Stdout: failingWriter{enough}})
	require.NoError(t, err)
	require.ErrorIs(t, wait(), enough)
	rec.Finish("TestA", true)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.NoError(t, rec.Close())
	file, err := Read(filepath.Join(root, "TestA", "node2"))
	require.NoError(t, err)
	require.Len(t, file.Requests, 3)
	for _, r := range file.Requests[1:] {
		require.Equal(t, EndCancelled, r.End.Kind, "%v", r.Argv)
		require.Equal(t, "line\n", string(r.Output[0].Data))
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// Lease renewals are neither recorded nor missed.
func TestPeriodicTrafficIsLeftOut(t *testing.T) {
	root := t.TempDir()
	rec, c := recorded(t, root, instant{})
	wait, err := c.Node("node2").Start(WithScope(t.Context(), "TestA"), clusterenv.Command{Argv: []string{"renew"}, Hint: clusterenv.HintPeriodic, Stdout: io.Discard})
	require.NoError(t, err)
	require.NoError(t, wait())
	rec.Finish("TestA", true)
	require.NoError(t, rec.Close())
	file, err := Read(filepath.Join(root, "TestA", "node2"))
	require.NoError(t, err)
	require.Len(t, file.Requests, 1, "only identify")
}

// Many tests at once, on several nodes, with values that are set meanwhile.
func TestConcurrentRecording(t *testing.T) {
	root := t.TempDir()
	rec, c := recorded(t, root, instant{})
	const tests, each = 8, 40
	var wg sync.WaitGroup
	for i := range tests {
		wg.Go(func() {
			test := fmt.Sprintf("Test%d", i)
			for j := range each {
				ctx := WithScope(t.Context(), fmt.Sprintf("%s/sub%d", test, j%3))
				for _, n := range c.Nodes() {
					rec.Values().Set(test, fmt.Sprintf("value-of-%s", test))
					out, err := n.RunInput(ctx, strings.NewReader("in"), "echo", "value-of-"+test, fmt.Sprint(j))
					if err != nil || string(out) != fmt.Sprintf("value-of-%s %d", test, j) {
						t.Errorf("%s: %q, %v", test, out, err)
					}
				}
			}
			rec.Finish(test, true)
		})
	}
	wg.Wait()
	require.NoError(t, rec.Close())
	require.Len(t, rec.Written(), tests)
	for i := range tests {
		test := fmt.Sprintf("Test%d", i)
		r, err := Open(filepath.Join(root, test))
		require.NoError(t, err)
		r.Values().Set(test, "another-value")
		for j := range each {
			ctx := WithScope(t.Context(), fmt.Sprintf("%s/sub%d", test, j%3))
			for _, node := range []string{"node2", "node3"} {
				out, err := ask(ctx, r, node, clusterenv.Command{Argv: []string{"echo", "another-value", fmt.Sprint(j)}, Stdin: strings.NewReader("in")})
				require.NoError(t, err)
				require.Equal(t, fmt.Sprintf("another-value %d", j), out)
			}
		}
	}
}

// Recordings are evidence: what is edited is refused, and what is edited with a new checksum reaches the test.
func TestRecordingIsEvidence(t *testing.T) {
	root := t.TempDir()
	rec, c := recorded(t, root, instant{})
	ctx := WithScope(t.Context(), "TestA")
	for _, line := range []string{"Tried Throughput: 14.32 KOPS", "Commit Troughput: 13.70 KOPS"} {
		_, err := c.Node("node2").Run(ctx, "print", line)
		require.NoError(t, err)
	}
	rec.Finish("TestA", true)
	require.NoError(t, rec.Close())
	dir := filepath.Join(root, "TestA")
	path := filepath.Join(dir, "node2")
	good, err := os.ReadFile(path)
	require.NoError(t, err)

	at := bytes.LastIndex(good, []byte("13.70"))
	bad := bytes.Clone(good)
	bad[at+1] = '4'
	require.NoError(t, os.WriteFile(path, bad, 0o644))
	_, err = Open(dir)
	require.ErrorContains(t, err, path+": byte ")
	require.ErrorContains(t, err, "edited or damaged")

	require.NoError(t, os.WriteFile(path, reseal(bad), 0o644))
	r, err := Open(dir)
	require.NoError(t, err)
	out, err := ask(ctx, r, "node2", clusterenv.Command{Argv: []string{"print", "Commit Troughput: 13.70 KOPS"}})
	require.NoError(t, err)
	require.Equal(t, "Commit Troughput: 14.70 KOPS", out)

	require.NoError(t, Rewrite(path, func(list []*Request) []*Request { return list[:len(list)-1] }))
	r, err = Open(dir)
	require.NoError(t, err)
	_, err = ask(ctx, r, "node2", clusterenv.Command{Argv: []string{"print", "Commit Troughput: 13.70 KOPS"}})
	require.ErrorIs(t, err, clusterenv.ErrNotRecorded)
	require.ErrorContains(t, err, "+ argument 1: Commit Troughput: 13.70 KOPS")
}

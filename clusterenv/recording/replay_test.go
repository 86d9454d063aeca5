package recording

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// write makes a recording of TestLab by hand: requests by node.
func write(t testing.TB, requests map[string][]*Request) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "TestLab")
	require.NoError(t, os.Mkdir(dir, 0o755))
	spec := []byte("name: lab\nroles: {mn: [mn], cn: [cn0]}\nnodes:\n  - {name: mn, host: h1, address: 10.0.0.1}\n  - {name: cn0, host: h2, address: 10.0.0.2}\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, specFile), spec, 0o644))
	for _, node := range []string{"mn", "cn0"} {
		h := sampleHeader()
		h.node, h.spec = node, digest(spec)
		identity := &Request{Scope: Setup, Argv: []string{"sh", "-c", "identify"}, Input: Input{Kind: InputNone}, Form: FormPlain, End: End{Kind: EndExit}}
		require.NoError(t, os.WriteFile(filepath.Join(dir, node), encodeFile(h, append([]*Request{identity}, requests[node]...)), 0o644))
	}
	return dir
}

// said is a request that printed something.
func said(scope, out string, argv ...string) *Request {
	return &Request{Scope: scope, Argv: argv, Input: Input{Kind: InputNone}, Form: FormPlain, Output: []Chunk{{Data: []byte(out)}}, End: End{Kind: EndExit}}
}

// ask runs a command on a node of a replay.
func ask(ctx context.Context, r *Replay, node string, cmd clusterenv.Command) (string, error) {
	t, err := r.Dialer()(ctx, nil, clusterenv.NodeSpec{Name: node})
	if err != nil {
		return "", err
	}
	defer t.Close()
	var out bytes.Buffer
	cmd.Stdout = &out
	wait, err := t.Start(ctx, cmd)
	if err == nil {
		err = wait()
	}
	return out.String(), err
}

func TestMiss(t *testing.T) {
	const script = "set -e\ncd /tmp\nls\nrm -f core\n"
	dir := write(t, map[string][]*Request{"mn": {
		said("TestLab/a", "1\n", "sh", "-c", script, "clean", "/data"),
		said("TestLab/a", "2\n", "uname", "-r"),
	}})
	r, err := Open(dir)
	require.NoError(t, err)
	ctx := WithScope(t.Context(), "TestLab/a")

	_, err = ask(ctx, r, "mn", clusterenv.Command{Argv: []string{"sh", "-c", strings.Replace(script, "ls", "ls -l", 1), "clean", "/data"}})
	require.ErrorIs(t, err, clusterenv.ErrNotRecorded)
	require.NotErrorIs(t, err, ErrNeverRecorded)
	var miss *MissError
	require.ErrorAs(t, err, &miss)
	require.Equal(t, "no such request", miss.Reason)
	require.Contains(t, miss.Nearest, "  | ls\n")
	require.Equal(t, strings.Join([]string{
		"    | set -e",
		"    | cd /tmp",
		"-   | ls",
		"+   | ls -l",
		"    | rm -f core",
		"  argument 3: clean",
	}, "\n"), miss.Diff)
	for _, want := range []string{"asked of mn", "scope TestLab/a", "| rm -f core", "argument 4: /data", "+   | ls -l"} {
		require.Contains(t, err.Error(), want)
	}

	_, err = ask(ctx, r, "cn0", clusterenv.Command{Argv: []string{"uname", "-r"}})
	require.ErrorIs(t, err, clusterenv.ErrNotRecorded, "the nodes are apart")
	require.NotErrorIs(t, err, ErrNeverRecorded)

	_, err = ask(WithScope(ctx, "TestLab/new"), r, "mn", clusterenv.Command{Argv: []string{"uname", "-r"}})
	require.ErrorIs(t, err, clusterenv.ErrNotRecorded)
	require.ErrorIs(t, err, ErrNeverRecorded)
	require.ErrorContains(t, err, "go test -tags cloudlab -timeout 0 ./e2e -run '^TestLab$' -record")
	require.True(t, r.Recorded("TestLab/a"))
	require.True(t, r.Recorded("TestLab"))
	require.False(t, r.Recorded("TestLab/new"))

	out, err := ask(ctx, r, "mn", clusterenv.Command{Argv: []string{"uname", "-r"}})
	require.NoError(t, err)
	require.Equal(t, "2\n", out)
	_, err = ask(ctx, r, "mn", clusterenv.Command{Argv: []string{"uname", "-r"}})
	require.ErrorIs(t, err, clusterenv.ErrNotRecorded)
	require.ErrorContains(t, err, "asked more often than the 1 times")

	require.Equal(t, []Unasked{
		{Scope: "TestLab/a", Asked: 1, Requests: []string{"mn: clean"}},
		{Scope: Setup, Requests: []string{"mn: sh -c identify", "cn0: sh -c identify"}},
	}, r.Unasked())
}

func TestMissByInput(t *testing.T) {
	asked := said("TestLab", "", "tee", "file")
	asked.Input = Input{Kind: InputKept, Size: 6, Digest: digest([]byte("right\n")), Data: []byte("right\n")}
	r, err := Open(write(t, map[string][]*Request{"mn": {asked}}))
	require.NoError(t, err)
	ctx := WithScope(t.Context(), "TestLab")
	_, err = ask(ctx, r, "mn", clusterenv.Command{Argv: []string{"tee", "file"}, Stdin: strings.NewReader("wrong\n")})
	require.ErrorIs(t, err, clusterenv.ErrNotRecorded)
	require.ErrorContains(t, err, "its input differs")
	require.ErrorContains(t, err, "-   | right\n    +   | wrong")
	_, err = ask(ctx, r, "mn", clusterenv.Command{Argv: []string{"tee", "file"}, Stdin: strings.NewReader("right\n")})
	require.NoError(t, err)
}

func TestNeverRecorded(t *testing.T) {
	root := t.TempDir()
	_, err := Open(filepath.Join(root, "TestNone"))
	require.ErrorIs(t, err, ErrNeverRecorded)
	require.ErrorContains(t, err, "TestNone: never recorded")
	require.ErrorContains(t, err, "go test -tags local -timeout 0 ./e2e -run '^TestNone$' -record "+root)
}

func TestNotAllOfARecording(t *testing.T) {
	cases := map[string]struct {
		spoil func(t *testing.T, dir string)
		want  string
	}{
		"no file of a node": {func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "cn0"))) }, "cn0: byte 0: is missing"},
		"no cluster file":   {func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, specFile))) }, "is missing"},
		"foreign file":      {func(t *testing.T, dir string) { touch(t, filepath.Join(dir, "notes.txt")) }, "notes.txt: byte 0: does not belong"},
		"edited cluster file": {func(t *testing.T, dir string) {
			replaceIn(t, filepath.Join(dir, specFile), "10.0.0.2", "10.0.0.3")
		}, "does not agree with its checksum in mn"},
		"file of another node": {func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "cn0"), filepath.Join(dir, "mn")))
		}, "is the file of node cn0"},
		"file of another run": {func(t *testing.T, dir string) {
			data, err := os.ReadFile(filepath.Join(dir, "cn0"))
			require.NoError(t, err)
			data = reseal(bytes.Replace(data, []byte(sampleHeader().run), []byte("fedcba9876543210"), 1))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "cn0"), data, 0o644))
		}, "is of another run"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := write(t, nil)
			c.spoil(t, dir)
			_, err := Open(dir)
			var bad *FormatError
			require.ErrorAs(t, err, &bad)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "record it again: go test")
		})
	}
	dir := write(t, nil)
	other := filepath.Join(filepath.Dir(dir), "TestOther")
	require.NoError(t, os.Rename(dir, other))
	_, err := Open(other)
	require.ErrorContains(t, err, "is of TestLab, not of TestOther")
}

func touch(t testing.TB, path string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte("x\n"), 0o644))
}

func replaceIn(t testing.TB, path, old, new string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(data), old)
	require.NoError(t, os.WriteFile(path, bytes.Replace(data, []byte(old), []byte(new), 1), 0o644))
}

// Requests that were made one after the other may come at once, and the reverse; each answer goes to one of them.
func TestAnyOrder(t *testing.T) {
	var mn, cn []*Request
	for i := range 50 {
		for node, list := range map[string]*[]*Request{"mn": &mn, "cn0": &cn} {
			r := said("TestLab", fmt.Sprintf("%s %d", node, i), "echo", fmt.Sprint(i))
			poll := said("TestLab", fmt.Sprintf("%s poll %d", node, i), "poll")
			r.Began, r.Ended, poll.Began, poll.Ended = 2*i+1, 200-i, 2*i+2, 300-i
			*list = append(*list, r, poll)
		}
	}
	r, err := Open(write(t, map[string][]*Request{"mn": mn, "cn0": cn}))
	require.NoError(t, err)
	ctx := WithScope(t.Context(), "TestLab")
	var wg sync.WaitGroup
	var polls sync.Map
	for _, node := range []string{"mn", "cn0"} {
		for i := range 50 {
			wg.Go(func() {
				out, err := ask(ctx, r, node, clusterenv.Command{Argv: []string{"echo", fmt.Sprint(49 - i)}})
				if err != nil || out != fmt.Sprintf("%s %d", node, 49-i) {
					t.Errorf("%s %d: %q, %v", node, 49-i, out, err)
				}
				out, err = ask(ctx, r, node, clusterenv.Command{Argv: []string{"poll"}})
				if _, twice := polls.LoadOrStore(out, true); twice || err != nil {
					t.Errorf("%q twice, or %v", out, err)
				}
			})
		}
	}
	wg.Wait()
	for i := range r.Unasked() {
		require.Equal(t, Setup, r.Unasked()[i].Scope)
	}
}

func TestPollInOrder(t *testing.T) {
	var list []*Request
	for i := range 5 {
		list = append(list, said("TestLab", fmt.Sprint(i), "poll"))
		list[i].Began, list[i].Ended = i+1, 10-i // the file has them in the order of their ends
	}
	r, err := Open(write(t, map[string][]*Request{"mn": {list[4], list[2], list[0], list[1], list[3]}}))
	require.NoError(t, err)
	for i := range 5 {
		out, err := ask(WithScope(t.Context(), "TestLab"), r, "mn", clusterenv.Command{Argv: []string{"poll"}})
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(i), out)
	}
}

// lasting is a request that lasted from one event to another.
func lasting(out string, began, ended int) *Request {
	r := said("TestLab", out, out)
	r.Began, r.Ended = began, ended
	return r
}

// A wait that ended after something was asked ends after that is asked again, and two of them end in their order.
func TestEndsAreHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := write(t, map[string][]*Request{"mn": {lasting("wait one", 1, 7), lasting("wait two", 2, 8)}, "cn0": {lasting("quit", 5, 6)}})
		r, err := Open(dir)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(WithScope(t.Context(), "TestLab"))
		defer cancel()
		ended := make(chan string, 2)
		start := func(what string) {
			go func() {
				out, err := ask(ctx, r, "mn", clusterenv.Command{Argv: []string{what}, Hint: clusterenv.HintEnd})
				if err != nil {
					out = err.Error()
				}
				ended <- out
			}()
			synctest.Wait()
		}
		start("wait two")
		start("wait one")
		require.Empty(t, ended)
		_, err = ask(ctx, r, "cn0", clusterenv.Command{Argv: []string{"quit"}})
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, "wait one", <-ended)
		require.Equal(t, "wait two", <-ended)
	})
}

// Where what they waited for is asked no more, waits end by and by, in their order; or with their context.
func TestEndsAreNotHeldForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := map[string][]*Request{"mn": {lasting("wait one", 1, 7), lasting("wait two", 2, 8), lasting("wait three", 3, 9)}, "cn0": {lasting("quit", 5, 6)}}
		r, err := Open(write(t, requests))
		require.NoError(t, err)
		ctx, cancel := context.WithCancelCause(WithScope(t.Context(), "TestLab"))
		defer cancel(nil)
		ended := make(chan string, 3)
		begin := time.Now()
		for _, what := range []string{"wait three", "wait two", "wait one"} {
			go func() {
				out, err := ask(ctx, r, "mn", clusterenv.Command{Argv: []string{what}, Hint: clusterenv.HintEnd})
				ended <- fmt.Sprint(out, " ", err)
			}()
		}
		require.Equal(t, "wait one <nil>", <-ended)
		require.Equal(t, r.Patience, time.Since(begin))
		require.Equal(t, "wait two <nil>", <-ended)
		cancel(fmt.Errorf("enough"))
		require.Equal(t, " enough", <-ended)
	})
}

// A command that the test ended shows what it printed, and lasts until it is ended again.
func TestCancelledLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tail := said("TestLab", "ready\n", "tail")
		tail.End = End{Kind: EndCancelled, Text: "found"}
		r, err := Open(write(t, map[string][]*Request{"mn": {tail}}))
		require.NoError(t, err)
		ctx, cancel := context.WithCancelCause(WithScope(t.Context(), "TestLab"))
		result := make(chan string, 1)
		go func() {
			out, err := ask(ctx, r, "mn", clusterenv.Command{Argv: []string{"tail"}})
			result <- fmt.Sprint(out, err)
		}()
		synctest.Wait()
		require.Empty(t, result)
		cancel(fmt.Errorf("enough"))
		require.Equal(t, "ready\nenough", <-result)
	})
}

// A command can print what the test waits for before the node has said that it runs it; the test then ends it while it starts.
func TestCancelledAtStart(t *testing.T) {
	tail := said("TestLab", "ready\n", "tail")
	tail.End = End{Kind: EndCancelled, Text: "found", AtStart: true}
	r, err := Open(write(t, map[string][]*Request{"mn": {tail}}))
	require.NoError(t, err)
	tr, err := r.Dialer()(t.Context(), nil, clusterenv.NodeSpec{Name: "mn"})
	require.NoError(t, err)
	found := fmt.Errorf("found")
	_, err = tr.Start(WithScope(t.Context(), "TestLab"), clusterenv.Command{Argv: []string{"tail"}, Stdout: failingWriter{found}})
	require.ErrorIs(t, err, found)
}

func TestEndsOfRequests(t *testing.T) {
	list := []*Request{said("TestLab", "", "lost"), said("TestLab", "", "down"), said("TestLab", "", "odd")}
	list[0].End = End{Kind: EndDisconnected, Text: "no answer"}
	list[1].End = End{Kind: EndDisconnected, Text: "no route", AtStart: true}
	list[2].End = End{Kind: EndFailed, Text: "refused"}
	r, err := Open(write(t, map[string][]*Request{"mn": list}))
	require.NoError(t, err)
	ctx := WithScope(t.Context(), "TestLab")
	_, err = ask(ctx, r, "mn", clusterenv.Command{Argv: []string{"lost"}})
	require.ErrorIs(t, err, clusterenv.ErrDisconnected)
	require.ErrorContains(t, err, "no answer")
	_, err = ask(ctx, r, "mn", clusterenv.Command{Argv: []string{"down"}})
	require.ErrorIs(t, err, clusterenv.ErrDisconnected)
	_, err = ask(ctx, r, "mn", clusterenv.Command{Argv: []string{"odd"}})
	require.ErrorContains(t, err, "refused")
	out, err := ask(ctx, r, "mn", clusterenv.Command{Argv: []string{"anything"}, Hint: clusterenv.HintPeriodic})
	require.NoError(t, err, "what a clock asks is never recorded and always answered")
	require.Empty(t, out)
	tr, err := r.Dialer()(ctx, nil, clusterenv.NodeSpec{Name: "mn"})
	require.NoError(t, err)
	require.NoError(t, tr.Close())
	_, err = tr.Start(ctx, clusterenv.Command{Argv: []string{"lost"}})
	require.ErrorIs(t, err, clusterenv.ErrDisconnected)
	_, err = r.Dialer()(ctx, nil, clusterenv.NodeSpec{Name: "cn7"})
	require.ErrorIs(t, err, clusterenv.ErrNotRecorded)
}

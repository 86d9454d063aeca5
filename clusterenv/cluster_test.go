package clusterenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// localNode is a Transport that runs commands on this machine, in a directory of its own.
type localNode struct {
	dir    string
	broken bool // commands find no node
	closed int
}

func (l *localNode) Start(ctx context.Context, c Command) (func() error, error) {
	if l.broken {
		return nil, ErrDisconnected
	}
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = l.dir, c.Stdin, c.Stdout, c.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() error {
		err := cmd.Wait()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return &ExitError{Status: exit.ExitCode()}
		}
		return err
	}, nil
}

func (l *localNode) Close() error {
	l.closed++
	return nil
}

// lab is a Dialer to localNodes. Nodes whose name stands in refuse cannot be dialled.
type lab struct {
	root   string
	refuse []string

	mu    sync.Mutex
	nodes map[string]*localNode
	specs []NodeSpec // dialled
}

func newLab(t *testing.T, refuse ...string) *lab {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return &lab{root: root, refuse: refuse, nodes: make(map[string]*localNode)}
}

func (l *lab) dial(_ context.Context, _ *Spec, n NodeSpec) (Transport, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.specs = append(l.specs, n)
	if slices.Contains(l.refuse, n.Name) {
		return nil, errors.New("connection refused")
	}
	node := &localNode{dir: filepath.Join(l.root, n.Name)}
	l.nodes[n.Name] = node
	return node, os.Mkdir(node.dir, 0o700)
}

func fiveNodes(t *testing.T) *Spec {
	spec, err := Load("../testdata/clusters/five-node.yaml")
	require.NoError(t, err)
	return spec
}

func names(nodes []*Node) []string {
	var list []string
	for _, n := range nodes {
		list = append(list, n.Name)
	}
	return list
}

func TestOpen(t *testing.T) {
	l := newLab(t)
	c, err := Open(t.Context(), fiveNodes(t), l.dial)
	require.NoError(t, err)
	require.Equal(t, "small-lan", c.Spec.Name)
	require.Equal(t, []string{"node0", "node1", "node2", "node3", "node4"}, names(c.Nodes()))
	require.Equal(t, []string{"node3", "node1", "node4"}, names(c.Role(CN)))
	require.Equal(t, []string{"node2"}, names(c.Role(Client)))
	require.Empty(t, c.Role("no such role"))
	require.Nil(t, c.Node("node9"))

	me, err := user.Current()
	require.NoError(t, err)
	n := c.Node("node4")
	require.Same(t, c.Nodes()[4], n)
	want := Node{
		NodeSpec: n.NodeSpec, Home: filepath.Join(l.root, "node4"), Workdir: filepath.Join(l.root, "node4", "gotestbed"),
		OS: runtime.GOOS, Arch: runtime.GOARCH, Kernel: n.Kernel, User: me.Username, transport: l.nodes["node4"],
	}
	require.Equal(t, want, *n)
	require.NotEmpty(t, n.Kernel)

	require.NoError(t, c.Close())
	for name, node := range l.nodes {
		require.Equal(t, 1, node.closed, name)
	}
}

// A Spec built in Go says only what is not usual; Open fills the rest in and leaves the caller's value alone.
func TestOpenFillsDefaultsIn(t *testing.T) {
	spec := fiveNodes(t)
	spec.SSH, spec.Workdir = SSH{User: "alice"}, "/srv/bed"
	for i := range spec.Nodes {
		spec.Nodes[i].Port = 0
	}
	delete(spec.Roles, Client)
	before, err := spec.YAML()
	require.NoError(t, err)
	l := newLab(t)
	c, err := Open(t.Context(), spec, l.dial)
	require.NoError(t, err)
	defer c.Close()
	after, err := spec.YAML()
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	require.Len(t, l.specs, 5)
	for _, n := range l.specs {
		require.Equal(t, "alice", n.User)
	}
	require.Equal(t, []string{"node2"}, names(c.Role(Client)))
	require.Equal(t, "/srv/bed", c.Node("node1").Workdir)
}

func TestOpenRefusesAWrongSpec(t *testing.T) {
	spec := fiveNodes(t)
	spec.Roles[MN] = []string{"node4"}
	l := newLab(t)
	c, err := Open(t.Context(), spec, l.dial)
	require.Nil(t, c)
	require.EqualError(t, err, "roles.mn[0]: node4 must not be mn: panics often (nodes[4].avoid.mn)")
	require.Empty(t, l.specs, "nothing must be dialled")
}

func TestOpenNamesAllNodesThatFail(t *testing.T) {
	l := newLab(t, "node1", "node4")
	c, err := Open(t.Context(), fiveNodes(t), l.dial)
	require.Nil(t, c)
	require.EqualError(t, err, "node1: dial: connection refused\nnode4: dial: connection refused")
	var op *OpError
	require.ErrorAs(t, err, &op)
	require.Equal(t, "node1", op.Node)
	require.Len(t, l.nodes, 3)
	for name, node := range l.nodes {
		require.Equal(t, 1, node.closed, name)
	}
}

func TestOpenWhenANodeDoesNotAnswer(t *testing.T) {
	l := newLab(t)
	dial := func(ctx context.Context, spec *Spec, n NodeSpec) (Transport, error) {
		transport, err := l.dial(ctx, spec, n)
		transport.(*localNode).broken = n.Name == "node3"
		return transport, err
	}
	_, err := Open(t.Context(), fiveNodes(t), dial)
	require.EqualError(t, err, "node3: identify: node disconnected")
	require.ErrorIs(t, err, ErrDisconnected)
	for name, node := range l.nodes {
		require.Equal(t, 1, node.closed, name)
	}
}

// All nodes are dialled at the same time: each dial waits for the others.
func TestOpenIsParallel(t *testing.T) {
	l := newLab(t)
	var barrier sync.WaitGroup
	barrier.Add(5)
	dial := func(ctx context.Context, spec *Spec, n NodeSpec) (Transport, error) {
		barrier.Done()
		met := make(chan struct{})
		go func() { barrier.Wait(); close(met) }()
		select {
		case <-met:
			return l.dial(ctx, spec, n)
		case <-time.After(10 * time.Second):
			return nil, errors.New("dialled one after another")
		}
	}
	c, err := Open(t.Context(), fiveNodes(t), dial)
	require.NoError(t, err)
	require.NoError(t, c.Close())
}

// talker is a Transport whose every command prints the same.
type talker string

func (s talker) Start(_ context.Context, c Command) (func() error, error) {
	return func() error { _, err := fmt.Fprint(c.Stdout, string(s)); return err }, nil
}
func (talker) Close() error { return nil }

func TestIdentity(t *testing.T) {
	open := func(answer string) (*Node, error) {
		c, err := Open(t.Context(), fiveNodes(t), func(context.Context, *Spec, NodeSpec) (Transport, error) { return talker(answer), nil })
		if err != nil {
			return nil, err
		}
		return c.Node("node0"), c.Close()
	}
	for _, tt := range []struct{ answer, want string }{
		{"/users/alice\nalice\nLinux\nx86_64\n5.4.0-216-generic\n", "linux/amd64 5.4.0-216-generic alice /users/alice/gotestbed"},
		{"/home/b\nb\nLinux\naarch64\n6.1.0\n", "linux/arm64 6.1.0 b /home/b/gotestbed"},
		{"/Users/c\nc\nDarwin\narm64\n24.1.0\n", "darwin/arm64 24.1.0 c /Users/c/gotestbed"},
		{"/home/d\nd\nLinux\nppc64le\n5.14\n", "linux/ppc64le 5.14 d /home/d/gotestbed"},
		{"/home/e\ne\nLinux\narmv7l\n6.1\n", "linux/arm 6.1 e /home/e/gotestbed"},
	} {
		n, err := open(tt.answer)
		require.NoError(t, err)
		got := fmt.Sprintf("%s/%s %s %s %s", n.OS, n.Arch, n.Kernel, n.User, n.Workdir)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.answer, diff)
		}
	}
	for _, answer := range []string{"", "Welcome!\n/home/a\na\nLinux\nx86_64\n5.4\n", "home\na\nLinux\nx86_64\n5.4\n"} {
		_, err := open(answer)
		require.ErrorContains(t, err, "node0: identify: unexpected answer", "%q", answer)
	}
}

func TestNodeStart(t *testing.T) {
	l := newLab(t)
	c, err := Open(t.Context(), fiveNodes(t), l.dial)
	require.NoError(t, err)
	defer c.Close()
	n := c.Node("node1")

	var out bytes.Buffer
	wait, err := n.Start(t.Context(), Command{Argv: []string{"cat"}, Stdin: strings.NewReader("in"), Stdout: &out})
	require.NoError(t, err)
	require.NoError(t, wait())
	require.Equal(t, "in", out.String())

	wait, err = n.Start(t.Context(), Command{Argv: []string{"sh", "-c", "exit 3", "set levers"}})
	require.NoError(t, err)
	err = wait()
	require.EqualError(t, err, "node1: set levers: exit status 3")
	var exit *ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 3, exit.Status)

	l.nodes["node1"].broken = true
	_, err = n.Start(t.Context(), Command{Argv: []string{"ibstatus", "mlx5_2"}})
	require.EqualError(t, err, "node1: ibstatus mlx5_2: node disconnected")
	require.ErrorIs(t, err, ErrDisconnected)
}

func TestShortOp(t *testing.T) {
	for _, tt := range []struct {
		argv []string
		want string
	}{
		{[]string{"ibstatus", "mlx5_2"}, "ibstatus mlx5_2"},
		{[]string{"sh", "-c", "echo 1\necho 2", "count", "x"}, "count"},
		{[]string{"sh", "-c", "echo 1\necho 2"}, "sh -c echo 1…"},
		{[]string{"printf", "a\n"}, "printf a…"},
		{[]string{strings.Repeat("x", 80)}, strings.Repeat("x", 80)},
		{[]string{strings.Repeat("x", 81)}, strings.Repeat("x", 77) + "…"},
		{[]string{strings.Repeat("é", 50)}, strings.Repeat("é", 38) + "…"},
		{nil, ""},
	} {
		if got := shortOp(tt.argv); got != tt.want || len(got) > maxOp {
			t.Errorf("shortOp(%q) = %q, want %q", tt.argv, got, tt.want)
		}
	}
}

func TestEach(t *testing.T) {
	nodes := []*Node{{NodeSpec: NodeSpec{Name: "a"}}, {NodeSpec: NodeSpec{Name: "b"}}, {NodeSpec: NodeSpec{Name: "c"}}}
	last := make(chan struct{})
	err := Each(nodes, func(n *Node) error {
		switch n.Name {
		case "a": // the first node fails last
			<-last
			return n.wrap("test", errors.New("no"))
		case "c":
			defer close(last)
			return n.wrap("test", errors.New("never"))
		}
		return nil
	})
	require.EqualError(t, err, "a: test: no\nc: test: never")
	require.NoError(t, Each(nil, nil))
}

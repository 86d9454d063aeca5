package clusterenv

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
)

// A Dialer connects to a node. spec has its defaults filled in, and so has node.
type Dialer func(ctx context.Context, spec *Spec, node NodeSpec) (Transport, error)

// A Cluster is an opened Spec: a connection to each of its nodes.
type Cluster struct {
	Spec *Spec // with its defaults filled in

	nodes  []*Node // file order
	byName map[string]*Node
}

// A Node is one machine of an opened Cluster. It is safe for concurrent use.
type Node struct {
	NodeSpec
	Home    string // home directory, absolute, without symbolic links
	Workdir string // Spec.Workdir, absolute
	OS      string // Go's name: linux, darwin
	Arch    string // Go's name: amd64, arm64
	Kernel  string // release, as in 5.4.0-216-generic
	User    string // who commands run as

	transport Transport
}

// Open checks spec, connects to all nodes at the same time, and asks each who and what it is. When one node fails all
// connections are closed, and the error joins an *OpError for each node that failed, in file order. spec itself is not changed.
func Open(ctx context.Context, spec *Spec, dial Dialer) (*Cluster, error) {
	return openNodes(ctx, spec, dial, func(NodeSpec) bool { return true })
}

// OpenNode is Open for one node: the cluster that it returns has no others.
func OpenNode(ctx context.Context, spec *Spec, name string, dial Dialer) (*Cluster, error) {
	if _, ok := spec.Node(name); !ok {
		return nil, fmt.Errorf("no node is called %q", name)
	}
	return openNodes(ctx, spec, dial, func(n NodeSpec) bool { return n.Name == name })
}

// openNodes is Open for the nodes that are wanted.
func openNodes(ctx context.Context, spec *Spec, dial Dialer, wanted func(NodeSpec) bool) (*Cluster, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	spec = spec.clone()
	spec.fill()
	c := &Cluster{Spec: spec, byName: make(map[string]*Node)}
	for _, n := range spec.Nodes {
		if !wanted(n) {
			continue
		}
		node := &Node{NodeSpec: n}
		c.nodes = append(c.nodes, node)
		c.byName[n.Name] = node
	}
	if err := Each(c.nodes, func(n *Node) error { return n.open(ctx, spec, dial) }); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Node returns the node called name, or nil.
func (c *Cluster) Node(name string) *Node { return c.byName[name] }

// Nodes returns all nodes in file order.
func (c *Cluster) Nodes() []*Node { return append([]*Node(nil), c.nodes...) }

// Role returns the nodes that have role, in role order: Role(CN)[0] is CN0.
func (c *Cluster) Role(role Role) []*Node {
	var nodes []*Node
	for _, name := range c.Spec.Roles[role] {
		if n := c.byName[name]; n != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// Close ends all connections. Commands that still run are lost; daemons run on.
func (c *Cluster) Close() error {
	return Each(c.nodes, func(n *Node) error {
		if n.transport == nil {
			return nil
		}
		return n.wrap("close", n.transport.Close())
	})
}

// Each calls f for all nodes at the same time, waits for all, and joins their errors in the order of nodes.
func Each(nodes []*Node, f func(*Node) error) error {
	errs := make([]error, len(nodes))
	var wg sync.WaitGroup
	for i, n := range nodes {
		wg.Go(func() { errs[i] = f(n) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Start begins a command on the node. It is the transport's Start with errors wrapped in an *OpError.
func (n *Node) Start(ctx context.Context, cmd Command) (wait func() error, err error) {
	op := shortOp(cmd.Argv)
	inner, err := n.transport.Start(ctx, cmd)
	if err != nil {
		return nil, n.wrap(op, err)
	}
	return func() error { return n.wrap(op, inner()) }, nil
}

func (n *Node) wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return &OpError{Node: n.Name, Op: op, Err: err}
}

// identify prints home directory, login name and uname's system, machine and release, a line each.
const identify = `pwd -P && id -un && uname -s && uname -m && uname -r`

// open connects to the node and fills in what only the node can tell.
func (n *Node) open(ctx context.Context, spec *Spec, dial Dialer) error {
	transport, err := dial(ctx, spec, n.NodeSpec)
	if err != nil {
		return n.wrap("dial", err)
	}
	n.transport = transport
	out, err := n.hinted(ctx, HintIdentity, "identify", identify)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != 5 || !path.IsAbs(lines[0]) {
		return n.wrap("identify", fmt.Errorf("unexpected answer %q (does the login shell print something?)", clip(string(out))))
	}
	n.Home, n.User, n.Kernel = lines[0], lines[1], lines[4]
	n.OS, n.Arch = goSystem(lines[2]), goMachine(lines[3])
	n.Workdir = spec.Workdir
	if !path.IsAbs(n.Workdir) {
		n.Workdir = path.Join(n.Home, n.Workdir)
	}
	return nil
}

// goSystem is Go's name for what uname -s prints.
func goSystem(name string) string { return strings.ToLower(name) }

// goMachine is Go's name for what uname -m prints.
func goMachine(name string) string {
	switch name {
	case "x86_64":
		return "amd64"
	case "aarch64":
		return "arm64"
	case "i386", "i686":
		return "386"
	}
	if strings.HasPrefix(name, "armv") {
		return "arm"
	}
	return name // ppc64le, riscv64 and s390x are the same
}

// maxOp is the length of an operation in an error, in bytes.
const maxOp = 80

// shortOp is a command as an error shows it: the first line, of bounded length. A script is shown by its name, which
// follows its text (sh -c text name).
func shortOp(argv []string) string {
	if len(argv) > 3 && argv[0] == "sh" && argv[1] == "-c" {
		argv = argv[3:4]
	}
	op := strings.Join(argv, " ")
	first, _, more := strings.Cut(op, "\n")
	if more || len(first) > maxOp {
		first = strings.ToValidUTF8(first[:min(len(first), maxOp-len("…"))], "") + "…"
	}
	return first
}

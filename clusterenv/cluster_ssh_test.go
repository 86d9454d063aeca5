package clusterenv

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/gotestbed/gotestbed/clusterenv/sshtest"
)

// sshLab starts n nodes in this process, the first of which is the memory node, and returns the Spec by which to reach them.
func sshLab(t testing.TB, n int) (*Spec, []*sshtest.Server) {
	t.Helper()
	dir := t.TempDir()
	key, identity, err := sshtest.NewKey()
	require.NoError(t, err)
	spec := &Spec{
		Name:  "lab",
		SSH:   SSH{Identity: filepath.Join(dir, "key"), KnownHosts: filepath.Join(dir, "known_hosts")},
		Roles: make(map[Role][]string),
	}
	require.NoError(t, os.WriteFile(spec.SSH.Identity, identity, 0o600))
	var servers []*sshtest.Server
	var known strings.Builder
	for i := range n {
		name, role := fmt.Sprintf("node%d", i), CN
		if i == 0 {
			role = MN
		}
		s, err := sshtest.NewServer(sshtest.Options{Dir: filepath.Join(dir, name), AuthorizedKeys: []ssh.PublicKey{key.PublicKey()}})
		require.NoError(t, err)
		t.Cleanup(func() { s.Close() })
		servers = append(servers, s)
		fmt.Fprintln(&known, s.KnownHostsLine())
		host, port, err := net.SplitHostPort(s.Addr())
		require.NoError(t, err)
		number, err := strconv.Atoi(port)
		require.NoError(t, err)
		spec.Roles[role] = append(spec.Roles[role], name)
		spec.Nodes = append(spec.Nodes, NodeSpec{
			Name: name, Host: host, Port: number, User: s.User(), Address: netip.AddrFrom4([4]byte{127, 0, 1, byte(i + 1)}),
		})
	}
	require.NoError(t, os.WriteFile(spec.SSH.KnownHosts, []byte(known.String()), 0o600))
	return spec, servers
}

// A file, nodes that speak SSH, and a cluster: all of the way from the text to a command's output.
func TestFileToCommand(t *testing.T) {
	lab, servers := sshLab(t, 5)
	text, err := lab.YAML()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	spec, err := Load(file)
	require.NoError(t, err)
	c, err := Open(t.Context(), spec, DialSSH)
	require.NoError(t, err)
	defer c.Close()
	for i, n := range c.Nodes() {
		home, err := filepath.EvalSymlinks(servers[i].Dir())
		require.NoError(t, err)
		require.Equal(t, home, n.Home)
		require.Equal(t, home+"/gotestbed", n.Workdir)
		require.Equal(t, runtime.GOOS+"/"+runtime.GOARCH, n.OS+"/"+n.Arch)
	}
	require.NoError(t, Each(c.Role(CN), func(n *Node) error {
		_, err := n.Run(t.Context(), "touch", "was here")
		return err
	}))
	for i, s := range servers {
		_, err := os.Stat(filepath.Join(s.Dir(), "was here"))
		require.Equal(t, i > 0, err == nil, "node%d", i)
	}
	_, err = c.Node("node3").Run(t.Context(), "sh", "-c", "echo no disk >&2; exit 4", "check disk")
	require.EqualError(t, err, "node3: check disk: exit status 4: no disk")
}

func TestOpenWithoutAServer(t *testing.T) {
	spec, servers := sshLab(t, 3)
	require.NoError(t, servers[1].Close())
	_, err := Open(t.Context(), spec, DialSSH)
	require.ErrorContains(t, err, "node1: dial: ")
	require.ErrorIs(t, err, ErrDisconnected)
	require.NotContains(t, err.Error(), "node2")
}

// BenchmarkOpen is the price of a cluster of five: dial, log in, ask, close.
func BenchmarkOpen(b *testing.B) {
	spec, _ := sshLab(b, 5)
	for b.Loop() {
		c, err := Open(b.Context(), spec, DialSSH)
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}

package clusterenv

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// configured is a cluster whose only word on SSH is a file in the form of ssh_config(5), in which HOME stands for a directory of the test's.
func configured(t testing.TB, hosts []string, config ...string) *Spec {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	file := filepath.Join(home, "config")
	text := strings.ReplaceAll(strings.Join(config, "\n")+"\n", "HOME", home)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	spec := &Spec{Name: "lab", SSH: SSH{Config: file, Agent: true, Timeout: within10}, Roles: map[Role][]string{MN: hosts[:1], CN: hosts[:1]}}
	for i, h := range hosts {
		spec.Nodes = append(spec.Nodes, NodeSpec{Name: h, Host: h, Address: netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)})})
	}
	return spec
}

// knownTo writes the host keys of servers to a known_hosts file.
func knownTo(t testing.TB, servers ...*testServer) string {
	t.Helper()
	var text strings.Builder
	for _, s := range servers {
		fmt.Fprintln(&text, knownhosts.Line([]string{s.addr}, s.hostKey))
	}
	file := filepath.Join(t.TempDir(), "known_hosts")
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o600))
	return file
}

// block is a Host block for a server.
func block(name string, s *testServer, lines ...string) string {
	at := splitAddr(s.addr)
	return strings.Join(append([]string{"Host " + name, " HostName " + at[0], " Port " + at[1]}, lines...), "\n ")
}

// TestOpenSSHJumps reaches twelve nodes through two jump hosts, one behind the other, each of which takes one login at a time.
func TestOpenSSHJumps(t *testing.T) {
	const nodes = 12
	far := startSSHDWith(t, "MaxStartups 100")
	outer, inner := startSSHDWith(t, "MaxStartups 1:100:1"), startSSHDWith(t, "MaxStartups 1:100:1")
	var names []string
	for i := range nodes {
		names = append(names, fmt.Sprintf("n%d", i))
	}
	spec := configured(t, names,
		block("outer", outer, "IdentityFile "+outer.identity),
		block("inner", inner, "IdentityFile "+inner.identity, "ProxyJump none"),
		block("n*", far, "IdentityFile "+far.identity, "ProxyJump outer,inner"),
		"Host *", "UserKnownHostsFile "+knownTo(t, outer, inner, far),
	)
	c, err := Open(within(t), spec, DialSSH)
	require.NoError(t, err)
	require.NoError(t, Each(c.Nodes(), func(n *Node) error {
		out, err := n.Run(within(t), "sh", "-c", `echo "$SSH_CONNECTION"`)
		require.Contains(t, string(out), splitAddr(far.addr)[1])
		return err
	}))
	for _, jump := range []*testServer{outer, inner} {
		require.Equal(t, 1, jump.log.count("Accepted publickey"), "one connection to each jump host:\n%s", jump.log.text())
	}
	require.NoError(t, c.Close())
	require.Empty(t, hops.open, "the connections to jump hosts are closed with the last node's")
}

func TestOpenSSHJumpFaults(t *testing.T) {
	far, jump := startSSHDWith(t), startSSHDWith(t)
	closed := startSSHDWith(t, "AllowTcpForwarding no")
	nobody := &testServer{addr: freeAddr(t), identity: jump.identity, hostKey: jump.hostKey}
	known := knownTo(t, far, jump, closed)
	other, _ := newIdentity(t)
	dial := func(config ...string) error {
		spec := configured(t, []string{"n"}, append(config, "Host *", "UserKnownHostsFile "+known)...)
		_, err := DialSSH(t.Context(), spec, spec.Nodes[0])
		require.Error(t, err)
		require.Empty(t, hops.open)
		return err
	}
	node := block("n", far, "IdentityFile "+far.identity, "ProxyJump jump")
	for _, tt := range []struct {
		name   string
		config []string
		fault  Fault
		words  string
	}{
		{"jump host down", []string{node, block("jump", nobody)}, FaultRefused, "jump host " + nobody.addr + ": tcp: connecting: "},
		{"no login on the jump host", []string{node, block("jump", jump, "IdentityFile "+other)}, FaultAuth, "jump host " + jump.addr + ": auth: "},
		{"it forwards nothing", []string{node, block("jump", closed, "IdentityFile "+closed.identity)}, FaultForwarding, "from jump host " + closed.addr},
		{"node down behind it", []string{block("n", nobody, "ProxyJump jump"), block("jump", jump, "IdentityFile "+jump.identity)}, FaultRefused, nobody.addr + ": tcp: connecting: from jump host"},
		{"unknown name behind it", []string{"Host n", " HostName no-such-host.invalid", " ProxyJump jump", block("jump", jump, "IdentityFile "+jump.identity)}, FaultDNS, "from jump host"},
		{"jump host unknown", []string{node, block("jump", jump, "IdentityFile "+jump.identity, "UserKnownHostsFile none", "GlobalKnownHostsFile none")}, FaultHostUnknown, "jump host " + jump.addr},
		{"loop", []string{"Host *", " ProxyJump jump"}, "", "does one of them match the line itself?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := dial(tt.config...)
			require.ErrorContains(t, err, tt.words)
			require.Equal(t, tt.fault, FaultOf(err), "%v", err)
			if tt.fault != "" {
				require.NotEmpty(t, tt.fault.Cure())
			}
		})
	}
}

// TestOpenSSHManyAtOnce dials a server that drops every login beyond the second.
func TestOpenSSHManyAtOnce(t *testing.T) {
	s := startSSHDWith(t, "MaxStartups 2:100:2")
	target := s.target(t)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			tr, err := dialSSH(t.Context(), target)
			if err != nil {
				t.Error(err)
				return
			}
			tr.Close()
		})
	}
	all.Wait()
	require.Equal(t, 16, s.log.count("Accepted publickey"))
}

// TestOpenSSHAgent has the key in an ssh-agent, after more wrong ones than a server takes.
func TestOpenSSHAgent(t *testing.T) {
	s := startSSHDWith(t)
	dir, err := os.MkdirTemp("", "agent") // the path of a socket must be short
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	runAgent(t, socket)
	for range 7 {
		wrong, _ := newIdentity(t)
		tool(t, "SSH_AUTH_SOCK="+socket, "ssh-add", "-q", wrong)
	}
	tool(t, "SSH_AUTH_SOCK="+socket, "ssh-add", "-q", s.identity)
	public := filepath.Join(t.TempDir(), "only.pub")
	require.NoError(t, os.WriteFile(public, []byte(tool(t, "", "ssh-keygen", "-y", "-f", s.identity)), 0o600))
	known := "UserKnownHostsFile " + knownTo(t, s)

	requireLogin(t, configured(t, []string{"n"}, block("n", s, "IdentityAgent "+socket, "IdentityFile "+public, "IdentitiesOnly yes", known)))
	requireLogin(t, configured(t, []string{"n"}, block("n", s, "IdentityAgent "+socket, "IdentityFile "+strings.TrimSuffix(public, ".pub"), known)))
	requireNoLogin(t, configured(t, []string{"n"}, block("n", s, "IdentityAgent "+socket, known)), "offered 8 keys of the agent")
	requireNoLogin(t, configured(t, []string{"n"}, block("n", s, "IdentityAgent none", "IdentityFile "+public, known)), "no key to log in with")
	off := configured(t, []string{"n"}, block("n", s, "IdentityAgent "+socket, "IdentityFile "+public, known))
	off.SSH.Agent = false
	requireNoLogin(t, off, "no key to log in with")
}

// TestOpenSSHCertificate logs in by certificates alone, to a server that has one as well.
func TestOpenSSHCertificate(t *testing.T) {
	dir := t.TempDir()
	ca, key, hostCA := filepath.Join(dir, "ca"), filepath.Join(dir, "id"), filepath.Join(dir, "hostca")
	for _, file := range []string{ca, key, hostCA} {
		tool(t, "", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file)
	}
	me, err := currentUser()
	require.NoError(t, err)
	tool(t, "", "ssh-keygen", "-q", "-s", ca, "-I", "alice", "-n", me, "-V", "-1d:+1d", key+".pub")
	s := startSSHDWith(t, "TrustedUserCAKeys "+ca+".pub", "AuthorizedKeysFile none")
	known := "UserKnownHostsFile " + knownTo(t, s)
	requireLogin(t, configured(t, []string{"n"}, block("n", s, "IdentityFile "+key, known)))
	apart := filepath.Join(t.TempDir(), "cert")
	require.NoError(t, os.Rename(key+"-cert.pub", apart))
	requireNoLogin(t, configured(t, []string{"n"}, block("n", s, "IdentityFile "+key, known)), "offered "+key)
	requireLogin(t, configured(t, []string{"n"}, block("n", s, "IdentityFile "+key, "CertificateFile "+apart, known)))
	requireNoLogin(t, configured(t, []string{"n"}, block("n", s, "IdentityFile "+s.identity, "CertificateFile "+apart, known)), "certificate "+apart+": no key for it")
	requireNoLogin(t, configured(t, []string{"n"}, block("n", s, "IdentityFile "+key, "CertificateFile "+key+".pub", known)), "not a user's certificate")

	hostKey := filepath.Join(dir, "host")
	tool(t, "", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", hostKey)
	tool(t, "", "ssh-keygen", "-q", "-s", hostCA, "-h", "-I", "node", "-n", "127.0.0.1", hostKey+".pub")
	h := startSSHDWith(t, "HostKey "+hostKey, "HostCertificate "+hostKey+"-cert.pub")
	authority, err := os.ReadFile(hostCA + ".pub")
	require.NoError(t, err)
	vouched := filepath.Join(dir, "vouched")
	require.NoError(t, os.WriteFile(vouched, []byte("@cert-authority "+knownhosts.Normalize(h.addr)+" "+string(authority)), 0o600))
	requireLogin(t, configured(t, []string{"n"}, block("n", h, "IdentityFile "+h.identity, "UserKnownHostsFile "+vouched)))
}

// TestOpenSSHHashedKnownHosts reads what ssh-keygen -H wrote, and has ssh-keygen -F find what was pinned.
func TestOpenSSHHashedKnownHosts(t *testing.T) {
	s := startSSHDWith(t)
	known := knownTo(t, s)
	tool(t, "", "ssh-keygen", "-H", "-f", known)
	text, err := os.ReadFile(known)
	require.NoError(t, err)
	require.NotContains(t, string(text), "127.0.0.1")
	requireLogin(t, configured(t, []string{"n"}, block("n", s, "IdentityFile "+s.identity, "UserKnownHostsFile "+known)))

	pins := filepath.Join(t.TempDir(), "pins")
	spec := configured(t, []string{"n"}, block("n", s, "IdentityFile "+s.identity, "UserKnownHostsFile "+pins, "StrictHostKeyChecking accept-new", "HashKnownHosts yes"))
	requireLogin(t, spec)
	pinned, err := os.ReadFile(pins)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(pinned), "|1|"), "%s", pinned)
	at := splitAddr(s.addr)
	require.Contains(t, tool(t, "", "ssh-keygen", "-F", "["+at[0]+"]:"+at[1], "-f", pins), "found: line 1")
	requireLogin(t, spec)
	again, err := os.ReadFile(pins)
	require.NoError(t, err)
	require.Equal(t, string(pinned), string(again))

	alias := filepath.Join(t.TempDir(), "alias")
	require.NoError(t, os.WriteFile(alias, []byte("storage "+string(ssh.MarshalAuthorizedKey(s.hostKey))), 0o600))
	requireLogin(t, configured(t, []string{"n"}, block("n", s, "IdentityFile "+s.identity, "UserKnownHostsFile "+alias, "HostKeyAlias storage")))
	nowhere := configured(t, []string{"n"}, block("n", s, "IdentityFile "+s.identity, "UserKnownHostsFile /dev/null", "StrictHostKeyChecking no"))
	requireLogin(t, nowhere)
}

func TestOpenSSHIPv6(t *testing.T) {
	ln, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Skipf("NOT TESTED with IPv6: %v", err)
	}
	addr := ln.Addr().String()
	require.NoError(t, ln.Close())
	s := startSSHDWith(t, "ListenAddress "+addr)
	v4 := s.addr
	s.addr = addr
	known := "UserKnownHostsFile " + knownTo(t, s)
	port := splitAddr(addr)[1]
	requireLogin(t, configured(t, []string{"n"}, "Host n", " HostName ::1", " Port "+port, " IdentityFile "+s.identity, " "+known))
	requireLogin(t, configured(t, []string{"::1"}, "Host ::1", " AddressFamily inet6", " Port "+port, " IdentityFile "+s.identity, " "+known))
	s.addr = v4
	jump := "[::1]:" + port
	requireLogin(t, configured(t, []string{"n"}, block("n", s, "ProxyJump "+jump), "Host *", " IdentityFile "+s.identity,
		" UserKnownHostsFile "+knownTo(t, s, &testServer{addr: addr, hostKey: s.hostKey})))
}

// runAgent starts an ssh-agent.
func runAgent(t *testing.T, socket string) {
	t.Helper()
	needSSH(t)
	cmd := exec.Command("ssh-agent", "-D", "-a", socket)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	require.Eventually(t, func() bool { _, err := os.Stat(socket); return err == nil }, within10, tick)
}

// tool runs a program of OpenSSH, with a variable in its environment, and returns what it prints.
func tool(t *testing.T, variable string, argv ...string) string {
	t.Helper()
	needSSH(t)
	cmd := exec.Command(argv[0], argv[1:]...)
	if variable != "" {
		cmd.Env = append(os.Environ(), variable)
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%q: %s", argv, out)
	return string(out)
}

// TestHopsJoined has many join and leave the same two jump hosts at once.
func TestHopsJoined(t *testing.T) {
	outer := &sshTarget{addr: "outer:22"}
	inner := &sshTarget{addr: "inner:22", via: outer}
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			first := hops.join(inner)
			if hops.join(inner) != first {
				t.Error("two transports to one host")
			}
			hops.leave(inner)
			hops.leave(inner)
		})
	}
	all.Wait()
	require.Empty(t, hops.open)
}

// TestOpenSSHJumpLost breaks the connection to a jump host: the next command makes a new one.
func TestOpenSSHJumpLost(t *testing.T) {
	far, jump := startSSHDWith(t), startSSHDWith(t)
	p := newProxy(t, jump.addr)
	jump.addr = p.ln.Addr().String()
	spec := configured(t, []string{"n"}, block("n", far, "IdentityFile "+far.identity, "ProxyJump jump"),
		block("jump", jump, "IdentityFile "+jump.identity), "Host *", "UserKnownHostsFile "+knownTo(t, far, jump))
	c, err := Open(within(t), spec, DialSSH)
	require.NoError(t, err)
	defer c.Close()
	n := c.Node("n")
	wait, err := n.Start(within(t), Command{Argv: []string{"sleep", "600"}})
	require.NoError(t, err)
	p.cut()
	require.ErrorIs(t, wait(), ErrDisconnected)
	_, err = n.Run(within(t), "true")
	require.NoError(t, err)
	require.Equal(t, 2, p.accepted())
}

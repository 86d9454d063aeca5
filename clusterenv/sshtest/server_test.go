package sshtest_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/gotestbed/gotestbed/clusterenv/sshtest"
)

// start runs a server whose user may log in with the returned key.
func start(t *testing.T, opts sshtest.Options) (*sshtest.Server, ssh.Signer) {
	t.Helper()
	signer, _, err := sshtest.NewKey()
	require.NoError(t, err)
	opts.AuthorizedKeys = append(opts.AuthorizedKeys, signer.PublicKey())
	if opts.Dir == "" {
		opts.Dir = filepath.Join(t.TempDir(), "home")
	}
	s, err := sshtest.NewServer(opts)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s, signer
}

// connect logs in.
func connect(t *testing.T, s *sshtest.Server, signer ssh.Signer) *ssh.Client {
	t.Helper()
	c, err := dial(s, s.User(), signer)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func dial(s *sshtest.Server, user string, signer ssh.Signer) (*ssh.Client, error) {
	return ssh.Dial("tcp", s.Addr(), &ssh.ClientConfig{
		User:            user,
		Auth:            []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyCallback: ssh.FixedHostKey(s.HostKey()),
		Timeout:         10 * time.Second,
	})
}

// node is a server, logged in to.
func node(t *testing.T, opts sshtest.Options) (*sshtest.Server, *ssh.Client) {
	t.Helper()
	s, signer := start(t, opts)
	return s, connect(t, s, signer)
}

func session(t *testing.T, c *ssh.Client) *ssh.Session {
	t.Helper()
	sess, err := c.NewSession()
	require.NoError(t, err)
	t.Cleanup(func() { sess.Close() })
	return sess
}

func TestLogin(t *testing.T) {
	s, signer := start(t, sshtest.Options{User: "alice"})
	stranger, _, err := sshtest.NewKey()
	require.NoError(t, err)

	c, err := dial(s, "alice", signer)
	require.NoError(t, err)
	c.Close()
	_, err = dial(s, "bob", signer)
	require.ErrorContains(t, err, "unable to authenticate")
	_, err = dial(s, "alice", stranger)
	require.ErrorContains(t, err, "unable to authenticate")
}

func TestIdentityFile(t *testing.T) {
	signer, identity, err := sshtest.NewKey()
	require.NoError(t, err)
	parsed, err := ssh.ParsePrivateKey(identity)
	require.NoError(t, err)
	require.Equal(t, signer.PublicKey().Marshal(), parsed.PublicKey().Marshal())
}

func TestKnownHostsLine(t *testing.T) {
	s, _ := start(t, sshtest.Options{})
	_, hosts, key, _, _, err := ssh.ParseKnownHosts([]byte(s.KnownHostsLine()))
	require.NoError(t, err)
	host, port, err := net.SplitHostPort(s.Addr())
	require.NoError(t, err)
	require.Equal(t, []string{"[" + host + "]:" + port}, hosts)
	require.Equal(t, s.HostKey().Marshal(), key.Marshal())
}

func TestOptionsMistakes(t *testing.T) {
	_, err := sshtest.NewServer(sshtest.Options{})
	require.ErrorContains(t, err, "Options.Dir is empty")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = sshtest.NewServer(sshtest.Options{Dir: file})
	require.ErrorContains(t, err, file)
	_, err = sshtest.NewServer(sshtest.Options{Dir: t.TempDir(), Addr: "127.0.0.1:port"})
	require.ErrorContains(t, err, "port")
}

func TestServersAreApart(t *testing.T) {
	a, clientA := node(t, sshtest.Options{Env: []string{"NODE=a"}})
	b, clientB := node(t, sshtest.Options{Env: []string{"NODE=b"}})
	require.NotEqual(t, a.HostKey().Marshal(), b.HostKey().Marshal())
	for _, c := range []*ssh.Client{clientA, clientB} {
		require.NoError(t, session(t, c).Run("echo $NODE > name"))
	}
	for name, s := range map[string]*sshtest.Server{"a\n": a, "b\n": b} {
		data, err := os.ReadFile(filepath.Join(s.Dir(), "name"))
		require.NoError(t, err)
		require.Equal(t, name, string(data))
	}
}

// A client that stops half-way through the handshake must not keep Close waiting, nor one that is busy.
func TestCloseLeavesNoGoroutines(t *testing.T) {
	s, c := node(t, sshtest.Options{})
	silent, err := net.Dial("tcp", s.Addr())
	require.NoError(t, err)
	defer silent.Close()
	_, err = io.ReadFull(silent, make([]byte, len("SSH-2.0-"))) // the server has begun to serve
	require.NoError(t, err)

	sess := session(t, c)
	out, err := sess.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, sess.Start("echo up; (sleep 600; echo) & exec sleep 600"))
	_, err = io.ReadFull(out, make([]byte, 3))
	require.NoError(t, err)
	require.Contains(t, stacks(), "sshtest.(*Server)", "the search below would find nothing")

	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "a second Close")
	require.Error(t, sess.Wait())
	c.Close()
	require.Eventually(t, func() bool {
		all := stacks()
		return !strings.Contains(all, "sshtest.(*Server)") && !strings.Contains(all, "ssh.(*handshakeTransport)")
	}, 10*time.Second, 10*time.Millisecond, "goroutines are left")
	_, err = net.Dial("tcp", s.Addr())
	require.Error(t, err)
}

// stacks is the text of all goroutines.
func stacks() string {
	buf := make([]byte, 1<<20)
	return string(bytes.ToValidUTF8(buf[:runtime.Stack(buf, true)], nil))
}

package clusterenv

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/gotestbed/gotestbed/clusterenv/sshtest"
)

// listen serves each TCP connection by serve, until the test ends.
func listen(t *testing.T, serve func(net.Conn)) (addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			wg.Go(func() { serve(c) })
		}
	})
	t.Cleanup(func() {
		ln.Close()
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return ln.Addr().String()
}

// silent takes what comes and says no more than greeting.
func silent(greeting string) func(net.Conn) {
	return func(c net.Conn) {
		io.WriteString(c, greeting)
		io.Copy(io.Discard, c)
	}
}

// hangingAuth is a server that never answers a login.
func hangingAuth(key ssh.Signer, release <-chan struct{}) func(net.Conn) {
	return func(c net.Conn) {
		config := &ssh.ServerConfig{PublicKeyCallback: func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
			<-release
			return nil, errors.New("no")
		}}
		config.AddHostKey(key)
		ssh.NewServerConn(c, config)
	}
}

func newSigner(t *testing.T) ssh.Signer {
	t.Helper()
	s, _, err := sshtest.NewKey()
	require.NoError(t, err)
	return s
}

// specFor is a cluster of one node at addr. The login is left to the caller.
func specFor(t *testing.T, addr string, key ssh.PublicKey) *Spec {
	t.Helper()
	host := splitAddr(addr)
	port, err := strconv.Atoi(host[1])
	require.NoError(t, err)
	known := filepath.Join(t.TempDir(), "known_hosts")
	if key != nil {
		line := "[" + host[0] + "]:" + host[1] + " " + string(ssh.MarshalAuthorizedKey(key))
		require.NoError(t, os.WriteFile(known, []byte(line), 0o600))
	}
	return &Spec{
		SSH:   SSH{KnownHosts: known, Timeout: 300 * time.Millisecond},
		Nodes: []NodeSpec{{Name: "n0", Host: host[0], Port: port}},
	}
}

func TestDialPhase(t *testing.T) {
	release := make(chan struct{})
	key := newSigner(t)
	other, _ := newIdentity(t)
	tests := []struct {
		name    string
		addr    string
		want    Phase
		timeout bool
	}{
		{"refused", freeAddr(t), PhaseTCP, false},
		{"mute", listen(t, silent("")), PhaseBanner, true},
		{"closes at once", listen(t, func(c net.Conn) { c.Close() }), PhaseBanner, false},
		{"not SSH", listen(t, silent("220 mail.example.org ESMTP\r\n")), PhaseKex, true},
		{"banner only", listen(t, silent("SSH-2.0-OpenSSH_7.6\r\n")), PhaseKex, true},
		{"login hangs", listen(t, hangingAuth(key, release)), PhaseAuth, true},
	}
	t.Cleanup(func() { close(release) }) // before the listeners wait for their connections
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spec := specFor(t, tt.addr, key.PublicKey())
			spec.SSH.Identity = other
			began := time.Now()
			_, err := DialSSH(t.Context(), spec, spec.Nodes[0])
			var dial *DialError
			require.ErrorAs(t, err, &dial)
			require.Equal(t, tt.want, dial.Phase, "%v", err)
			require.Equal(t, tt.timeout, dial.Timeout(), "%v", err)
			require.ErrorIs(t, err, ErrDisconnected)
			require.Contains(t, err.Error(), tt.addr+": "+string(tt.want)+": ")
			require.Less(t, time.Since(began), 5*time.Second)
		})
	}
}

func TestDialCancelled(t *testing.T) {
	spec := specFor(t, listen(t, silent("")), nil)
	spec.SSH.Timeout = time.Hour
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(cause) })
	_, err := DialSSH(ctx, spec, spec.Nodes[0])
	require.ErrorIs(t, err, cause)
	var dial *DialError
	require.ErrorAs(t, err, &dial)
	require.Equal(t, PhaseBanner, dial.Phase)
}

func TestDialNoHost(t *testing.T) {
	_, err := DialSSH(t.Context(), &Spec{}, NodeSpec{Name: "n0"})
	require.EqualError(t, err, "node n0 has no host to dial")
}

// TestKeepalive lets the path to the node go silent, as when its cable is pulled.
func TestKeepalive(t *testing.T) {
	s := startSSHTest(t)
	p := newProxy(t, s.addr)
	target := s.target(t)
	target.keepalive = Keepalive{Interval: 40 * time.Millisecond, Misses: 3}
	n := dialThrough(t, target, p)
	wait, err := n.Start(within(t), Command{Argv: []string{"sleep", "1"}})
	require.NoError(t, err)
	require.NoError(t, wait(), "silence with keepalives answered is no fault")

	wait, err = n.Start(within(t), Command{Argv: []string{"sleep", "600"}})
	require.NoError(t, err)
	p.blackhole()
	err = wait()
	require.ErrorIs(t, err, ErrDisconnected)
	require.ErrorContains(t, err, "no reply to keepalives for 120ms")
	p.open()
	_, err = n.Run(within(t), "true")
	require.NoError(t, err, "a new connection")
}

// TestKeepaliveBusy moves data one way for longer than keepalives may stay unanswered.
func TestKeepaliveBusy(t *testing.T) {
	s := startSSHTest(t)
	target := s.target(t)
	target.keepalive = Keepalive{Interval: 20 * time.Millisecond, Misses: 2}
	n := dialNode(t, target)
	out := &slowWriter{}
	wait, err := n.Start(within(t), Command{Argv: []string{"head", "-c", "3000000", "/dev/zero"}, Stdout: out})
	require.NoError(t, err)
	require.NoError(t, wait())
	require.Equal(t, 3_000_000, out.n)
}

// slowWriter takes its time, for longer than the keepalives of its test allow.
type slowWriter struct{ n int }

func (w *slowWriter) Write(p []byte) (int, error) {
	w.n += len(p)
	time.Sleep(2 * time.Millisecond)
	return len(p), nil
}

// TestFewerSessions has a server with a smaller MaxSessions than OpenSSH's default.
func TestFewerSessions(t *testing.T) {
	identity, key := newIdentity(t)
	srv, err := sshtest.NewServer(sshtest.Options{Dir: t.TempDir(), AuthorizedKeys: []ssh.PublicKey{key}, MaxSessions: 2})
	require.NoError(t, err)
	t.Cleanup(func() { srv.Close() })
	s := &testServer{addr: srv.Addr(), user: srv.User(), identity: identity, hostKey: srv.HostKey()}
	n := s.node(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := n.Run(within(t), "sleep", "0.05"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()

	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	for range 3 { // more than the server takes, none of which ends
		wg.Go(func() { n.Run(ctx, "sleep", "600") })
	}
	wg.Wait()
	_, err = n.Run(within(t), "true")
	require.NoError(t, err)
}

// TestCloseLeavesNothing counts goroutines.
func TestCloseLeavesNothing(t *testing.T) {
	s := startSSHTest(t)
	target := s.target(t)
	settle := func(want int) {
		t.Helper()
		require.Eventually(t, func() bool { return runtime.NumGoroutine() <= want }, within10, tick, "goroutines left")
	}
	before := runtime.NumGoroutine()
	for range 3 {
		tr, err := dialSSH(t.Context(), target)
		require.NoError(t, err)
		n := &Node{NodeSpec: NodeSpec{Name: "n0"}, transport: tr}
		_, err = n.Run(within(t), "true")
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		wait, err := n.Start(ctx, Command{Argv: []string{"sleep", "600"}})
		require.NoError(t, err)
		cancel()
		require.Error(t, wait())
		wait, err = n.Start(t.Context(), Command{Argv: []string{"cat"}, Stdin: strings.NewReader("x")})
		require.NoError(t, err)
		require.NoError(t, wait())
		require.NoError(t, tr.Close())
	}
	settle(before + 2) // the test's own contexts
}

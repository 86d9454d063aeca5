package clusterenv

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/gotestbed/gotestbed/clusterenv/sshtest"
)

// keyServer completes handshakes with the given host keys, and lets nobody in.
func keyServer(t *testing.T, keys ...ssh.Signer) (addr string) {
	return listen(t, func(c net.Conn) {
		config := &ssh.ServerConfig{NoClientAuth: true}
		for _, k := range keys {
			config.AddHostKey(k)
		}
		conn, _, reqs, err := ssh.NewServerConn(c, config)
		if err == nil {
			ssh.DiscardRequests(reqs)
			conn.Wait()
		}
	})
}

func keysOfAllTypes(t *testing.T) []ssh.Signer {
	t.Helper()
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	rs, err := ssh.NewSignerFromKey(r)
	require.NoError(t, err)
	e, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	es, err := ssh.NewSignerFromKey(e)
	require.NoError(t, err)
	return []ssh.Signer{rs, es, newSigner(t)}
}

// TestHostKeyOfAnyType has a server with three keys of which known_hosts holds one: that is the one to ask for.
func TestHostKeyOfAnyType(t *testing.T) {
	keys := keysOfAllTypes(t)
	addr := keyServer(t, keys...)
	for _, k := range keys {
		t.Run(k.PublicKey().Type(), func(t *testing.T) {
			spec := specFor(t, addr, k.PublicKey())
			spec.SSH.Timeout = 10 * time.Second
			tr, err := DialSSH(t.Context(), spec, spec.Nodes[0])
			require.NoError(t, err)
			require.NoError(t, tr.Close())
		})
	}
}

func TestHostKeyUnknown(t *testing.T) {
	key := newSigner(t)
	addr := keyServer(t, key)
	spec := specFor(t, addr, nil)
	spec.SSH.Timeout = 10 * time.Second
	_, err := DialSSH(t.Context(), spec, spec.Nodes[0])
	var unknown *UnknownHostError
	require.ErrorAs(t, err, &unknown)
	require.Equal(t, knownhosts.Line([]string{addr}, key.PublicKey()), unknown.Line)
	require.Contains(t, err.Error(), unknown.Line)
	require.Contains(t, err.Error(), ssh.FingerprintSHA256(key.PublicKey()))
	require.Contains(t, err.Error(), spec.SSH.KnownHosts)
	var dial *DialError
	require.ErrorAs(t, err, &dial)
	require.Equal(t, PhaseKex, dial.Phase)

	require.NoError(t, os.WriteFile(spec.SSH.KnownHosts, []byte(unknown.Line+"\n"), 0o600))
	tr, err := DialSSH(t.Context(), spec, spec.Nodes[0])
	require.NoError(t, err, "with the line added")
	require.NoError(t, tr.Close())
}

func requireChanged(t *testing.T, err error, got, known ssh.PublicKey, file string) {
	t.Helper()
	var changed *ChangedHostKeyError
	require.ErrorAs(t, err, &changed)
	require.Contains(t, err.Error(), "shows "+fingerprint(got))
	require.Contains(t, err.Error(), "known is "+fingerprint(known)+" ("+file+":1)")
}

func TestHostKeyChanged(t *testing.T) {
	old, shown := newSigner(t), newSigner(t)
	spec := specFor(t, keyServer(t, shown), old.PublicKey())
	spec.SSH.Timeout = 10 * time.Second
	for _, accept := range []Accept{AcceptStrict, AcceptNew} {
		pins := filepath.Join(t.TempDir(), "pins")
		t.Setenv("GOTESTBED_KNOWN_HOSTS", pins)
		spec.SSH.Accept = accept
		_, err := DialSSH(t.Context(), spec, spec.Nodes[0])
		requireChanged(t, err, shown.PublicKey(), old.PublicKey(), spec.SSH.KnownHosts)
		require.NoFileExists(t, pins)
	}
}

func TestHostKeyAcceptNew(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOTESTBED_KNOWN_HOSTS", "")
	const nodes = 8
	var wg sync.WaitGroup
	var specs [nodes]*Spec
	var keys [nodes]ssh.Signer
	for i := range nodes {
		keys[i] = newSigner(t)
		specs[i] = specFor(t, keyServer(t, keys[i]), nil)
		specs[i].SSH.Accept = AcceptNew
		specs[i].SSH.Timeout = 10 * time.Second
	}
	dialAll := func() {
		for _, spec := range specs {
			wg.Go(func() {
				tr, err := DialSSH(t.Context(), spec, spec.Nodes[0])
				if err != nil {
					t.Error(err)
					return
				}
				tr.Close()
			})
		}
		wg.Wait()
	}
	dialAll()
	pinned, err := os.ReadFile(".gotestbed/known_hosts")
	require.NoError(t, err)
	for i, spec := range specs {
		addr := net.JoinHostPort(spec.Nodes[0].Host, strconv.Itoa(spec.Nodes[0].Port))
		require.Contains(t, string(pinned), knownhosts.Line([]string{addr}, keys[i].PublicKey())+"\n")
	}
	dialAll()
	again, err := os.ReadFile(".gotestbed/known_hosts")
	require.NoError(t, err)
	require.Equal(t, string(pinned), string(again), "a pinned key needs no second pin")
}

// TestHostKeyPinnedThenChanged installs a node anew.
func TestHostKeyPinnedThenChanged(t *testing.T) {
	pins := filepath.Join(t.TempDir(), "dir", "pins")
	t.Setenv("GOTESTBED_KNOWN_HOSTS", pins)
	identity, login := newIdentity(t)
	opts := sshtest.Options{Addr: freeAddr(t), Dir: t.TempDir(), AuthorizedKeys: []ssh.PublicKey{login}}
	var first ssh.PublicKey
	for i := range 2 {
		srv, err := sshtest.NewServer(opts)
		require.NoError(t, err)
		spec := specFor(t, srv.Addr(), nil)
		spec.SSH = SSH{Accept: AcceptNew, KnownHosts: spec.SSH.KnownHosts, Identity: identity, User: srv.User()}
		tr, err := DialSSH(t.Context(), spec, spec.Nodes[0])
		if i == 0 {
			require.NoError(t, err)
			require.NoError(t, tr.Close())
			first = srv.HostKey()
		} else {
			requireChanged(t, err, srv.HostKey(), first, pins)
		}
		require.NoError(t, srv.Close())
	}
}

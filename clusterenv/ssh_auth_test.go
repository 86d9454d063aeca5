package clusterenv

import (
	"crypto/ed25519"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/gotestbed/gotestbed/clusterenv/sshtest"
)

// loginServer lets one key in.
func loginServer(t *testing.T, key ssh.PublicKey) *Spec {
	t.Helper()
	srv, err := sshtest.NewServer(sshtest.Options{Dir: t.TempDir(), AuthorizedKeys: []ssh.PublicKey{key}})
	require.NoError(t, err)
	t.Cleanup(func() { srv.Close() })
	spec := specFor(t, srv.Addr(), srv.HostKey())
	spec.SSH.Timeout = within10
	spec.SSH.User = srv.User()
	return spec
}

func newKey(t *testing.T) (ed25519.PrivateKey, ssh.PublicKey) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	public, err := ssh.NewPublicKey(private.Public())
	require.NoError(t, err)
	return private, public
}

// serveAgent is an ssh-agent that holds the keys, at $SSH_AUTH_SOCK.
func serveAgent(t *testing.T, keys ...ed25519.PrivateKey) {
	t.Helper()
	ring := agent.NewKeyring()
	for _, k := range keys {
		require.NoError(t, ring.Add(agent.AddedKey{PrivateKey: k}))
	}
	dir, err := os.MkdirTemp("", "agent") // the path of a socket must be short
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	ln, err := net.Listen("unix", filepath.Join(dir, "s"))
	require.NoError(t, err)
	t.Cleanup(func() { ln.Close() })
	t.Setenv("SSH_AUTH_SOCK", ln.Addr().String())
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go agent.ServeAgent(ring, c)
		}
	}()
}

func requireLogin(t *testing.T, spec *Spec) {
	t.Helper()
	tr, err := DialSSH(t.Context(), spec, spec.Nodes[0])
	require.NoError(t, err)
	require.NoError(t, tr.Close())
}

func requireNoLogin(t *testing.T, spec *Spec, words ...string) {
	t.Helper()
	_, err := DialSSH(t.Context(), spec, spec.Nodes[0])
	var dial *DialError
	require.ErrorAs(t, err, &dial)
	require.Equal(t, PhaseAuth, dial.Phase, "%v", err)
	for _, w := range words {
		require.Contains(t, err.Error(), w)
	}
}

func TestLoginByAgent(t *testing.T) {
	private, public := newKey(t)
	wrong := make([]ed25519.PrivateKey, 3)
	for i := range wrong {
		wrong[i], _ = newKey(t)
	}
	t.Setenv("HOME", t.TempDir())
	spec := loginServer(t, public)
	serveAgent(t, append(wrong, private)...)
	requireNoLogin(t, spec, "no key to log in with")
	spec.SSH.Agent = true
	requireLogin(t, spec)
	t.Setenv("SSH_AUTH_SOCK", "")
	requireNoLogin(t, spec, "agent: SSH_AUTH_SOCK is not set")
	t.Setenv("SSH_AUTH_SOCK", filepath.Join(t.TempDir(), "none"))
	requireNoLogin(t, spec, "agent: ", "none")
}

func TestLoginByIdentity(t *testing.T) {
	file, public := newIdentity(t)
	spec := loginServer(t, public)
	spec.SSH.Identity = file
	requireLogin(t, spec)

	t.Setenv("HOME", filepath.Dir(file))
	spec.SSH.Identity = "~/" + filepath.Base(file)
	requireLogin(t, spec)

	other, _ := newIdentity(t)
	spec.Nodes[0].Identity = other
	requireNoLogin(t, spec, "unable to authenticate", "offered "+other)
	spec.Nodes[0].Identity = "~/none"
	requireNoLogin(t, spec, "identity ~/none: no such file")
	junk := filepath.Join(t.TempDir(), "junk")
	require.NoError(t, os.WriteFile(junk, []byte("junk"), 0o600))
	spec.Nodes[0].Identity = junk
	requireNoLogin(t, spec, "identity "+junk+": ")
}

func TestLoginByDefaultIdentity(t *testing.T) {
	file, public := newIdentity(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	require.NoError(t, os.Mkdir(filepath.Join(home, ".ssh"), 0o700))
	require.NoError(t, os.Rename(file, filepath.Join(home, ".ssh", "id_ecdsa")))
	requireLogin(t, loginServer(t, public))
}

func TestLoginEncryptedIdentity(t *testing.T) {
	private, public := newKey(t)
	block, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("secret"))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	spec := loginServer(t, public)
	spec.SSH.Identity = file
	requireNoLogin(t, spec, "identity "+file+" is encrypted: load it with ssh-add and set agent: true")

	wrong := make([]ed25519.PrivateKey, 8) // were they tried first, the server would give up
	for i := range wrong {
		wrong[i], _ = newKey(t)
	}
	serveAgent(t, append(wrong, private)...)
	spec.SSH.Agent = true
	requireLogin(t, spec)
}

package clusterenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// defaultIdentities are tried, where they exist, when the cluster file names none.
var defaultIdentities = []string{"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"}

// A keySource says where the keys are that prove who we are.
type keySource struct {
	identities []string // private key files; a leading ~/ is the home directory
	optional   bool     // identities are defaults: those that do not exist or are encrypted are passed over
	agent      bool     // also the keys of the agent at $SSH_AUTH_SOCK
}

// A keyring is a keySource in use by one dial.
type keyring struct {
	source keySource
	ctx    context.Context
	conn   net.Conn // to the agent; nil while there is none
	asked  bool     // the server wanted a key
	tried  []string // what was offered
	notes  []string // what could not be
}

func (k keySource) open(ctx context.Context) *keyring { return &keyring{source: k, ctx: ctx} }

func (r *keyring) close() {
	if r.conn != nil {
		r.conn.Close()
	}
}

// signers collects the keys: those of files first, because servers give up after six.
func (r *keyring) signers() ([]ssh.Signer, error) {
	r.asked = true
	var all []ssh.Signer
	var locked []ssh.PublicKey // of encrypted files, whose keys the agent may hold
	for _, name := range r.source.identities {
		s, public, err := readIdentity(name)
		switch {
		case err == nil:
			r.tried = append(r.tried, name)
			all = append(all, s)
		case r.source.optional && errors.Is(err, fs.ErrNotExist):
		default:
			r.notes = append(r.notes, err.Error())
		}
		if public != nil {
			locked = append(locked, public)
		}
	}
	if r.source.agent {
		all = append(all, r.agentSigners(locked)...)
	}
	if len(all) == 0 {
		return nil, errors.New("no key to log in with")
	}
	return all, nil
}

// explain adds to a failed login which keys were offered and which could not be.
func (r *keyring) explain(err error) error {
	if !r.asked {
		return err
	}
	text := ""
	if len(r.tried) > 0 {
		text += "; offered " + strings.Join(r.tried, ", ")
	}
	for _, n := range r.notes {
		text += "; " + n
	}
	return fmt.Errorf("%w%s", err, text)
}

// agentSigners returns the agent's keys, those in first before the others.
func (r *keyring) agentSigners(first []ssh.PublicKey) []ssh.Signer {
	note := func(err error) []ssh.Signer {
		r.notes = append(r.notes, "agent: "+err.Error())
		return nil
	}
	socket := os.Getenv("SSH_AUTH_SOCK")
	if socket == "" {
		return note(errors.New("SSH_AUTH_SOCK is not set"))
	}
	conn, err := new(net.Dialer).DialContext(r.ctx, "unix", socket)
	if err != nil {
		return note(err)
	}
	r.conn = conn
	if t, ok := r.ctx.Deadline(); ok {
		conn.SetDeadline(t)
	}
	keys, err := agent.NewClient(conn).Signers()
	if err != nil {
		return note(err)
	}
	r.tried = append(r.tried, fmt.Sprintf("%d keys of the agent", len(keys)))
	var head, tail []ssh.Signer
	for _, k := range keys {
		if containsKey(first, k.PublicKey()) {
			head = append(head, k)
		} else {
			tail = append(tail, k)
		}
	}
	return append(head, tail...)
}

func containsKey(list []ssh.PublicKey, key ssh.PublicKey) bool {
	return slices.ContainsFunc(list, func(k ssh.PublicKey) bool { return bytes.Equal(k.Marshal(), key.Marshal()) })
}

// readIdentity reads a private key file. For an encrypted one it returns an error and, where the file tells it, the public key.
func readIdentity(name string) (ssh.Signer, ssh.PublicKey, error) {
	path, err := expandHome(name)
	if err != nil {
		return nil, nil, err
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("identity %s: %w", name, errors.Unwrap(err))
	}
	signer, err := ssh.ParsePrivateKey(pem)
	if err == nil {
		return signer, nil, nil
	}
	var encrypted *ssh.PassphraseMissingError
	if errors.As(err, &encrypted) {
		return nil, encrypted.PublicKey, fmt.Errorf("identity %s is encrypted: load it with ssh-add and set agent: true", name)
	}
	return nil, nil, fmt.Errorf("identity %s: %w", name, err)
}

// expandHome replaces a leading ~ by the home directory.
func expandHome(path string) (string, error) {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, path[1:]), nil
}

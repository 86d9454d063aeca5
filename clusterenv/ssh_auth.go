package clusterenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// defaultIdentities are tried, where they exist, when nothing names a key.
var defaultIdentities = []string{"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"}

// A keySource says where the keys are that prove who we are.
type keySource struct {
	identities   []string // private key files; a leading ~/ is the home directory
	optional     bool     // identities are defaults: those that do not exist are passed over
	certificates []string // files, beside those that are named after a key
	only         bool     // of the agent's keys, those whose files are named
	agent        string   // socket of the agent, whose keys are offered too; "" is none
}

// noAgent is the socket of an agent that the environment does not name.
const noAgent = "$SSH_AUTH_SOCK"

// A keyring is a keySource in use by one dial.
type keyring struct {
	source keySource
	ctx    context.Context
	clock  *dialClock
	conn   net.Conn // to the agent; nil while there is none
	asked  bool     // the server wanted a key
	tried  []string // what was offered
	notes  []string // what could not be
}

func (k keySource) open(ctx context.Context, clock *dialClock) *keyring {
	return &keyring{source: k, ctx: ctx, clock: clock}
}

func (r *keyring) close() {
	if r.conn != nil {
		r.conn.Close()
	}
}

// signers collects the keys: those of files first, because servers give up after six, each after its certificates. An encrypted
// one that the agent holds is left to the agent, and else asks for its passphrase when the server wants it.
func (r *keyring) signers() ([]ssh.Signer, error) {
	r.asked = true
	var own []ssh.Signer
	var named []ssh.PublicKey // whose private half the agent may hold
	var locked []*lockedKey
	for _, name := range r.source.identities {
		s, l, public, err := readIdentity(name)
		switch {
		case s != nil:
			r.tried = append(r.tried, name)
			own = append(own, s)
		case l != nil:
			locked = append(locked, l)
		case public == nil && r.source.optional && errors.Is(err, fs.ErrNotExist):
		case public == nil:
			r.notes = append(r.notes, err.Error())
		}
		if public != nil {
			named = append(named, public)
		}
	}
	theirs := r.agentSigners(named)
	own = append(own, r.unlocking(locked, theirs)...)
	all := r.certified(own, theirs)
	if len(all) == 0 {
		return nil, errors.New("no key to log in with")
	}
	return all, nil
}

// unlocking makes signers of encrypted keys that the agent does not hold, if there is somebody to ask.
func (r *keyring) unlocking(locked []*lockedKey, held []ssh.Signer) []ssh.Signer {
	var list []ssh.Signer
	for _, l := range locked {
		has := func(s ssh.Signer) bool { return l.public != nil && sameKey(s.PublicKey(), l.public) }
		if slices.ContainsFunc(held, has) {
			continue
		}
		s, err := l.signer(r.clock)
		if err != nil {
			r.notes = append(r.notes, err.Error())
			continue
		}
		r.tried = append(r.tried, l.name)
		list = append(list, s)
	}
	return list
}

// certified puts before the keys those of them for which there is a certificate.
func (r *keyring) certified(own, theirs []ssh.Signer) []ssh.Signer {
	var list []ssh.Signer
	keys := append(slices.Clone(own), theirs...)
	certificate := func(file string, needed bool) {
		cert, err := readCertificate(file)
		if err != nil {
			if needed || !errors.Is(err, fs.ErrNotExist) {
				r.notes = append(r.notes, err.Error())
			}
			return
		}
		for _, k := range keys {
			if _, is := k.PublicKey().(*ssh.Certificate); is || !sameKey(k.PublicKey(), cert.Key) {
				continue
			}
			if s, err := ssh.NewCertSigner(cert, k); err == nil {
				r.tried = append(r.tried, file)
				list = append(list, s)
				return
			}
		}
		if needed {
			r.notes = append(r.notes, fmt.Sprintf("certificate %s: no key for it", file))
		}
	}
	for _, file := range r.source.certificates {
		certificate(file, true)
	}
	for _, name := range r.source.identities {
		certificate(name+"-cert.pub", false)
	}
	return append(list, keys...)
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

// agentSigners returns the agent's keys, those that are named before the others.
func (r *keyring) agentSigners(named []ssh.PublicKey) []ssh.Signer {
	if r.source.agent == "" {
		return nil
	}
	keys, err := r.askAgent()
	if err != nil {
		r.notes = append(r.notes, "agent: "+err.Error())
		return nil
	}
	var head, tail []ssh.Signer
	for _, k := range keys {
		if slices.ContainsFunc(named, func(n ssh.PublicKey) bool { return sameKey(n, k.PublicKey()) }) {
			head = append(head, k)
		} else if !r.source.only {
			tail = append(tail, k)
		}
	}
	all := append(head, tail...)
	r.tried = append(r.tried, fmt.Sprintf("%d keys of the agent", len(all)))
	return all
}

func (r *keyring) askAgent() ([]ssh.Signer, error) {
	if r.source.agent == noAgent {
		return nil, errors.New("SSH_AUTH_SOCK is not set")
	}
	socket, err := expandHome(r.source.agent)
	if err != nil {
		return nil, err
	}
	conn, err := new(net.Dialer).DialContext(r.ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	r.conn = conn
	context.AfterFunc(r.ctx, func() { conn.Close() })
	return agent.NewClient(conn).Signers()
}

// sameKey compares keys; of a certificate, the key that it is for.
func sameKey(a, b ssh.PublicKey) bool {
	return bytes.Equal(bareKey(a).Marshal(), bareKey(b).Marshal())
}

func bareKey(k ssh.PublicKey) ssh.PublicKey {
	if c, ok := k.(*ssh.Certificate); ok {
		return c.Key
	}
	return k
}

package clusterenv

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh/knownhosts"
)

// DialSSH is the Dialer that reaches a node by SSH. The connection is made at once, and made anew by the next Start when it
// has died. Errors are *DialError, whose Phase tells how far the dial came, or those of ResolveLogin.
func DialSSH(ctx context.Context, spec *Spec, node NodeSpec) (Transport, error) {
	target, err := newSSHTarget(spec, node)
	if err != nil {
		return nil, err
	}
	t, err := dialSSH(ctx, target)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// An sshTarget is what the transport must know of a node.
type sshTarget struct {
	addr      string // host:port
	network   string // tcp, tcp4 or tcp6; empty: tcp
	bind      string // local address; empty: any
	user      string
	keys      keySource
	hosts     hostStore
	keepalive Keepalive
	timeout   time.Duration // for the whole dial, name lookup to login, without the time that a person takes
	via       *sshTarget    // the host from which the address is dialled; nil: this machine
	notes     []string      // of what may be the reason when a dial fails
}

func newSSHTarget(spec *Spec, node NodeSpec) (*sshTarget, error) {
	login, err := ResolveLogin(spec, node)
	if err != nil {
		return nil, err
	}
	var via *sshTarget
	for _, hop := range login.Jumps {
		via = hop.target(via)
	}
	return login.target(via), nil
}

// target is the login as the transport wants it.
func (l *Login) target(via *sshTarget) *sshTarget {
	agent := l.Agent
	if agent == agentVariable {
		agent = os.Getenv(agentVariable)
		if agent == "" {
			agent = noAgent
		}
	}
	t := &sshTarget{
		addr: net.JoinHostPort(l.Host, strconv.Itoa(l.Port)), network: l.Network, bind: l.BindAddress, user: l.User, via: via,
		keys: keySource{identities: l.Identities, optional: l.Usual, certificates: l.Certificates, only: l.IdentitiesOnly, agent: agent},
		hosts: hostStore{
			files: l.KnownHosts, hash: l.HashKnownHosts,
			name: strings.ToLower(net.JoinHostPort(l.Host, strconv.Itoa(l.Port))),
		},
		keepalive: l.Keepalive, timeout: l.Timeout, notes: l.Notes,
	}
	if l.HostKeyAlias != "" {
		t.hosts.name = net.JoinHostPort(l.HostKeyAlias, strconv.Itoa(defaultPort)) // known by itself, whatever the port
	}
	if l.Accept == AcceptNew {
		t.hosts.pins = l.Pins
	}
	return t
}

// knownAs is the name to look for among the known hosts, as host:port.
func (t *sshTarget) knownAs() string {
	if t.hosts.name != "" {
		return t.hosts.name
	}
	return t.addr
}

// id tells whether two targets can share a connection.
func (t *sshTarget) id() string {
	id := fmt.Sprintf("%s@%s %s %s known as %s, keys %v, hosts %v", t.user, t.addr, t.network, t.bind, knownhosts.Normalize(t.knownAs()), t.keys, t.hosts)
	if t.via != nil {
		id += " via " + t.via.id()
	}
	return id
}

// server tells which SSH server the target is.
func (t *sshTarget) server() string {
	if t.via != nil {
		return t.addr + " via " + t.via.server()
	}
	return t.addr
}

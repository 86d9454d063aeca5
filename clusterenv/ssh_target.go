package clusterenv

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os/user"
	"strconv"
	"time"
)

// DialSSH is the Dialer that reaches a node by SSH. The connection is made at once, and made anew by the next Start when it
// has died. Errors are *DialError, whose Phase tells how far the dial came.
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
	user      string
	keys      keySource
	hosts     hostStore
	keepalive keepalive
	timeout   time.Duration // for the whole dial, name lookup to login
}

// newSSHTarget puts together what the node says, what the cluster says for all nodes, and the defaults of both.
func newSSHTarget(spec *Spec, node NodeSpec) (*sshTarget, error) {
	if node.Host == "" {
		return nil, fmt.Errorf("node %s has no host to dial", node.Name)
	}
	spec = spec.clone()
	spec.fill()
	name := cmp.Or(node.User, spec.SSH.User)
	if name == "" {
		me, err := user.Current()
		if err != nil {
			return nil, err
		}
		name = me.Username
	}
	t := &sshTarget{
		addr:      net.JoinHostPort(node.Host, strconv.Itoa(cmp.Or(node.Port, spec.SSH.Port))),
		user:      name,
		keys:      keySource{identities: defaultIdentities, optional: true, agent: spec.SSH.Agent},
		hosts:     hostStore{files: []string{spec.SSH.KnownHosts}},
		keepalive: keepalive{interval: spec.SSH.Keepalive.Interval, misses: spec.SSH.Keepalive.Misses},
		timeout:   spec.SSH.Timeout,
	}
	if identity := cmp.Or(node.Identity, spec.SSH.Identity); identity != "" {
		t.keys.identities, t.keys.optional = []string{identity}, false
	}
	if spec.SSH.Accept == AcceptNew {
		t.hosts.pins = pinFile()
	}
	return t, nil
}

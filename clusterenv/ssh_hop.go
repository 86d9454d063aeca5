package clusterenv

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// hops are the connections to jump hosts of this process: one to each, however many nodes are behind it, so that the host's
// limit of unfinished logins (MaxStartups) is not met. Forwarded connections do not count against its MaxSessions.
var hops = hopPool{open: map[string]*hop{}}

type hopPool struct {
	mu   sync.Mutex
	open map[string]*hop // by target's id
}

// A hop is a connection to a jump host, with those who use it.
type hop struct {
	*sshTransport
	users int
}

// join returns the transport to a jump host, which is made if it is the first to ask. leave gives it back.
func (p *hopPool) join(target *sshTarget) *sshTransport {
	if target == nil {
		return nil
	}
	id := target.id()
	if t := p.use(id, nil); t != nil {
		return t
	}
	fresh := newSSHTransport(target) // outside of the lock, since it joins the host before it
	t := p.use(id, fresh)
	if t != fresh {
		fresh.Close() // another was faster
	}
	return t
}

// use counts one more user of a jump host; if there is none yet, fresh becomes the connection to it.
func (p *hopPool) use(id string, fresh *sshTransport) *sshTransport {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.open[id]
	switch {
	case h == nil && fresh == nil:
		return nil
	case h == nil:
		h = &hop{sshTransport: fresh}
		p.open[id] = h
	}
	h.users++
	return h.sshTransport
}

// leave closes the connection to a jump host when nobody else uses it.
func (p *hopPool) leave(target *sshTarget) {
	if target == nil {
		return
	}
	p.mu.Lock()
	h := p.open[target.id()]
	h.users--
	last := h.users == 0
	if last {
		delete(p.open, target.id())
	}
	p.mu.Unlock()
	if last {
		h.Close()
	}
}

// dialTCP connects to the target's address: from this machine, or from the jump host before it.
func (t *sshTransport) dialTCP(ctx context.Context) (net.Conn, error) {
	if t.hop == nil {
		d := net.Dialer{}
		if t.target.bind != "" {
			local, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(t.target.bind, "0"))
			if err != nil {
				return nil, fmt.Errorf("bindaddress: %w", err)
			}
			d.LocalAddr = local
		}
		network := t.target.network
		setDefault(&network, "tcp")
		return d.DialContext(ctx, network, t.target.addr)
	}
	conn, err := t.hop.connection(ctx)
	if err != nil {
		return nil, &hopError{err}
	}
	nc, err := conn.client.DialContext(ctx, "tcp", t.target.addr)
	if err != nil && conn.dead() {
		return nil, &hopError{conn.lost()}
	}
	if err != nil {
		return nil, fmt.Errorf("from jump host %s: %w", t.hop.target.addr, err)
	}
	return nc, nil
}

// A hopError says that it was not the node but the jump host before it that could not be reached.
type hopError struct{ err error }

func (e *hopError) Error() string { return "jump host " + e.err.Error() }
func (e *hopError) Unwrap() error { return e.err }

// maxStartups is how many unfinished logins this process has with one server. OpenSSH drops some at random from the tenth on.
const maxStartups = 8

// startups counts the unfinished logins with each server: server → a channel with an entry for each.
var startups sync.Map

// beginStartup waits until a login with the target's server may begin. The caller calls end when it is over.
func beginStartup(ctx context.Context, target *sshTarget) (end func(), err error) {
	slots, _ := startups.LoadOrStore(target.server(), make(chan struct{}, maxStartups))
	c := slots.(chan struct{})
	select {
	case c <- struct{}{}:
		return func() { <-c }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// maxDrops is how often a connection is tried again that the server closed before it said that it speaks SSH.
const maxDrops = 5

// pauseAfterDrop waits before the next try, longer after each, and at random: those who were dropped together do not come
// back together. It reports false, at once, when the clock leaves no time for that.
func pauseAfterDrop(ctx context.Context, clock *dialClock, drops int) bool {
	wait := 50 * time.Millisecond << drops
	wait += rand.N(wait)
	if clock.remains() < wait {
		return false
	}
	select {
	case <-time.After(wait):
		return true
	case <-ctx.Done():
		return false
	}
}

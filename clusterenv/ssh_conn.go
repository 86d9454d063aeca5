package clusterenv

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

// maxCommands is how many commands run at once on one connection; more wait. OpenSSH's default MaxSessions is 10, and one
// session is kept free for ending commands. A Daemon's Wait, Tail and WaitLine are such commands for as long as they block.
const maxCommands = 9

// An sshConn is one SSH connection.
type sshConn struct {
	client *ssh.Client
	wire   *wire
	slots  chan struct{} // one entry for each running command
	killer chan struct{} // holds one entry while a session is ending a process group
	gone   chan struct{} // closed when the connection has ended
	tasks  sync.WaitGroup

	failOnce sync.Once
	cause    error // why the connection ended; read it after gone
}

// dialConn connects, within the target's timeout.
func dialConn(ctx context.Context, target *sshTarget, phase *progress) (*sshConn, error) {
	ctx, cancel := context.WithTimeout(ctx, target.timeout)
	defer cancel()
	fail := func(err error) (*sshConn, error) {
		if cause := context.Cause(ctx); errors.Is(cause, context.DeadlineExceeded) {
			err = fmt.Errorf("gave up after %v: %w", target.timeout, cause)
		} else if cause != nil {
			err = cause
		}
		return nil, &DialError{Addr: target.addr, Phase: phase.get(), Err: err}
	}
	nc, err := new(net.Dialer).DialContext(ctx, "tcp", target.addr)
	if err != nil {
		return fail(err)
	}
	phase.set(PhaseBanner)
	w := &wire{Conn: nc, phase: phase}
	stop := context.AfterFunc(ctx, func() { nc.Close() })
	client, err := handshake(ctx, w, target)
	if !stop() || err != nil {
		nc.Close()
		return fail(err)
	}
	return newConn(client, w, target.keepalive), nil
}

func handshake(ctx context.Context, w *wire, target *sshTarget) (*ssh.Client, error) {
	hosts, err := target.hosts.load(target.addr)
	if err != nil {
		return nil, err
	}
	keys := target.keys.open(ctx)
	defer keys.close()
	config := &ssh.ClientConfig{
		User:              target.user,
		Auth:              []ssh.AuthMethod{ssh.PublicKeysCallback(keys.signers)},
		HostKeyAlgorithms: hosts.algorithms(),
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			err := hosts.check(key)
			if err == nil {
				w.phase.set(PhaseAuth)
			}
			return err
		},
	}
	conn, chans, reqs, err := ssh.NewClientConn(w, target.addr, config)
	if err != nil {
		return nil, keys.explain(err)
	}
	return ssh.NewClient(conn, chans, reqs), nil
}

func newConn(client *ssh.Client, w *wire, ka keepalive) *sshConn {
	c := &sshConn{
		client: client,
		wire:   w,
		slots:  make(chan struct{}, maxCommands),
		killer: make(chan struct{}, 1),
		gone:   make(chan struct{}),
	}
	c.tasks.Go(func() {
		err := client.Wait()
		c.fail(err)
		close(c.gone)
	})
	c.tasks.Go(func() { c.keepAlive(ka) })
	return c
}

// fail ends the connection. The first cause stays.
func (c *sshConn) fail(cause error) {
	c.failOnce.Do(func() {
		c.cause = cause
		c.wire.broken.Store(true)
		c.wire.Close()
	})
}

// dead reports whether the connection is known to have ended.
func (c *sshConn) dead() bool { return c.wire.broken.Load() }

// wait blocks until the connection has ended with all goroutines that belong to it.
func (c *sshConn) wait() { c.tasks.Wait() }

// lost is the error for a command whose fate is unknown because the connection has ended or is about to be found dead.
func (c *sshConn) lost() error {
	<-c.gone
	switch {
	case errors.Is(c.cause, ErrDisconnected):
		return c.cause
	case c.cause == nil:
		return ErrDisconnected
	}
	return fmt.Errorf("%w: %w", ErrDisconnected, c.cause)
}

// A keepalive says how often a silent node is asked for a sign of life, and how many such questions in a row may stay
// without an answer.
type keepalive struct {
	interval time.Duration
	misses   int
}

// keepAlive asks for a sign of life every interval, and ends the connection when nothing at all has come from the node
// for the given number of intervals. Without it, a node that vanished (power, cable) would be waited for without end.
func (c *sshConn) keepAlive(ka keepalive) {
	tick := time.NewTicker(ka.interval)
	defer tick.Stop()
	idle := make(chan struct{}, 1) // holds an entry when no question is on its way
	idle <- struct{}{}
	for missed := 0; ; {
		select {
		case <-c.gone:
			return
		case <-tick.C:
		}
		if c.wire.heard.Swap(false) {
			missed = 0
		} else if missed++; missed > ka.misses {
			c.fail(fmt.Errorf("%w: no reply to keepalives for %v", ErrDisconnected, time.Duration(missed-1)*ka.interval))
			return
		}
		select {
		case <-idle:
			c.tasks.Go(func() {
				c.client.SendRequest("keepalive@openssh.com", true, nil)
				idle <- struct{}{}
			})
		default:
		}
	}
}

// wire is a TCP connection that notes what is learnt from it.
type wire struct {
	net.Conn
	phase  *progress
	heard  atomic.Bool // something was received since it was last set to false
	broken atomic.Bool // reading failed, or the connection was ended from this side
}

func (w *wire) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	if n > 0 {
		w.heard.Store(true)
		w.phase.next(PhaseBanner, PhaseKex)
	}
	if err != nil {
		w.broken.Store(true)
	}
	return n, err
}

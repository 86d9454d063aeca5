package clusterenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
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

// dialConn connects, within the target's timeout. A server that has too many unfinished logins closes new connections: those are
// tried again.
func (t *sshTransport) dialConn(phase *progress) (*sshConn, error) {
	ctx, cancel, clock := newDialClock(t.base, t.target.timeout)
	defer cancel()
	for drops := 0; ; drops++ {
		client, w, err := t.connect(ctx, clock, phase)
		if err == nil {
			return newConn(client, w, t.target.keepalive), nil
		}
		if cause := context.Cause(ctx); errors.Is(cause, context.DeadlineExceeded) {
			err = fmt.Errorf("gave up after %v: %w", t.target.timeout, cause)
		} else if cause != nil {
			err = cause
		} else if w.dropped() && drops < maxDrops && pauseAfterDrop(ctx, clock, drops) {
			phase.set(PhaseTCP)
			continue
		}
		return nil, &DialError{Addr: t.target.addr, Phase: phase.get(), Err: t.remark(w.told(err), phase.get())}
	}
}

// remark adds to a failed handshake what ssh_config wanted and did not get.
func (t *sshTransport) remark(err error, phase Phase) error {
	if len(t.target.notes) == 0 || phase != PhaseKex && phase != PhaseAuth {
		return err
	}
	return fmt.Errorf("%w (%s)", err, strings.Join(t.target.notes, "; "))
}

// connect makes one attempt. The wire is nil when there was none.
func (t *sshTransport) connect(ctx context.Context, clock *dialClock, phase *progress) (*ssh.Client, *wire, error) {
	end, err := beginStartup(ctx, t.target)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	nc, err := t.dialTCP(ctx)
	if err != nil {
		return nil, nil, err
	}
	phase.set(PhaseBanner)
	w := &wire{Conn: nc, phase: phase}
	stop := context.AfterFunc(ctx, func() { nc.Close() })
	client, err := handshake(ctx, clock, w, t.target)
	if !stop() || err != nil {
		nc.Close()
		if err == nil {
			err = context.Cause(ctx)
		}
		return nil, w, err
	}
	return client, w, nil
}

func handshake(ctx context.Context, clock *dialClock, w *wire, target *sshTarget) (*ssh.Client, error) {
	hosts, err := target.hosts.load(target.knownAs())
	if err != nil {
		return nil, err
	}
	keys := target.keys.open(ctx, clock)
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

func newConn(client *ssh.Client, w *wire, ka Keepalive) *sshConn {
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

// keepAlive asks for a sign of life every interval, and ends the connection when nothing at all has come from the node
// for the given number of intervals. Without it, a node that vanished (power, cable) would be waited for without end.
func (c *sshConn) keepAlive(ka Keepalive) {
	tick := time.NewTicker(ka.Interval)
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
		} else if missed++; missed > ka.Misses {
			c.fail(fmt.Errorf("%w: no reply to keepalives for %v", ErrDisconnected, time.Duration(missed-1)*ka.Interval))
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
	mu     sync.Mutex
	hello  []byte      // the first bytes that came
	heard  atomic.Bool // something was received since it was last set to false
	broken atomic.Bool // reading failed, or the connection was ended from this side
}

// maxHello is how much is kept of what a server says first, in bytes.
const maxHello = 200

func (w *wire) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	if n > 0 {
		w.heard.Store(true)
		w.phase.next(PhaseBanner, PhaseKex)
		w.mu.Lock()
		w.hello = append(w.hello, b[:min(n, maxHello-len(w.hello))]...)
		w.mu.Unlock()
	}
	if err != nil {
		w.broken.Store(true)
	}
	return n, err
}

// greeting is what the server said first, unless it began as an SSH server (RFC 4253, section 4.2: other lines may come before).
func (w *wire) greeting() (text string, speaksSSH bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.hello), bytes.HasPrefix(w.hello, []byte("SSH-")) || bytes.Contains(w.hello, []byte("\nSSH-"))
}

// dropped reports whether the server closed the connection before it said that it speaks SSH. Newer ones say "Not allowed at this
// time" or "Exceeded MaxStartups" instead.
func (w *wire) dropped() bool {
	if w == nil || !w.broken.Load() {
		return false
	}
	_, ok := w.greeting()
	return !ok
}

// told adds to the error what a server that does not speak SSH said.
func (w *wire) told(err error) error {
	if w == nil {
		return err
	}
	text, ok := w.greeting()
	if ok || text == "" {
		return err
	}
	return fmt.Errorf("%w (it says %q)", err, clip(strings.TrimSpace(text)))
}

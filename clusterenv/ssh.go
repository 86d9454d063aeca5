package clusterenv

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
)

// errClosed is what Start returns after Close.
var errClosed = fmt.Errorf("%w: the cluster is closed", ErrDisconnected)

// dialSSH connects to the node that target describes.
func dialSSH(ctx context.Context, target *sshTarget) (*sshTransport, error) {
	t := newSSHTransport(target)
	if _, err := t.connection(ctx); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// newSSHTransport makes a transport that is not connected. It holds the connection to the jump host before the target, if there is one.
func newSSHTransport(target *sshTarget) *sshTransport {
	base, cancel := context.WithCancelCause(context.Background())
	return &sshTransport{target: target, base: base, cancel: cancel, hop: hops.join(target.via)}
}

// sshTransport is a Transport over one SSH connection, which all commands share. A connection that died is made anew by
// the next Start.
type sshTransport struct {
	target *sshTarget
	hop    *sshTransport   // to the jump host before the target; nil: none
	left   sync.Once       // hop was given back
	base   context.Context // ended by Close
	cancel context.CancelCauseFunc
	dials  sync.WaitGroup

	mu      sync.Mutex
	conn    *sshConn  // the last one made, perhaps dead; nil before the first
	dialing *dialCall // nil unless a dial is in flight
}

// A dialCall is a dial that any number of callers wait for.
type dialCall struct {
	phase progress
	done  chan struct{}
	conn  *sshConn
	err   error
}

// Start implements Transport.
func (t *sshTransport) Start(ctx context.Context, cmd Command) (func() error, error) {
	line, mark, err := commandLine(cmd.Argv)
	if err != nil {
		return nil, err
	}
	s, err := t.session(ctx)
	if err != nil {
		return nil, err
	}
	return s.start(ctx, cmd, line, mark)
}

// session opens a session. When the connection is found dead by that, the node has not heard of the command, and a new
// connection is tried, once.
func (t *sshTransport) session(ctx context.Context) (*sshSession, error) {
	for attempt := 1; ; attempt++ {
		conn, err := t.connection(ctx)
		if err != nil {
			return nil, err
		}
		s, err := conn.open(ctx)
		if err == nil || attempt == 2 || !errors.Is(err, ErrDisconnected) || ctx.Err() != nil {
			return s, err
		}
	}
}

// connection returns the live connection, or waits for a new one. Concurrent callers share one dial, which no caller's
// ctx ends: it is bounded by the target's timeout and by Close.
func (t *sshTransport) connection(ctx context.Context) (*sshConn, error) {
	t.mu.Lock()
	if t.base.Err() != nil {
		t.mu.Unlock()
		return nil, errClosed
	}
	if t.conn != nil && !t.conn.dead() {
		defer t.mu.Unlock()
		return t.conn, nil
	}
	call := t.dialing
	if call == nil {
		call = &dialCall{done: make(chan struct{})}
		t.dialing = call
		t.dials.Go(func() { t.dial(call) })
	}
	t.mu.Unlock()

	select {
	case <-call.done:
		return call.conn, call.err
	case <-ctx.Done():
		return nil, &DialError{Addr: t.target.addr, Phase: call.phase.get(), Err: context.Cause(ctx)}
	}
}

func (t *sshTransport) dial(call *dialCall) {
	call.conn, call.err = t.dialConn(&call.phase)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dialing = nil
	t.conn = call.conn
	if call.conn != nil && t.base.Err() != nil {
		call.conn.fail(errClosed)
		t.conn, call.conn, call.err = nil, nil, errClosed
	}
	close(call.done)
}

// Close implements Transport.
func (t *sshTransport) Close() error {
	t.cancel(errClosed)
	t.dials.Wait()
	t.mu.Lock()
	conn := t.conn
	t.conn = nil
	t.mu.Unlock()
	if conn != nil {
		conn.fail(errClosed)
		conn.wait()
	}
	t.left.Do(func() { hops.leave(t.target.via) })
	return nil
}

// Phase says how far the making of a connection came.
type Phase string

// The phases of a dial, in order. A node that is down or filtered fails in PhaseTCP. PhaseBanner, with TCP connected and
// then silence, is the mark of a proxy or VPN that answers for the node, or of a server that hangs.
const (
	PhaseTCP    Phase = "tcp"    // connecting
	PhaseBanner Phase = "banner" // connected; the server has not said that it speaks SSH
	PhaseKex    Phase = "kex"    // exchanging keys and checking the host key
	PhaseAuth   Phase = "auth"   // proving to the server who we are
)

func (p Phase) doing() string {
	switch p {
	case PhaseTCP:
		return "connecting"
	case PhaseBanner:
		return "connected, waiting for the SSH banner"
	case PhaseKex:
		return "exchanging keys"
	}
	return "authenticating"
}

// progress is the phase of a dial under way.
type progress struct{ v atomic.Value }

func (p *progress) set(phase Phase) { p.v.Store(phase) }

func (p *progress) get() Phase {
	phase, ok := p.v.Load().(Phase)
	if !ok {
		return PhaseTCP
	}
	return phase
}

// next goes on to a phase if the dial is in the one before it.
func (p *progress) next(from, to Phase) { p.v.CompareAndSwap(from, to) }

// A DialError says why there is no connection to a node. It is compatible with errors.Is(err, ErrDisconnected).
type DialError struct {
	Addr  string // host:port
	Phase Phase  // the step that failed
	Err   error
}

// Error reads "10.0.0.1:22: tcp: connecting: i/o timeout".
func (e *DialError) Error() string {
	return fmt.Sprintf("%s: %s: %s: %v", e.Addr, e.Phase, e.Phase.doing(), e.Err)
}

func (e *DialError) Unwrap() []error { return []error{ErrDisconnected, e.Err} }

// Timeout reports whether the time for the dial ran out.
func (e *DialError) Timeout() bool {
	var ne net.Error
	return errors.Is(e.Err, context.DeadlineExceeded) || errors.As(e.Err, &ne) && ne.Timeout()
}

package clusterenv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

const (
	// killGrace is the time between TERM and KILL for a command whose context ended.
	killGrace = 2 * time.Second
	// killPatience is how long wait stays with a command that is being ended, before it leaves it to the node.
	killPatience = killGrace + time.Second
	// refusedPause is the time to the next attempt after the server refused a session: it counts a session until it has
	// collected the process, a moment longer than this side does, or its MaxSessions is smaller than OpenSSH's default.
	refusedPause = 50 * time.Millisecond
)

// An sshSession is one command on a connection.
type sshSession struct {
	conn    *sshConn
	ch      ssh.Channel
	reqs    <-chan *ssh.Request
	release func() // gives the slot back

	exit     *ExitError // what the server told about the end; nil if nothing
	closed   chan struct{}
	finished chan struct{}
	err      error // the outcome; read it after finished
}

// open waits for a free slot and opens a session. An error compatible with ErrDisconnected means that no command was sent.
func (c *sshConn) open(ctx context.Context) (*sshSession, error) {
	select {
	case c.slots <- struct{}{}:
	case <-c.gone:
		return nil, c.lost()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return c.openRetrying(ctx, math.MaxInt, func() { <-c.slots })
}

// openRetrying opens a session; when the server refuses it tries again, up to so many refusals. The slot is released when it
// returns an error.
func (c *sshConn) openRetrying(ctx context.Context, refusals int, release func()) (*sshSession, error) {
	for {
		s, err := c.openSession(ctx, release)
		var refused *ssh.OpenChannelError
		if !errors.As(err, &refused) {
			return s, err
		}
		if refusals--; refusals == 0 {
			release()
			return nil, refused
		}
		select {
		case <-time.After(refusedPause):
		case <-c.gone:
			release()
			return nil, c.lost()
		case <-ctx.Done():
			release()
			return nil, fmt.Errorf("%w (%w)", context.Cause(ctx), refused)
		}
	}
}

// openSession opens a session on the server. The slot is released unless it returns a session or *ssh.OpenChannelError.
func (c *sshConn) openSession(ctx context.Context, release func()) (*sshSession, error) {
	type opened struct {
		s   *sshSession
		err error
	}
	result := make(chan opened)
	abandoned := make(chan struct{})
	go func() {
		ch, reqs, err := c.client.OpenChannel("session", nil)
		s := &sshSession{conn: c, ch: ch, reqs: reqs, release: release, closed: make(chan struct{}), finished: make(chan struct{})}
		select {
		case result <- opened{s, err}:
		case <-abandoned:
			if err == nil {
				ch.Close()
				ssh.DiscardRequests(reqs)
			}
			release()
		}
	}()
	select {
	case r := <-result:
		return c.checkOpened(r.s, r.err, release)
	case <-ctx.Done():
		close(abandoned)
		return nil, context.Cause(ctx)
	}
}

func (c *sshConn) checkOpened(s *sshSession, err error, release func()) (*sshSession, error) {
	var refused *ssh.OpenChannelError
	switch {
	case err == nil:
		return s, nil
	case errors.As(err, &refused) && !c.dead():
		return nil, err
	}
	release()
	c.fail(err)
	return nil, c.lost()
}

// errOver is the cause of a command's context once nothing is left to be cancelled.
var errOver = errors.New("the command is over")

// start sends the command line and returns once the server has accepted it.
func (s *sshSession) start(ctx context.Context, cmd Command, line string, m *mark) (func() error, error) {
	parent := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	in := &input{r: cmd.Stdin}
	s.carry(cmd, m, in, cancel)
	accepted := make(chan error, 1)
	go func() {
		err := s.exec(line)
		accepted <- err
		if err == nil { // not sooner: sshd loses an end of input that comes before the command
			in.copy(s.ch, cancel)
		}
	}()
	go s.supervise(parent, ctx, cancel, m)
	select {
	case err := <-accepted:
		if err != nil {
			cancel(err)
			return nil, err
		}
	case <-ctx.Done():
		if cause := context.Cause(ctx); cause != errOver {
			return nil, cause // supervise ends the command, if it has begun
		}
		if err := <-accepted; err != nil {
			return nil, err
		}
	}
	return func() error { <-s.finished; return s.err }, nil
}

func (s *sshSession) exec(line string) error {
	ok, err := s.ch.SendRequest("exec", true, ssh.Marshal(struct{ Command string }{line}))
	switch {
	case err != nil && s.conn.dead():
		return s.conn.lost()
	case err != nil:
		return fmt.Errorf("%w: %w", ErrDisconnected, err)
	case !ok:
		s.ch.Close()
		return errors.New("the server refused to run a command")
	}
	return nil
}

// carry starts the goroutines that take output and the news of the end. The channel s.closed is closed when all
// output has been written and the session is over. A failing writer or reader ends the command through cancel.
func (s *sshSession) carry(cmd Command, m *mark, in *input, cancel context.CancelCauseFunc) {
	var over sync.WaitGroup
	output := func(w io.Writer, r io.Reader, copy func(io.Writer, io.Reader) error) {
		if w == nil {
			w = io.Discard
		}
		over.Go(func() {
			if err := copy(w, r); err != nil {
				cancel(err)
				io.Copy(io.Discard, r) // a session is over only when its output has been taken
			}
		})
	}
	output(cmd.Stdout, s.ch, copyAll)
	output(cmd.Stderr, s.ch.Stderr(), m.copyStderr)
	over.Go(s.listen)
	go func() {
		over.Wait()
		in.stop.Store(true)
		s.release()
		close(s.closed)
	}()
}

// listen takes the server's requests until the session is over, and keeps what they tell about the command's end
// (RFC 4254, section 6.10).
func (s *sshSession) listen() {
	for req := range s.reqs {
		switch req.Type {
		case "exit-status":
			var m struct{ Status uint32 }
			if ssh.Unmarshal(req.Payload, &m) == nil {
				s.exit = &ExitError{Status: int(m.Status)}
			}
		case "exit-signal":
			var m struct {
				Signal  string
				Core    bool
				Message string
				Lang    string
			}
			if ssh.Unmarshal(req.Payload, &m) == nil {
				s.exit = &ExitError{Signal: m.Signal}
			}
		}
		if req.WantReply {
			req.Reply(false, nil)
		}
	}
}

// supervise waits for the end of the command or of ctx, whichever is first, and sets the outcome. ctx is a child of
// parent that a failing reader or writer ends as well.
func (s *sshSession) supervise(parent, ctx context.Context, cancel context.CancelCauseFunc, m *mark) {
	defer cancel(errOver)
	defer close(s.finished)
	select {
	case <-s.closed:
		s.err = s.outcome()
		if cause := context.Cause(ctx); cause != nil && parent.Err() == nil {
			s.err = cause
		}
	case <-ctx.Done():
		s.err = context.Cause(ctx)
		s.terminate(m)
	}
}

// outcome is how the command ended, by what the server said.
func (s *sshSession) outcome() error {
	switch {
	case s.conn.dead(): // an end may have been reported, but not all output may have come
		return s.conn.lost()
	case s.exit == nil:
		return fmt.Errorf("%w: the session ended without an exit status", ErrDisconnected)
	case s.exit.Status == 0 && s.exit.Signal == "":
		return nil
	}
	return s.exit
}

func copyAll(w io.Writer, r io.Reader) error {
	_, err := io.Copy(w, r)
	return err
}

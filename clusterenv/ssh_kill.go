package clusterenv

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

// terminate ends the command's process group on the node, and returns when the session is over or killPatience has passed.
func (s *sshSession) terminate(m *mark) {
	patience := time.NewTimer(killPatience)
	defer patience.Stop()
	select {
	case <-m.seen:
		go s.killGroup(m)
	case <-s.closed:
		return
	case <-s.conn.gone:
	case <-patience.C:
	}
	select {
	case <-s.closed:
	case <-s.conn.gone:
	case <-patience.C:
	}
	go s.ch.Close() // may block on a connection that is not yet known to be dead
}

// killGroup ends the process group through another session. Where the server opens none (its MaxSessions is less than
// OpenSSH's default, and all are taken), signal requests do it, which OpenSSH takes since 7.9.
func (s *sshSession) killGroup(m *mark) {
	if m.group > 1 && s.conn.kill(m.group, m.start) == nil {
		return
	}
	s.signal("TERM")
	select {
	case <-s.closed:
	case <-time.After(killGrace):
		s.signal("KILL")
	}
}

// signal asks the server for a signal to the process group (RFC 4254, section 6.9).
func (s *sshSession) signal(name string) {
	s.ch.SendRequest("signal", false, ssh.Marshal(struct{ Signal string }{name}))
}

// killRefusals is how often the server may refuse the session that is to end a command.
const killRefusals = 5

// kill ends a process group through a session of its own, which does not count against maxCommands.
func (c *sshConn) kill(group int, start string) error {
	select {
	case c.killer <- struct{}{}:
	case <-c.gone:
		return c.lost()
	}
	release := func() { <-c.killer }
	tenths := strconv.Itoa(int(killGrace / (100 * time.Millisecond)))
	line, m, err := commandLine([]string{"sh", "-c", killGroup, "sh", strconv.Itoa(group), start, tenths})
	if err != nil {
		release()
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), killPatience)
	defer cancel()
	s, err := c.openRetrying(ctx, killRefusals, release)
	if err != nil {
		return err
	}
	wait, err := s.start(context.Background(), Command{}, line, m)
	if err != nil {
		return err
	}
	return wait()
}

// An input carries a command's stdin.
type input struct {
	r    io.Reader // nil is empty
	stop atomic.Bool
	err  error // what reading failed with
}

// Read reads no more once the command has ended; a Read that is under way then is not waited for.
func (in *input) Read(b []byte) (int, error) {
	if in.r == nil || in.stop.Load() {
		return 0, io.EOF
	}
	n, err := in.r.Read(b)
	if err != nil && err != io.EOF {
		in.err = err
	}
	return n, err
}

// copy sends the input to the command. When reading fails the command is ended through fail, without an end of input that
// it could take for the real one. That a command takes no more input is no error.
func (in *input) copy(ch ssh.Channel, fail context.CancelCauseFunc) {
	io.Copy(ch, in)
	if in.err != nil {
		fail(fmt.Errorf("reading its input: %w", in.err))
		return
	}
	ch.CloseWrite()
}

package sshtest

import (
	"errors"
	"net"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// accept takes connections until the listener is closed. It is the only way in: whatever is to happen to a connection
// before or beneath SSH belongs here.
func (s *Server) accept() {
	for {
		nc, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as too many open files: it may pass
			time.Sleep(5 * time.Millisecond)
			continue
		}
		if !s.admit(nc) {
			nc.Close()
			return
		}
		s.wg.Go(func() {
			defer s.forget(nc)
			s.serve(nc)
		})
	}
}

// admit puts a connection among those that Close will break; it is false when the server is closed already.
func (s *Server) admit(nc net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.conns[nc] = struct{}{}
	}
	return !s.closed
}

func (s *Server) forget(nc net.Conn) {
	nc.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, nc)
}

// serve speaks SSH on one connection until it ends. Commands may outlive it.
func (s *Server) serve(nc net.Conn) {
	conn, channels, requests, err := ssh.NewServerConn(nc, s.config)
	if err != nil {
		return // the client has been told as much as sshd would tell it
	}
	s.wg.Go(func() { answerGlobal(requests) })

	slots := slots{free: s.opts.MaxSessions}
	for nch := range channels {
		switch {
		case nch.ChannelType() != "session":
			nch.Reject(ssh.UnknownChannelType, "unsupported channel type")
		case !slots.take():
			nch.Reject(ssh.ConnectionFailed, "open failed") // sshd's words at MaxSessions
		default:
			ch, reqs, err := nch.Accept()
			if err != nil {
				slots.give()
				continue
			}
			s.wg.Go(func() {
				defer slots.give()
				newSession(s, conn, ch).serve(reqs)
			})
		}
	}
	conn.Wait()
}

// answerGlobal answers requests that concern the connection. An unknown request is answered "failure"; for
// keepalive@openssh.com that is sshd's answer, too.
func answerGlobal(requests <-chan *ssh.Request) {
	for req := range requests {
		if req.WantReply {
			req.Reply(false, nil)
		}
	}
}

// slots counts the sessions that one connection may still open.
type slots struct {
	mu   sync.Mutex
	free int
}

func (s *slots) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free <= 0 {
		return false
	}
	s.free--
	return true
}

func (s *slots) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
}

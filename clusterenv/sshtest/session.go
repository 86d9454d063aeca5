package sshtest

import (
	"net"
	"os/exec"
	"syscall"

	"golang.org/x/crypto/ssh"
)

// A session is one channel of a connection and the command that runs on it.
type session struct {
	server *Server
	conn   ssh.ConnMetadata
	ch     ssh.Channel
	proc   *process // nil until a command or shell is started
}

func newSession(s *Server, conn ssh.ConnMetadata, ch ssh.Channel) *session {
	return &session{server: s, conn: conn, ch: ch}
}

// serve answers the channel's requests until the client closes the channel or the connection ends, and returns when the
// command has ended as well: like sshd's, the session is taken until then.
func (s *session) serve(reqs <-chan *ssh.Request) {
	defer s.ch.Close()
	var ended chan struct{}
	for req := range reqs {
		idle := s.proc == nil
		ok := s.handle(req)
		if req.WantReply {
			req.Reply(ok, nil)
		}
		if idle && s.proc != nil { // after the reply, so that it comes before the command's output and end
			ended = make(chan struct{})
			s.server.wg.Go(func() { s.proc.feed(s.ch) })
			s.server.wg.Go(func() {
				defer close(ended)
				s.proc.attend(s.ch)
				s.server.untrack(s.proc)
			})
		}
	}
	if s.proc != nil {
		s.proc.hangup()
		<-ended
	}
}

// handle does what one request asks for and says whether it did.
func (s *session) handle(req *ssh.Request) bool {
	switch req.Type {
	case "exec":
		var msg struct{ Command string }
		if ssh.Unmarshal(req.Payload, &msg) != nil {
			return false
		}
		return s.start("sh", "-c", msg.Command)
	case "shell":
		return s.start("-sh")
	case "signal":
		var msg struct{ Name string }
		if ssh.Unmarshal(req.Payload, &msg) != nil || s.proc == nil {
			return false
		}
		return s.proc.signal(msg.Name)
	}
	return false
}

// start runs /bin/sh with argv. A session runs one command only.
func (s *session) start(argv ...string) bool {
	if s.proc != nil {
		return false
	}
	cmd := &exec.Cmd{
		Path:        "/bin/sh",
		Args:        argv,
		Dir:         s.server.opts.Dir,
		Env:         s.env(),
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	s.proc = s.server.spawn(cmd)
	return s.proc != nil
}

// env is the environment of a command: what sshd sets, and nothing of this process's.
func (s *session) env() []string {
	o := &s.server.opts
	clientHost, clientPort, _ := net.SplitHostPort(s.conn.RemoteAddr().String())
	serverHost, serverPort, _ := net.SplitHostPort(s.conn.LocalAddr().String())
	env := []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=" + o.Dir,
		"USER=" + o.User,
		"LOGNAME=" + o.User,
		"SHELL=/bin/sh",
		"SSH_CLIENT=" + clientHost + " " + clientPort + " " + serverPort,
		"SSH_CONNECTION=" + clientHost + " " + clientPort + " " + serverHost + " " + serverPort,
	}
	return append(env, o.Env...)
}

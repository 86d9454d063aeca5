package sshtest

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/crypto/ssh"
)

// A process is a command with the server's ends of its three pipes. It leads its own process group.
type process struct {
	cmd            *exec.Cmd
	stdin          *os.File
	stdout, stderr *os.File

	mu     sync.Mutex
	exited bool // its pid may belong to another by now
}

// spawn starts cmd, unless the server is closed. It returns nil when there is no process.
func (s *Server) spawn(cmd *exec.Cmd) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	p := startProcess(cmd)
	if p != nil {
		s.procs[p] = struct{}{}
	}
	return p
}

func (s *Server) untrack(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.procs, p)
}

func startProcess(cmd *exec.Cmd) *process {
	p := &process{cmd: cmd}
	var files []*os.File
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err == nil {
			files = append(files, r, w)
		}
		return r, w
	}
	var in, out, errs *os.File // the command's ends
	in, p.stdin = pipe()
	p.stdout, out = pipe()
	p.stderr, errs = pipe()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	if len(files) < 6 || cmd.Start() != nil {
		for _, f := range files {
			f.Close()
		}
		return nil
	}
	in.Close()
	out.Close()
	errs.Close()
	return p
}

// attend carries the command's output to its channel, reports the command's end, and closes the channel once the output
// is at its end.
func (p *process) attend(ch ssh.Channel) {
	var outputs sync.WaitGroup
	outputs.Go(func() { drain(ch, p.stdout) })
	outputs.Go(func() { drain(ch.Stderr(), p.stderr) })

	p.cmd.Wait() // the pipes are files, so this waits for the command and for no one else
	p.mu.Lock()
	p.exited = true
	p.mu.Unlock()
	p.stdin.Close()
	reportEnd(ch, p.cmd.ProcessState.Sys().(syscall.WaitStatus))

	outputs.Wait()
	ch.CloseWrite()
	ch.Close()
}

// feed carries the client's data to the command until either is at its end; the client may close its side long after the
// command has ended.
func (p *process) feed(ch ssh.Channel) {
	io.Copy(p.stdin, ch)
	p.stdin.Close()
}

// drain carries the command's output to the client. When the client takes no more, the pipe breaks.
func drain(ch io.Writer, output *os.File) {
	io.Copy(ch, output)
	output.Close()
}

// hangup closes the pipes: the channel is gone.
func (p *process) hangup() {
	p.stdin.Close()
	p.stdout.Close()
	p.stderr.Close()
}

// signal sends the signal called name (without SIG) to the process group.
func (p *process) signal(name string) bool {
	sig, ok := signals[name]
	return ok && p.killGroup(sig)
}

func (p *process) kill() { p.killGroup(syscall.SIGKILL) }

func (p *process) killGroup(sig syscall.Signal) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.exited && syscall.Kill(-p.cmd.Process.Pid, sig) == nil
}

// reportEnd tells the client how the command ended (RFC 4254, 6.10).
func reportEnd(ch ssh.Channel, status syscall.WaitStatus) {
	if !status.Signaled() {
		ch.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{uint32(status.ExitStatus())}))
		return
	}
	ch.SendRequest("exit-signal", false, ssh.Marshal(struct {
		Name     string
		Core     bool
		Message  string
		Language string
	}{Name: signalName(status.Signal()), Core: status.CoreDump()}))
}

// signals are the names of RFC 4254, 6.10.
var signals = map[string]syscall.Signal{
	"ABRT": syscall.SIGABRT,
	"ALRM": syscall.SIGALRM,
	"FPE":  syscall.SIGFPE,
	"HUP":  syscall.SIGHUP,
	"ILL":  syscall.SIGILL,
	"INT":  syscall.SIGINT,
	"KILL": syscall.SIGKILL,
	"PIPE": syscall.SIGPIPE,
	"QUIT": syscall.SIGQUIT,
	"SEGV": syscall.SIGSEGV,
	"TERM": syscall.SIGTERM,
	"USR1": syscall.SIGUSR1,
	"USR2": syscall.SIGUSR2,
}

// signalName is the name that sshd sends for sig: one of RFC 4254, or its word for all others.
func signalName(sig syscall.Signal) string {
	for name, s := range signals {
		if s == sig {
			return name
		}
	}
	return "SIG@openssh.com"
}

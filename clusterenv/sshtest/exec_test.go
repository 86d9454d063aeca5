package sshtest_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/gotestbed/gotestbed/clusterenv/sshtest"
)

func TestExec(t *testing.T) { onBoth(t, testExec) }

func testExec(t *testing.T, h host) {
	c := h.dial(t)
	for _, tt := range []struct {
		command, stdin string
		stdout, stderr string
		status         int
		signal         string
	}{
		{command: "echo out; echo err >&2", stdout: "out\n", stderr: "err\n"},
		{command: "exit 7", status: 7},
		{command: "exit 255", status: 255},
		{command: "no-such-program 2>/dev/null", status: 127},
		{command: "cat", stdin: "a\x00b\n", stdout: "a\x00b\n"},
		{command: "exec cat >&2", stdin: "x", stderr: "x"},
		{command: `echo "it's" '$HOME' \*`, stdout: "it's $HOME *\n"},
		{command: "kill -KILL $$", signal: "KILL"},
		{command: "kill -USR2 $$", signal: "USR2"},
		{command: "echo last; exit 3", stdout: "last\n", status: 3},
	} {
		t.Run(tt.command, func(t *testing.T) {
			sess := session(t, c)
			var stdout, stderr bytes.Buffer
			sess.Stdin, sess.Stdout, sess.Stderr = strings.NewReader(tt.stdin), &stdout, &stderr
			err := sess.Run(tt.command)
			var exit *ssh.ExitError
			if tt.status == 0 && tt.signal == "" {
				require.NoError(t, err)
			} else {
				require.ErrorAs(t, err, &exit)
				require.Equal(t, tt.signal, exit.Signal())
				if tt.signal == "" {
					require.Equal(t, tt.status, exit.ExitStatus())
				}
			}
			require.Equal(t, tt.stdout, stdout.String())
			require.Equal(t, tt.stderr, stderr.String())
		})
	}
}

// The environment is made from nothing, as sshd makes it: what this process has in its own must not arrive.
func TestEnvironment(t *testing.T) {
	t.Setenv("SSHTEST_LEAK", "yes")
	s, c := node(t, sshtest.Options{User: "alice", Env: []string{"EXTRA=1"}})
	out, err := session(t, c).Output("env")
	require.NoError(t, err)
	var names []string
	values := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), "=")
		if k == "PWD" || k == "_" || k == "SHLVL" || k == "OLDPWD" { // the shell's own
			continue
		}
		names, values[k] = append(names, k), v
	}
	sort.Strings(names)
	want := []string{"EXTRA", "HOME", "LOGNAME", "PATH", "SHELL", "SSH_CLIENT", "SSH_CONNECTION", "USER"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	require.Equal(t, s.Dir(), values["HOME"])
	require.Equal(t, "alice", values["USER"])
	require.Equal(t, strings.ReplaceAll(s.Addr(), ":", " "), strings.Join(strings.Fields(values["SSH_CONNECTION"])[2:], " "))
}

func TestStartDirectory(t *testing.T) {
	s, c := node(t, sshtest.Options{})
	out, err := session(t, c).Output("pwd -P")
	require.NoError(t, err)
	dir, err := filepath.EvalSymlinks(s.Dir())
	require.NoError(t, err)
	require.Equal(t, dir+"\n", string(out))
}

func TestShell(t *testing.T) {
	_, c := node(t, sshtest.Options{})
	sess := session(t, c)
	var out bytes.Buffer
	sess.Stdin, sess.Stdout = strings.NewReader("x=4\necho $((x+1)) $0\nexit 9\n"), &out
	require.NoError(t, sess.Shell())
	var exit *ssh.ExitError
	require.ErrorAs(t, sess.Wait(), &exit)
	require.Equal(t, 9, exit.ExitStatus())
	require.Equal(t, "5 -sh\n", out.String())
}

func TestSignalGoesToTheProcessGroup(t *testing.T) { onBoth(t, testSignalGoesToTheProcessGroup) }

func testSignalGoesToTheProcessGroup(t *testing.T, h host) {
	sess := session(t, h.dial(t))
	out, err := sess.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, sess.Start("sh -c 'echo $$; exec sleep 600'; echo not reached"))
	child := readPID(t, out)
	defer syscall.Kill(child, syscall.SIGKILL)
	require.False(t, request(t, sess, "signal", ssh.Marshal(struct{ Name string }{"NOSUCH"})))
	delivered := request(t, sess, "signal", ssh.Marshal(struct{ Name string }{"TERM"}))
	if h.openssh && os.Getuid() == 0 { // "session signalling requires privilege separation", which root has none of
		require.False(t, delivered, "doc.go says otherwise")
		return
	}
	require.True(t, delivered)
	var exit *ssh.ExitError
	require.ErrorAs(t, sess.Wait(), &exit)
	require.Equal(t, "TERM", exit.Signal())
	requireGone(t, child)
}

func TestRefusals(t *testing.T) { onBoth(t, testRefusals) }

func testRefusals(t *testing.T, h host) {
	c := h.dial(t)
	sess := session(t, c)
	require.Error(t, sess.Setenv("A", "b"))
	require.Error(t, sess.RequestPty("xterm", 24, 80, nil))
	require.Error(t, sess.RequestSubsystem("sftp"))
	require.False(t, request(t, sess, "signal", ssh.Marshal(struct{ Name string }{"TERM"})), "nothing runs yet")
	require.NoError(t, sess.Start("cat"))
	require.False(t, request(t, sess, "exec", ssh.Marshal(struct{ Command string }{"true"})), "one command a session")

	_, err := c.Dial("tcp", "127.0.0.1:22")
	var refused *ssh.OpenChannelError
	require.ErrorAs(t, err, &refused)
}

func TestKeepaliveIsAnswered(t *testing.T) { onBoth(t, testKeepaliveIsAnswered) }

func testKeepaliveIsAnswered(t *testing.T, h host) {
	c := h.dial(t)
	ok, _, err := c.SendRequest("keepalive@openssh.com", true, nil)
	require.NoError(t, err)
	require.False(t, ok, "sshd answers that it does not know the request")
}

func TestMaxSessions(t *testing.T) { onBoth(t, testMaxSessions) }

func testMaxSessions(t *testing.T, h host) {
	c := h.dial(t)
	var first *ssh.Session
	for i := range 10 {
		sess := session(t, c)
		in, err := sess.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, sess.Start("cat"))
		if i == 0 {
			first = sess
			defer in.Close()
		}
	}
	_, err := c.NewSession()
	var refused *ssh.OpenChannelError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, ssh.ConnectionFailed, refused.Reason)
	require.Equal(t, "open failed", refused.Message)

	require.NoError(t, first.Close()) // cat ends at the end of its input, then its place is free
	require.Eventually(t, func() bool {
		sess, err := c.NewSession()
		return err == nil && sess.Close() == nil
	}, 10*time.Second, time.Millisecond)
}

// A process left behind holds the channel as long as it holds the output, and not longer than that.
func TestBackgroundProcess(t *testing.T) { onBoth(t, testBackgroundProcess) }

func testBackgroundProcess(t *testing.T, h host) {
	c := h.dial(t)
	t.Run("with its own output", func(t *testing.T) {
		out, err := session(t, c).Output("sleep 600 >/dev/null 2>&1 & echo $!")
		require.NoError(t, err)
		pid := readPID(t, bytes.NewReader(out))
		require.NoError(t, syscall.Kill(pid, 0), "it must still run")
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	})
	t.Run("with the channel's", func(t *testing.T) {
		sess := session(t, c)
		out, err := sess.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, sess.Start("cd "+h.dir+"; mkfifo go; (read x < go; echo late) & echo now; exit 5"))
		r := bufio.NewReader(out)
		line, err := r.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "now\n", line)
		require.NoError(t, session(t, c).Run("echo > "+h.dir+"/go"))
		rest, err := io.ReadAll(r)
		require.NoError(t, err)
		require.Equal(t, "late\n", string(rest))
		var exit *ssh.ExitError
		require.ErrorAs(t, sess.Wait(), &exit)
		require.Equal(t, 5, exit.ExitStatus())
	})
}

// When nobody reads, the writer stops: only the pipe and the channel's window fill up.
func TestBackpressure(t *testing.T) { onBoth(t, testBackpressure) }

func testBackpressure(t *testing.T, h host) {
	c := h.dial(t)
	sess := session(t, c)
	out, err := sess.StdoutPipe()
	require.NoError(t, err)
	const size = 64 << 20
	require.NoError(t, sess.Start("head -c "+strconv.Itoa(size)+" /dev/zero; echo > "+h.dir+"/done"))
	done := filepath.Join(h.dir, "done")
	n, err := io.CopyN(io.Discard, out, 1<<20)
	require.NoError(t, err)
	_, err = os.Stat(done)
	require.ErrorIs(t, err, os.ErrNotExist, "the writer must not be done before the reader")
	rest, err := io.Copy(io.Discard, out)
	require.NoError(t, err)
	require.EqualValues(t, size, n+rest)
	require.NoError(t, sess.Wait())
	require.FileExists(t, done)
}

// When the client goes, its commands are not killed: they meet the end of their input and a broken output.
func TestDisconnect(t *testing.T) { onBoth(t, testDisconnect) }

func testDisconnect(t *testing.T, h host) {
	for _, tt := range []struct {
		name, command string
	}{
		{"input ends", "echo $$; cat >/dev/null; trap '' PIPE; echo eof > end"},
		{"output breaks", "echo $$; yes; echo broken > end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, end := h.dial(t), filepath.Join(h.dir, "end")
			require.NoError(t, os.RemoveAll(end))
			sess := session(t, c)
			in, err := sess.StdinPipe()
			require.NoError(t, err)
			defer in.Close()
			out, err := sess.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, sess.Start("cd "+h.dir+"; "+tt.command))
			pid := readPID(t, out)
			require.NoError(t, c.Close())
			requireGone(t, pid)
			require.FileExists(t, end)
		})
	}
}

// Close kills what runs on a session; a daemon, which has a session of its own, is none of its business.
func TestCloseSparesDaemons(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("this system has no setsid program")
	}
	s, c := node(t, sshtest.Options{})
	daemon := session(t, c)
	out, err := daemon.Output("setsid sh -c 'echo $$; exec sleep 600 >/dev/null 2>&1 </dev/null' &")
	require.NoError(t, err)
	daemonPID := readPID(t, bytes.NewReader(out))
	defer syscall.Kill(daemonPID, syscall.SIGKILL)

	command := session(t, c)
	pipe, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start("trap '' HUP TERM INT PIPE; echo $$; while :; do sleep 600; done"))
	commandPID := readPID(t, pipe)

	require.NoError(t, s.Close())
	requireGone(t, commandPID)
	require.NoError(t, syscall.Kill(daemonPID, 0), "the daemon must still run")
}

func readPID(t *testing.T, r io.Reader) int {
	t.Helper()
	line, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	return pid
}

func requireGone(t *testing.T, pid int) {
	t.Helper()
	gone := func() bool {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err == nil && bytes.Contains(stat, []byte(") Z ")) // nobody has reaped it yet, as in a container without an init
	}
	require.Eventually(t, gone, 10*time.Second, 5*time.Millisecond, "process %d is still there", pid)
}

// request sends a raw request on a session's channel and returns the answer.
func request(t *testing.T, sess *ssh.Session, name string, payload []byte) bool {
	t.Helper()
	ok, err := sess.SendRequest(name, true, payload)
	require.NoError(t, err)
	return ok
}

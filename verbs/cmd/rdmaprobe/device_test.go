//go:build ibverbs

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/verbs"
	"github.com/gotestbed/gotestbed/verbs/probe"
	"github.com/gotestbed/gotestbed/verbs/rc"
)

var (
	device   = flag.String("device", "", "RDMA device to test with (default: the first; without one, these tests are skipped)")
	gidIndex = flag.String("gid-index", "3", "GID index of the device to test with")
)

var testToken = strings.Repeat("5e", 32)

// deviceFlags are the flags of the device to test with.
func deviceFlags(t *testing.T) []string {
	t.Helper()
	name := *device
	if name == "" {
		names, err := rc.Devices()
		require.NoError(t, err)
		if len(names) == 0 {
			t.Skip("this machine has no RDMA device; fixtures/rxe runs these tests on a guest that has one")
		}
		name = names[0]
	}
	return []string{"-device", name, "-gid-index", *gidIndex, "-timeout", "3s"}
}

// A testServer is rdmaprobe serve or ssd-serve in this process.
type testServer struct {
	flags []string
	addr  string
	lines *bufio.Scanner
}

// startServer is rdmaprobe serve.
func startServer(t *testing.T, args ...string) *testServer {
	t.Helper()
	s, line := listening(t, append([]string{"serve"}, args...)...)
	l, err := probe.ParseListening(line)
	require.NoError(t, err)
	s.addr = l.Listening.String()
	return s
}

// listening runs a command that listens, until the test ends, and returns its first line.
func listening(t *testing.T, command ...string) (*testServer, []byte) {
	t.Helper()
	s := &testServer{flags: deviceFlags(t)}
	in, hold := io.Pipe()
	out, lines := io.Pipe()
	s.lines = bufio.NewScanner(out)
	ended := make(chan int, 1)
	go func() {
		ended <- run(context.Background(), slices.Concat(command, []string{"-listen", "127.0.0.1:0"}, s.flags), newStdio(in, lines, os.Stderr))
		lines.Close()
	}()
	_, err := io.WriteString(hold, testToken+"\n")
	require.NoError(t, err)
	require.True(t, s.lines.Scan())
	t.Cleanup(func() {
		hold.Close()
		go io.Copy(io.Discard, out)
		require.Equal(t, 0, <-ended)
	})
	return s, s.lines.Bytes()
}

// ended is how the server says that its peer ended.
func (s *testServer) ended(t *testing.T) probe.Served {
	t.Helper()
	require.True(t, s.lines.Scan())
	var end probe.Served
	require.NoError(t, json.Unmarshal(s.lines.Bytes(), &end), "%s", s.lines.Bytes())
	return end
}

// client runs a command against the server.
func (s *testServer) client(t *testing.T, token, command string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	argv := append([]string{command, "-peer", s.addr}, s.flags...)
	code = run(t.Context(), append(argv, args...), newStdio(strings.NewReader(token+"\n"), &out, &err))
	return code, out.String(), err.String()
}

func resources(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("rdma", "resource", "show").CombinedOutput()
	require.NoError(t, err, "%s", out)
	files, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return fmt.Sprintf("%s and %d files", out, len(files))
}

func TestCheckOnADevice(t *testing.T) {
	s := startServer(t, "-size", "262144")
	code, out, errs := s.client(t, testToken, "check", "-size", "262144")
	require.Equal(t, 0, code, errs)
	c, err := probe.ParseChecked([]byte(out))
	require.NoError(t, err)
	require.True(t, c.OK)
	require.Empty(t, s.ended(t).Error)

	code, _, errs = s.client(t, testToken, "check", "-size", "262152")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "262144 bytes, and the client asks for 262152")
	require.NotEmpty(t, s.ended(t).Error)
}

func TestZerosAreFound(t *testing.T) {
	s := startServer(t, "-fault", "zeros")
	code, out, errs := s.client(t, testToken, "check")
	require.Equal(t, probe.Differs, code, errs)
	c, err := probe.ParseChecked([]byte(out))
	require.NoError(t, err)
	require.False(t, c.OK)
	steps := map[string]probe.Difference{}
	for _, d := range c.Differences {
		steps[d.Step] = d
	}
	for _, step := range []string{"WRITE, seen by the server", "READ of what was written", "READ of what the server wrote", "FETCH_AND_ADD, old word"} {
		require.True(t, steps[step].Zeros, step)
		require.NotZero(t, steps[step].Bytes, step)
	}
}

func TestBenchOnADevice(t *testing.T) {
	s := startServer(t)
	for op := range benchOps {
		for _, depth := range []string{"1", "7", "64"} {
			code, out, errs := s.client(t, testToken, "bench", "-op", op, "-size", "1024", "-iters", "101", "-depth", depth)
			require.Equal(t, 0, code, errs)
			m, err := probe.ParseMeasured([]byte(out))
			require.NoError(t, err)
			require.Equal(t, 101, m.Iterations)
			require.Empty(t, s.ended(t).Error)
		}
	}
}

// TestPeersThatMisbehave sends everything that no client sends. The server names the step within its limit, and keeps nothing.
func TestPeersThatMisbehave(t *testing.T) {
	s := startServer(t)
	before := resources(t)
	peer := func(words string, talk func(net.Conn)) {
		t.Helper()
		began := time.Now()
		conn, err := net.Dial("tcp", s.addr)
		require.NoError(t, err)
		talk(conn)
		end := s.ended(t)
		conn.Close()
		require.Contains(t, end.Error, words)
		require.True(t, strings.HasPrefix(end.Error, "server: "), end.Error)
		require.Less(t, time.Since(began), 10*time.Second)
	}
	peer("read hello", func(c net.Conn) { io.WriteString(c, "GET / HTTP/1.1\r\nHost: mn\r\n\r\n") })
	peer("read hello", func(c net.Conn) { c.Close() })
	peer("read hello", func(net.Conn) {}) // stalls
	peer("sent hello of 4294967295 bytes", func(c net.Conn) { c.Write([]byte{'G', 'T', 'Q', 'P', 0, 1, 1, 1, 0xff, 0xff, 0xff, 0xff}) })
	require.Equal(t, before, resources(t), "open before and after")

	code, _, errs := s.client(t, strings.Repeat("5f", 32), "check")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "different tokens")
	require.Contains(t, s.ended(t).Error, "different tokens")
	require.Equal(t, before, resources(t), "open before and after")
}

// TestPeersThatFailLater are accepted, and then talk nonsense, or are gone in the middle of a message.
func TestPeersThatFailLater(t *testing.T) {
	s := startServer(t)
	before := resources(t)
	for _, said := range []struct{ text, words string }{
		{"nonsense\n", "read request: invalid character"},
		{`{"do":"fill"`, "read request: unexpected EOF"},
		{strings.Repeat("x", 5000), "read request: a line of more than 4096 bytes"},
	} {
		var c common
		c.Device, c.Port, c.timeout = s.flags[1], 1, 3*time.Second
		fmt.Sscan(*gidIndex, &c.GIDIndex)
		token, err := verbs.ParseToken(testToken)
		require.NoError(t, err)
		cl, err := dial(t.Context(), c, s.addr, token, 4096, 4, 4096)
		require.NoError(t, err)
		io.WriteString(cl.conn, said.text)
		require.NoError(t, cl.Close())
		require.Contains(t, s.ended(t).Error, said.words)
	}
	require.Equal(t, before, resources(t), "open before and after")
}

// TestServersThatMisbehave are what a client may find at an address.
func TestServersThatMisbehave(t *testing.T) {
	flags := deviceFlags(t)
	before := resources(t)
	server := func(words string, talk func(net.Conn)) {
		t.Helper()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		s := &testServer{flags: flags, addr: l.Addr().String()}
		go func() {
			conn, err := l.Accept()
			if err == nil {
				talk(conn)
				io.Copy(io.Discard, conn)
				conn.Close()
			}
		}()
		began := time.Now()
		code, out, errs := s.client(t, testToken, "check")
		require.Equal(t, 1, code)
		require.Empty(t, out)
		require.Contains(t, errs, words)
		require.Contains(t, errs, "client: ")
		require.Less(t, time.Since(began), 10*time.Second)
		l.Close()
	}
	server("read hello", func(c net.Conn) { io.WriteString(c, "SSH-2.0-OpenSSH_9.2p1 Debian\r\n") })
	server("read hello", func(c net.Conn) { c.Close() })
	server("read hello", func(net.Conn) {})
	server("sent hello of 4294967295 bytes", func(c net.Conn) { c.Write([]byte{'G', 'T', 'Q', 'P', 0, 1, 1, 2, 0xff, 0xff, 0xff, 0xff}) })
	nobody := &testServer{flags: flags, addr: "127.0.0.1:1"}
	code, _, errs := nobody.client(t, testToken, "check")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "client: dial tcp 127.0.0.1:1: connect: connection refused")
	require.Equal(t, before, resources(t), "open before and after")
}

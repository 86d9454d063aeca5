package clusterenv

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/gotestbed/gotestbed/clusterenv/sshtest"
)

// TestMain lets more tests run at once than there are processors: most of them wait. No test asks whoever runs it for a passphrase.
func TestMain(m *testing.M) {
	openTerminal = func() (terminal, error) { return nil, errors.New("this is a test") }
	flag.Parse()
	parallel := flag.Lookup("test.parallel")
	if parallel.Value.String() == parallel.DefValue {
		parallel.Value.Set("8")
	}
	m.Run()
}

// A testServer is an SSH server that the transport is tried against.
type testServer struct {
	addr     string
	user     string
	identity string // private key file that may log in
	hostKey  ssh.PublicKey
	log      *sshdLog // nil but for OpenSSH
}

// A serverKind starts a server for one test.
type serverKind struct {
	name  string
	start func(t testing.TB) *testServer
	shell bool // differs from the others by its shell and tools only
}

var serverKinds = []serverKind{
	{"sshtest", startSSHTest, false},
	{"sshd", startSSHD, false},
	{"busybox", startBusybox, true},
	{"bash", startBash, true},
}

// target is how the server is dialled. Tests change what they are about.
func (s *testServer) target(t testing.TB) *sshTarget {
	t.Helper()
	known := filepath.Join(t.TempDir(), "known_hosts")
	line := fmt.Sprintf("[%s]:%s %s", splitAddr(s.addr)[0], splitAddr(s.addr)[1], ssh.MarshalAuthorizedKey(s.hostKey))
	require.NoError(t, os.WriteFile(known, []byte(line), 0o600))
	return &sshTarget{
		addr:      s.addr,
		user:      s.user,
		keys:      keySource{identities: []string{s.identity}},
		hosts:     hostStore{files: []string{known}},
		keepalive: Keepalive{Interval: 20 * time.Second, Misses: 15},
		timeout:   20 * time.Second,
	}
}

func splitAddr(addr string) [2]string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		panic(err)
	}
	return [2]string{host, port}
}

// node dials the server.
func (s *testServer) node(t testing.TB) *Node {
	t.Helper()
	return dialNode(t, s.target(t))
}

func dialNode(t testing.TB, target *sshTarget) *Node {
	t.Helper()
	tr, err := dialSSH(t.Context(), target)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tr.Close()) })
	return &Node{NodeSpec: NodeSpec{Name: "n0"}, transport: tr}
}

// newIdentity makes a key pair and writes the private half to a file.
func newIdentity(t testing.TB) (file string, public ssh.PublicKey) {
	t.Helper()
	pub, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	public, err = ssh.NewPublicKey(pub)
	require.NoError(t, err)
	return file, public
}

func startSSHTest(t testing.TB) *testServer {
	t.Helper()
	return startSSHTestEnv(t)
}

// startBusybox starts a server whose nodes have busybox's shell and tools, and flock, which Debian's busybox lacks.
func startBusybox(t testing.TB) *testServer {
	t.Helper()
	path, err := exec.LookPath("busybox")
	if err != nil {
		t.Skipf("NOT TESTED against busybox: %v (apt-get install busybox)", err)
	}
	bin := t.TempDir()
	out, err := exec.Command(path, "--install", "-s", bin).CombinedOutput()
	require.NoError(t, err, "%s", out)
	flock, err := exec.LookPath("flock")
	require.NoError(t, err)
	os.Symlink(flock, filepath.Join(bin, "flock")) // fails where busybox has it
	return startSSHTestEnv(t, "PATH="+bin)
}

// startBash starts a server whose nodes have bash for sh, as Red Hat's do.
func startBash(t testing.TB) *testServer {
	t.Helper()
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skipf("NOT TESTED against bash: %v (apt-get install bash)", err)
	}
	bin := t.TempDir()
	require.NoError(t, os.Symlink(path, filepath.Join(bin, "sh")))
	return startSSHTestEnv(t, "PATH="+bin+":"+os.Getenv("PATH"))
}

func startSSHTestEnv(t testing.TB, env ...string) *testServer {
	t.Helper()
	identity, key := newIdentity(t)
	s, err := sshtest.NewServer(sshtest.Options{Dir: t.TempDir(), AuthorizedKeys: []ssh.PublicKey{key}, Env: env})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return &testServer{addr: s.Addr(), user: s.User(), identity: identity, hostKey: s.HostKey()}
}

// startSSHD starts OpenSSH's server on a loopback port.
func startSSHD(t testing.TB) *testServer {
	t.Helper()
	return startSSHDWith(t, "MaxStartups 100") // all tests dial it at once
}

// startSSHDWith is startSSHD with lines of sshd_config that come before those that every test needs.
func startSSHDWith(t testing.TB, lines ...string) *testServer {
	t.Helper()
	path := findSSHD(t)
	me, err := user.Current()
	require.NoError(t, err)
	identity, key := newIdentity(t)
	hostFile, hostKey := newIdentity(t)
	dir := t.TempDir()
	authorized := filepath.Join(dir, "authorized_keys")
	require.NoError(t, os.WriteFile(authorized, ssh.MarshalAuthorizedKey(key), 0o600))
	addr := freeAddr(t)
	config := filepath.Join(dir, "sshd_config")
	require.NoError(t, os.WriteFile(config, []byte(strings.Join(append(lines,
		"ListenAddress "+addr,
		"HostKey "+hostFile,
		"AuthorizedKeysFile "+authorized,
		"PidFile none",
		"StrictModes no",
		"UsePAM no",
		"PasswordAuthentication no",
		"KbdInteractiveAuthentication no",
		"SetEnv HOME="+dir, // the login shell must not run what this user's ~/.bashrc holds
	), "\n")+"\n"), 0o600))
	log := runSSHD(t, path, config, 1+strings.Count(strings.Join(lines, "\n"), "ListenAddress"))
	return &testServer{addr: addr, user: me.Username, identity: identity, hostKey: hostKey, log: log}
}

func findSSHD(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("sshd")
	if err != nil {
		path = "/usr/sbin/sshd" // often not in a user's PATH
		_, err = os.Stat(path)
	}
	if err == nil && os.Getuid() == 0 {
		_, err = os.Stat("/run/sshd") // sshd's privilege separation directory
		if os.IsNotExist(err) {
			err = os.Mkdir("/run/sshd", 0o755)
		}
	}
	if err != nil {
		const remedy = "NOT TESTED against OpenSSH: %v (apt-get install openssh-server)"
		if os.Getenv("CI") == "true" {
			t.Fatalf(remedy, err)
		}
		t.Skipf(remedy, err)
	}
	return path
}

// runSSHD starts sshd and returns when it listens at so many addresses. What it says from then on is in the log.
func runSSHD(t testing.TB, path, config string, addresses int) *sshdLog {
	t.Helper()
	cmd := exec.Command(path, "-D", "-e", "-f", config)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	log, read := &sshdLog{}, make(chan struct{})
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-read
		cmd.Wait()
	})
	listening := make(chan bool, 1)
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			log.add(lines.Text())
			if strings.Contains(lines.Text(), "Server listening on") {
				if addresses--; addresses == 0 {
					listening <- true
				}
			}
		}
		close(listening)
	}()
	if !<-listening {
		t.Fatalf("sshd did not start:\n%s", log.text())
	}
	return log
}

// An sshdLog is what an sshd has said so far.
type sshdLog struct {
	mu    sync.Mutex
	lines []string
}

func (l *sshdLog) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

func (l *sshdLog) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// count is how often a word stands in the log.
func (l *sshdLog) count(word string) int { return strings.Count(l.text(), word) }

// freeAddr is a loopback address on which nobody listens.
func freeAddr(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	return ln.Addr().String()
}

// How long require.Eventually waits for what happens outside of the transport, and how often it looks.
const (
	within10 = 10 * time.Second
	tick     = 5 * time.Millisecond
)

// within bounds what a test waits for; it is far longer than anything should take.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

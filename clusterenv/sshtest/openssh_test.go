package sshtest_test

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/gotestbed/gotestbed/clusterenv/sshtest"
)

// A host is a server that commands can be run on.
type host struct {
	openssh bool
	dir     string // for the files of a test
	dial    func(t *testing.T) *ssh.Client
}

// onBoth runs a test against this package's server and against OpenSSH's, which it says it is like.
func onBoth(t *testing.T, test func(t *testing.T, h host)) {
	t.Run("sshtest", func(t *testing.T) {
		s, signer := start(t, sshtest.Options{})
		test(t, host{dir: s.Dir(), dial: func(t *testing.T) *ssh.Client { return connect(t, s, signer) }})
	})
	t.Run("openssh", func(t *testing.T) { test(t, startOpenSSH(t)) })
}

// startOpenSSH starts an sshd for this user on a loopback port.
func startOpenSSH(t *testing.T) host {
	t.Helper()
	sshd := findSSHD(t)
	dir := t.TempDir()
	signer, _, err := sshtest.NewKey()
	require.NoError(t, err)
	hostKey, hostIdentity, err := sshtest.NewKey()
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := ln.Addr().String()
	require.NoError(t, ln.Close())
	for name, data := range map[string][]byte{
		"host_key":        hostIdentity,
		"authorized_keys": ssh.MarshalAuthorizedKey(signer.PublicKey()),
		"sshd_config": []byte(strings.Join([]string{
			"ListenAddress " + addr, "HostKey " + dir + "/host_key", "AuthorizedKeysFile " + dir + "/authorized_keys",
			"PidFile none", "StrictModes no", "UsePAM no", "PermitTTY no", "AllowTcpForwarding no",
			"SetEnv HOME=" + dir, // keeps the login shell from this user's startup files
		}, "\n") + "\n"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	runSSHD(t, sshd, filepath.Join(dir, "sshd_config"))
	me, err := user.Current()
	require.NoError(t, err)
	return host{openssh: true, dir: dir, dial: func(t *testing.T) *ssh.Client {
		c, err := ssh.Dial("tcp", addr, &ssh.ClientConfig{
			User: me.Username, Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)},
			HostKeyCallback: ssh.FixedHostKey(hostKey.PublicKey()), Timeout: 10 * time.Second,
		})
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		return c
	}}
}

func findSSHD(t *testing.T) string {
	t.Helper()
	const path = "/usr/sbin/sshd" // sshd insists on an absolute path
	_, err := os.Stat(path)
	if err == nil && os.Getuid() == 0 {
		err = os.MkdirAll("/run/sshd", 0o755) // for its privilege separation
	}
	if err != nil {
		t.Skipf("not compared with OpenSSH: %v (apt-get install openssh-server)", err)
	}
	return path
}

// runSSHD starts sshd and returns when it listens.
func runSSHD(t *testing.T, path, config string) {
	t.Helper()
	cmd := exec.Command(path, "-D", "-e", "-f", config)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var log []string
	listening, done := make(chan bool, 1), make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			log = append(log, lines.Text())
			if strings.HasPrefix(lines.Text(), "Server listening") {
				listening <- true
			}
		}
		listening <- false
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-done
		cmd.Wait()
		if t.Failed() {
			t.Logf("sshd:\n%s", strings.Join(log, "\n"))
		}
	})
	require.True(t, <-listening, "sshd does not listen")
}

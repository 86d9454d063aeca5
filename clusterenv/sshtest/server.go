package sshtest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// defaultMaxSessions is OpenSSH's MaxSessions when sshd_config does not say otherwise.
const defaultMaxSessions = 10

// Options describe one node. The zero value of each field but Dir and AuthorizedKeys is useful.
type Options struct {
	Addr           string          // host:port to listen on, default 127.0.0.1:0; any address of 127.0.0.0/8 will do on Linux
	Dir            string          // home directory of the user, made if missing; required
	User           string          // the only user name that may log in; default the user of this process
	AuthorizedKeys []ssh.PublicKey // keys that may log in; with none, nobody may
	HostKey        ssh.Signer      // default a new ed25519 key
	Env            []string        // "KEY=value", added to the environment of commands and overriding it
	MaxSessions    int             // open sessions per connection, default 10
}

// A Server is one node's SSH server.
type Server struct {
	opts     Options
	config   *ssh.ServerConfig
	listener net.Listener

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]struct{}
	procs  map[*process]struct{}
	wg     sync.WaitGroup // every goroutine the server has started
}

// NewServer starts a server. The caller must Close it.
func NewServer(opts Options) (*Server, error) {
	if err := opts.fill(); err != nil {
		return nil, fmt.Errorf("sshtest: %w", err)
	}
	ln, err := net.Listen("tcp", opts.Addr)
	if err != nil {
		return nil, fmt.Errorf("sshtest: %w", err)
	}
	s := &Server{
		opts:     opts,
		listener: ln,
		conns:    make(map[net.Conn]struct{}),
		procs:    make(map[*process]struct{}),
	}
	s.config = &ssh.ServerConfig{ServerVersion: "SSH-2.0-sshtest", PublicKeyCallback: s.authorize}
	s.config.AddHostKey(opts.HostKey)
	s.wg.Go(s.accept)
	return s, nil
}

// fill checks the options and puts the defaults in.
func (o *Options) fill() error {
	if o.Dir == "" {
		return errors.New("Options.Dir is empty: a node needs a directory of its own")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	o.Dir = dir
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.MaxSessions == 0 {
		o.MaxSessions = defaultMaxSessions
	}
	if o.User == "" {
		u, err := user.Current()
		if err != nil {
			return err
		}
		o.User = u.Username
	}
	if o.HostKey == nil {
		o.HostKey, _, err = NewKey()
	}
	return err
}

// Addr is the address the server listens on, as host:port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// HostKey is the key by which the server proves who it is.
func (s *Server) HostKey() ssh.PublicKey { return s.opts.HostKey.PublicKey() }

// Dir is the absolute path of the node's home directory.
func (s *Server) Dir() string { return s.opts.Dir }

// User is the name that may log in.
func (s *Server) User() string { return s.opts.User }

// KnownHostsLine is the line, without a newline, by which a known_hosts file vouches for the server.
func (s *Server) KnownHostsLine() string {
	return knownhosts.Line([]string{s.Addr()}, s.HostKey())
}

// Close stops listening, breaks the connections, kills the commands that still run with their process groups, and
// returns when all of the server's goroutines have ended. Processes that have left their command's process group live on.
// A second Close does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	err := s.listener.Close()
	for nc := range s.conns {
		nc.Close()
	}
	for p := range s.procs {
		p.kill()
	}
	s.mu.Unlock()
	s.wg.Wait()
	return err
}

// authorize is sshd's look at authorized_keys.
func (s *Server) authorize(meta ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
	if meta.User() != s.opts.User {
		return nil, fmt.Errorf("unknown user %q", meta.User())
	}
	for _, k := range s.opts.AuthorizedKeys {
		if bytes.Equal(k.Marshal(), key.Marshal()) {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("key %s is not authorized", ssh.FingerprintSHA256(key))
}

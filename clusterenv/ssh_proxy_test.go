package clusterenv

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// A proxy is a TCP hop to a server that can break connections or swallow what they carry.
type proxy struct {
	ln net.Listener
	to string

	mu    sync.Mutex
	count int
	conns []net.Conn
	hole  chan struct{} // while non-nil, nothing passes until it is closed
}

func newProxy(t testing.TB, to string) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{ln: ln, to: to}
	t.Cleanup(func() {
		ln.Close()
		p.open()
		p.cut()
	})
	go p.serve()
	return p
}

func (p *proxy) serve() {
	for {
		near, err := p.ln.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", p.to)
		if err != nil {
			near.Close()
			continue
		}
		p.mu.Lock()
		p.count++
		p.conns = append(p.conns, near, far)
		p.mu.Unlock()
		go p.pass(near, far)
		go p.pass(far, near)
	}
}

func (p *proxy) pass(dst, src net.Conn) {
	defer dst.Close()
	defer src.Close()
	buf := make([]byte, 16<<10)
	for {
		n, err := src.Read(buf)
		p.mu.Lock()
		hole := p.hole
		p.mu.Unlock()
		if hole != nil {
			<-hole
		}
		if _, werr := dst.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}

// cut breaks all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// blackhole makes the path silent in both directions, with the connections standing.
func (p *proxy) blackhole() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hole = make(chan struct{})
}

// open ends the silence.
func (p *proxy) open() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hole != nil {
		close(p.hole)
		p.hole = nil
	}
}

func (p *proxy) accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

// dialThrough dials target's server by way of p.
func dialThrough(t testing.TB, target *sshTarget, p *proxy) *Node {
	t.Helper()
	known, err := os.ReadFile(target.hosts.files[0])
	require.NoError(t, err)
	_, _, key, _, _, err := ssh.ParseKnownHosts(known)
	require.NoError(t, err)
	target.addr = p.ln.Addr().String()
	host := splitAddr(target.addr)
	file := filepath.Join(t.TempDir(), "known_hosts")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "[%s]:%s %s", host[0], host[1], ssh.MarshalAuthorizedKey(key)), 0o600))
	target.hosts.files = []string{file}
	return dialNode(t, target)
}

// requireDead waits until the transport knows that its connection is lost.
func requireDead(t testing.TB, n *Node) {
	t.Helper()
	tr := n.transport.(*sshTransport)
	tr.mu.Lock()
	conn := tr.conn
	tr.mu.Unlock()
	select {
	case <-conn.gone:
	case <-time.After(10 * time.Second):
		t.Fatal("the connection lives")
	}
}

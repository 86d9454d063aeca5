package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/gotestbed/gotestbed/verbs"
	"github.com/gotestbed/gotestbed/verbs/probe"
	"github.com/gotestbed/gotestbed/verbs/rc"
)

// maxPeers is how many peers are served at a time; further ones wait.
const maxPeers = 16

// A server offers each peer a region of its own.
type server struct {
	common
	size  int
	depth int
	idle  time.Duration // between two requests of a peer, which may be busy with RDMA
	zeros bool          // the fault: after each request the region is zero
	token verbs.Token
	dev   *rc.Device

	mu sync.Mutex // of out
	stdio
}

// serve offers memory until stdin ends or the process is told to stop.
func serve(ctx context.Context, fs *flag.FlagSet, args []string, s stdio) (err error) {
	srv := &server{stdio: s}
	srv.register(fs)
	listen := fs.String("listen", "", "`address` to listen on, with port 0 for any")
	fs.IntVar(&srv.size, "size", 1<<20, "of a peer's region, in `bytes`")
	fs.IntVar(&srv.depth, "depth", 128, "of the queues, in `requests`")
	fs.DurationVar(&srv.idle, "idle", 10*time.Minute, "how long a peer may ask nothing")
	fault := fs.String("fault", "", "zeros: make a fault that RDMA without IOMMU passthrough can have: all is zero, with status success")
	if err := srv.parse(fs, args); err != nil {
		return err
	}
	if *listen == "" || *fault != "" && *fault != "zeros" {
		fmt.Fprintln(fs.Output(), "-listen is missing, or -fault is not zeros")
		return errUsage
	}
	srv.zeros = *fault == "zeros"
	if srv.token, err = s.token(); err != nil {
		return fmt.Errorf("server: %w", err)
	}
	if srv.dev, err = rc.Open(srv.Config); err != nil {
		return fmt.Errorf("server: %w", err)
	}
	defer func() { err = errors.Join(err, srv.dev.Close()) }()
	if err := srv.try(); err != nil {
		return fmt.Errorf("server: %w", err)
	}
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	return srv.accept(ctx, l)
}

// try makes what a peer will need, so that what cannot work is told before one comes.
func (s *server) try() error {
	l, err := newLink(s.dev, s.size, s.depth)
	if err != nil {
		return err
	}
	return l.Close()
}

// accept serves peers until stdin ends or ctx does.
func (s *server) accept(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // ends with the process
		io.Copy(io.Discard, s.in)
		cancel()
	}()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	if err := s.tell(probe.Listening{Listening: l.Addr().(*net.TCPAddr).AddrPort(), Region: s.size, Info: s.dev.Info()}); err != nil {
		return errors.Join(err, l.Close())
	}
	var peers sync.WaitGroup
	defer func() { cancel(); peers.Wait() }() // those that are served end with the server, also when it can accept no more
	for slots := make(chan struct{}, maxPeers); ; {
		slots <- struct{}{}
		conn, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("server: accept: %w", err)
		}
		peers.Go(func() {
			defer func() { <-slots }()
			end := probe.Served{Peer: conn.RemoteAddr().(*net.TCPAddr).AddrPort()}
			if err := s.peer(ctx, conn); err != nil {
				end.Error = err.Error()
			}
			s.tell(end)
		})
	}
}

// tell prints a line; peers end at the same time.
func (s *server) tell(v any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.print(v)
}

// peer serves one peer to its end.
func (s *server) peer(ctx context.Context, conn net.Conn) (err error) {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer func() {
		if stop() {
			err = errors.Join(err, conn.Close())
		}
	}()
	l, err := newLink(s.dev, s.size, s.depth)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := l.exchange(conn, verbs.ServerSide, s.token, 0, s.timeout); err != nil {
		return err
	}
	for c := newControl(conn); ; {
		if err := conn.SetDeadline(time.Now().Add(s.idle)); err != nil {
			return fmt.Errorf("server: %w", err)
		}
		if err := s.answer(ctx, l, c, conn); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("server: %w", err)
		}
	}
}

// answer reads a request and answers it.
func (s *server) answer(ctx context.Context, l *link, c *control, conn net.Conn) error {
	var r request
	if err := c.receive(&r); err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	if r.Do == doReceive {
		return s.receive(ctx, l, c, conn, r)
	}
	if r.Do == doVerify && s.zeros {
		clear(l.mr.Bytes())
	}
	a, err := serveMemory(l.mr.Bytes(), r)
	if s.zeros {
		clear(l.mr.Bytes())
	}
	if err != nil {
		a = reply{Error: err.Error()}
	}
	return c.send(a)
}

// receive takes messages, in the order in which they come, into the beginning of the region.
func (s *server) receive(ctx context.Context, l *link, c *control, conn net.Conn, r request) error {
	if r.Size < 0 || r.Size > s.size || r.Count < 1 {
		return c.send(reply{Error: fmt.Sprintf("%d messages of %d bytes into a region of %d", r.Count, r.Size, s.size)})
	}
	posted, done := 0, make([]rc.Completion, s.depth)
	post := func(n int) error {
		wr := make([]rc.RecvWR, min(n, r.Count-posted))
		for i := range wr {
			wr[i] = rc.RecvWR{ID: uint64(posted + i), Local: l.mr.Segment(0, r.Size)}
		}
		n, err := l.qp.PostRecv(wr)
		posted += n
		return err
	}
	if err := post(s.depth); err != nil {
		return c.send(reply{Error: err.Error()})
	}
	if err := c.send(reply{}); err != nil {
		return err
	}
	for came := 0; came < r.Count; {
		n, err := s.poll(ctx, l, done)
		if err == nil {
			came += n
			err = post(n)
		}
		if err != nil {
			return c.send(reply{Error: err.Error()})
		}
	}
	if err := conn.SetDeadline(time.Now().Add(s.timeout)); err != nil {
		return err
	}
	return c.send(reply{})
}

// poll takes messages that have come, at least one, and fails with the first that did not come well.
func (s *server) poll(ctx context.Context, l *link, done []rc.Completion) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	n, err := l.recv.Poll(ctx, done, 1)
	for i := range n {
		err = errors.Join(err, done[i].Err())
	}
	return n, err
}

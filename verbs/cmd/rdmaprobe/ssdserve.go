package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/gotestbed/gotestbed/verbs"
	"github.com/gotestbed/gotestbed/verbs/probe"
	"github.com/gotestbed/gotestbed/verbs/rc"
)

// An ssdServer offers a file to one peer at a time: two would measure each other.
type ssdServer struct {
	common
	idle  time.Duration // between two requests of a peer, which may be busy with RDMA
	token verbs.Token
	dev   *rc.Device
	file  *ssdFile
	stdio
}

// ssdServe offers a file on a disk until stdin ends or the process is told to stop.
func ssdServe(ctx context.Context, fs *flag.FlagSet, args []string, s stdio) (err error) {
	srv := &ssdServer{stdio: s}
	srv.register(fs)
	listen := fs.String("listen", "", "`address` to listen on, with port 0 for any")
	path := fs.String("file", "", "`path` of the file; it is made if it is not there, and stays")
	size := fs.Int64("size", 0, "of the file, in `bytes`, a multiple of 4096")
	fs.DurationVar(&srv.idle, "idle", 10*time.Minute, "how long a peer may ask nothing")
	if err := srv.parse(fs, args); err != nil {
		return err
	}
	if err := checkSSD(*size, ssdUnit); err != nil || *listen == "" || *path == "" {
		fmt.Fprintln(fs.Output(), "-listen or -file is missing, or -size is no multiple of 4096")
		return errUsage
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("server: %w", err)
		}
	}()
	if srv.token, err = s.token(); err != nil {
		return err
	}
	if srv.dev, err = rc.Open(srv.Config); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.dev.Close()) }()
	if srv.file, err = openSSDFile(ctx, *path, *size); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.file.Close()) }()
	return srv.listen(ctx, *listen)
}

// listen says what there is, and serves peers until stdin ends or ctx does.
func (s *ssdServer) listen(ctx context.Context, addr string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // ends with the process
		io.Copy(io.Discard, s.in)
		cancel()
	}()
	offers := probe.SSDListening{
		File: s.file.path, Size: s.file.size, SHA256: s.file.sums[s.file.size], Made: s.file.made, Direct: s.file.direct != nil, Info: s.dev.Info(),
	}
	if s.file.reason != nil {
		offers.DirectReason = s.file.reason.Error()
	}
	first, err := s.dev.RegisterFile(s.file.file, 0, ssdUnit)
	if err != nil {
		return err
	}
	offers.Copied = first.Copied()
	if err := first.Close(); err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	offers.Listening = l.Addr().(*net.TCPAddr).AddrPort()
	if err := s.print(offers); err != nil {
		return errors.Join(err, l.Close())
	}
	for {
		conn, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("accept: %w", err)
		}
		end := probe.Served{Peer: conn.RemoteAddr().(*net.TCPAddr).AddrPort()}
		if err := s.peer(ctx, conn); err != nil {
			end.Error = err.Error()
		}
		if err := s.print(end); err != nil {
			return err
		}
	}
}

// peer serves one peer to its end.
func (s *ssdServer) peer(ctx context.Context, conn net.Conn) (err error) {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer func() {
		if stop() {
			err = errors.Join(err, conn.Close())
		}
	}()
	l, err := newLink(s.dev, ssdUnit, 1)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := l.exchange(conn, verbs.ServerSide, s.token, 0, s.timeout); err != nil {
		return err
	}
	session := ssdSession{dev: s.dev, file: s.file}
	defer func() { err = errors.Join(err, session.Close()) }()
	for c := newControl(conn); ; {
		if err := conn.SetDeadline(time.Now().Add(s.idle)); err != nil {
			return fmt.Errorf("server: %w", err)
		}
		var r ssdRequest
		switch err := c.receive(&r); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("server: read request: %w", err)
		}
		a, err := session.answer(r)
		if err != nil {
			a = ssdReply{Error: err.Error()}
		}
		if err := c.send(a); err != nil {
			return fmt.Errorf("server: answer to %s: %w", r.Do, err)
		}
	}
}

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

// An ssdRequest asks the server for the file. Requests and replies are lines of JSON, as those of serve are.
type ssdRequest struct {
	Do     string `json:"do"`
	Size   int64  `json:"size,omitempty"`   // pin, buffer: how much of the file will be READ, in bytes
	Cold   bool   `json:"cold,omitempty"`   // pin: without the file in the page cache
	Block  int64  `json:"block,omitempty"`  // buffer: bytes
	Offset int64  `json:"offset,omitempty"` // stage: in the file
}

// What an ssdRequest asks for.
const (
	doPin    = "pin"    // make the file the region
	doBuffer = "buffer" // make memory for one block the region
	doStage  = "stage"  // read a block from the disk into the region
)

type ssdReply struct {
	Error      string               `json:"error,omitempty"`
	Address    uint64               `json:"address,omitempty"` // pin, buffer: of the region
	Key        uint32               `json:"key,omitempty"`
	SHA256     string               `json:"sha256,omitempty"` // of what will be READ
	Registered *probe.SSDRegistered `json:"registered,omitempty"`
	Seconds    float64              `json:"seconds,omitempty"` // stage: of the disk
}

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

// An ssdSession is what a peer has of the file.
type ssdSession struct {
	dev    *rc.Device
	file   *ssdFile
	region *rc.MR // nil before the first request
	size   int64  // of the file, as far as it will be READ
	staged bool
}

// answer carries out a request.
func (s *ssdSession) answer(r ssdRequest) (ssdReply, error) {
	switch r.Do {
	case doPin:
		return s.pin(r)
	case doBuffer:
		return s.buffer(r)
	case doStage:
		return s.stage(r)
	}
	return ssdReply{}, fmt.Errorf("cannot do %.20q", r.Do)
}

// pin makes the first bytes of the file the region, and takes the time of that.
func (s *ssdSession) pin(r ssdRequest) (ssdReply, error) {
	if err := s.reset(r.Size); err != nil {
		return ssdReply{}, err
	}
	prepare := warm
	if r.Cold {
		prepare = cool
	}
	how, err := prepare(s.file.file, r.Size)
	if err != nil {
		return ssdReply{}, err
	}
	start := time.Now()
	if s.region, err = s.dev.RegisterFile(s.file.file, 0, int(r.Size)); err != nil {
		return ssdReply{}, err
	}
	how.Seconds = time.Since(start).Seconds()
	return s.offer(ssdReply{Registered: &how}), nil
}

// buffer makes memory for one block the region. Where there is no direct I/O, the file is taken out of the page cache.
func (s *ssdSession) buffer(r ssdRequest) (ssdReply, error) {
	if err := checkSSD(r.Size, r.Block); err != nil {
		return ssdReply{}, err
	}
	if err := s.reset(r.Size); err != nil {
		return ssdReply{}, err
	}
	var a ssdReply
	if s.file.direct == nil {
		how, err := cool(s.file.file, r.Size)
		if err != nil {
			return ssdReply{}, err
		}
		a.Registered = &how
	}
	var err error
	if s.region, err = s.dev.Register(int(r.Block), verbs.RemoteRead); err != nil {
		return ssdReply{}, err
	}
	s.staged = true
	return s.offer(a), nil
}

// stage reads a block from the disk.
func (s *ssdSession) stage(r ssdRequest) (ssdReply, error) {
	if !s.staged {
		return ssdReply{}, errors.New("there is no buffer")
	}
	if block := int64(s.region.Size()); r.Offset < 0 || r.Offset%block != 0 || r.Offset > s.size-block {
		return ssdReply{}, fmt.Errorf("no block of %d bytes at %d of %d", block, r.Offset, s.size)
	}
	start := time.Now()
	if err := s.file.readBlock(s.region.Bytes(), r.Offset); err != nil {
		return ssdReply{}, err
	}
	return ssdReply{Seconds: time.Since(start).Seconds()}, nil
}

// reset gives up the region that there is, and says that size bytes will be READ.
func (s *ssdSession) reset(size int64) error {
	if size > s.file.size {
		return fmt.Errorf("%w: %s has %d bytes, and %d were asked for", errShort, s.file.path, s.file.size, size)
	}
	if s.file.sums[size] == "" {
		return fmt.Errorf("the first %d bytes of %d: only all, half, a quarter and so on were summed up", size, s.file.size)
	}
	if err := s.Close(); err != nil {
		return err
	}
	s.size = size
	return nil
}

// offer adds to a reply what the peer needs for READs.
func (s *ssdSession) offer(a ssdReply) ssdReply {
	a.Address, a.Key, a.SHA256 = s.region.Addr(), s.region.Key(), s.file.sums[s.size]
	return a
}

// Close gives up the region.
func (s *ssdSession) Close() error {
	if s.region == nil {
		return nil
	}
	region := s.region
	s.region, s.staged = nil, false
	return region.Close()
}

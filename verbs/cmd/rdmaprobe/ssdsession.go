package main

import (
	"errors"
	"fmt"
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

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"slices"
	"time"

	"github.com/gotestbed/gotestbed/verbs/probe"
	"github.com/gotestbed/gotestbed/verbs/rc"
)

// An ssdClient READs a server's file, one block after another.
type ssdClient struct {
	*client
	result  probe.SSDRead
	address uint64 // of the server's region
	key     uint32
	sum     string // of what is READ, as the server has it
	disk    float64
}

// ssdRead measures how a file is READ, in one mode and with blocks of one size.
func ssdRead(ctx context.Context, fs *flag.FlagSet, args []string, s stdio) (err error) {
	var c common
	var r probe.SSDRead
	c.register(fs)
	peer := fs.String("peer", "", "`address` that ssd-serve printed")
	fs.StringVar(&r.Mode, "mode", probe.Staged, "pinned: the file is the server's region, in memory; staged: the server reads each block from the disk")
	fs.Int64Var(&r.Size, "size", 0, "how much of the file to READ, in `bytes`: all, a half, a quarter and so on")
	fs.Int64Var(&r.Block, "block", 0, "`bytes` of a READ, a multiple of 4096")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	err = checkSSD(r.Size, r.Block)
	if err == nil && (*peer == "" || r.Mode != probe.Pinned && r.Mode != probe.Staged) {
		err = errors.New("-peer is missing, or -mode is neither pinned nor staged")
	}
	if err != nil {
		fmt.Fprintln(fs.Output(), err)
		return errUsage
	}
	token, err := s.token()
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	cl, err := dial(ctx, c, *peer, token, int(r.Block), 1, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cl.Close()) }()
	sc := &ssdClient{client: cl, result: r}
	if err := sc.measure(ctx); err != nil {
		return fmt.Errorf("client: %w", err)
	}
	if err := s.print(sc.result); err != nil {
		return err
	}
	if !sc.result.OK {
		return errDiffers
	}
	return nil
}

// measure has the server prepare its region, READs the file with a clock, and once more to look at what came.
func (c *ssdClient) measure(ctx context.Context) (err error) {
	r := &c.result
	if r.Mode == probe.Pinned {
		if r.Cold, err = c.prepare(ssdRequest{Do: doPin, Size: r.Size, Cold: true}); err != nil {
			return err
		}
		r.Warm, err = c.prepare(ssdRequest{Do: doPin, Size: r.Size})
	} else {
		r.Cold, err = c.prepare(ssdRequest{Do: doBuffer, Size: r.Size, Block: r.Block})
	}
	if err != nil {
		return err
	}
	if err := c.clock(ctx); err != nil {
		return err
	}
	return c.verify(ctx)
}

func (c *ssdClient) prepare(r ssdRequest) (*probe.SSDRegistered, error) {
	a, err := c.ask(r)
	c.address, c.key, c.sum = a.Address, a.Key, a.SHA256
	return a.Registered, err
}

// ask has the server do something with its file.
func (c *ssdClient) ask(r ssdRequest) (a ssdReply, err error) {
	if err := c.conn.SetDeadline(time.Now().Add(c.timeout)); err != nil {
		return a, err
	}
	if err := c.control.send(r); err != nil {
		return a, fmt.Errorf("ask the server to %s: %w", r.Do, err)
	}
	if err := c.control.receive(&a); err != nil {
		return ssdReply{}, fmt.Errorf("answer of the server to %s: %w", r.Do, noEOF(err))
	}
	if a.Error != "" {
		return ssdReply{}, fmt.Errorf("server: %s: %s", r.Do, a.Error)
	}
	return a, nil
}

// clock times every block. Nothing but the next block lies between two of them.
func (c *ssdClient) clock(ctx context.Context) error {
	r := &c.result
	r.Blocks = int(r.Size / r.Block)
	took := make([]time.Duration, 0, r.Blocks)
	begin := time.Now()
	last := begin
	for at := int64(0); at < r.Size; at += r.Block {
		if err := c.read(ctx, at); err != nil {
			return err
		}
		now := time.Now()
		took = append(took, now.Sub(last))
		last = now
	}
	r.Seconds = last.Sub(begin).Seconds()
	r.MiBPerSec = float64(r.Size) / (1 << 20) / r.Seconds
	r.LatencyUS = r.Seconds / float64(r.Blocks) * 1e6
	r.IOPS = float64(r.Blocks) / r.Seconds
	r.DiskUS = c.disk / float64(r.Blocks) * 1e6
	slices.Sort(took)
	r.MedianUS = float64(took[(len(took)-1)/2]+took[len(took)/2]) / 2 / float64(time.Microsecond)
	r.MaxUS = float64(took[len(took)-1]) / float64(time.Microsecond)
	return nil
}

// read READs the block at an offset of the file, after the server has it.
func (c *ssdClient) read(ctx context.Context, at int64) error {
	remote := c.address + uint64(at)
	if c.result.Mode == probe.Staged {
		remote = c.address
		a, err := c.ask(ssdRequest{Do: doStage, Offset: at})
		if err != nil {
			return fmt.Errorf("block at %d of %d: %w", at, c.result.Size, err)
		}
		c.disk += a.Seconds
	}
	err := c.do(ctx, c.timeout, rc.WR{Op: rc.Read, Local: c.mr.Segment(0, c.mr.Size()), RemoteAddr: remote, RemoteKey: c.key})
	if err != nil {
		return fmt.Errorf("READ of the block at %d of %d: %w", at, c.result.Size, err)
	}
	return nil
}

// verify READs everything once more, without a clock, and compares its sum with that of the file. Where they differ it looks for the
// first byte that does.
func (c *ssdClient) verify(ctx context.Context) error {
	r := &c.result
	hash := sha256.New()
	want := make([]byte, r.Block)
	for at := int64(0); at < r.Size; at += r.Block {
		set(c.mr.Bytes(), poison)
		if err := c.read(ctx, at); err != nil {
			return err
		}
		got := c.mr.Bytes()
		hash.Write(got)
		if r.Difference != nil {
			continue
		}
		fillAt(want, at)
		if r.Difference = compareBytes(want, got); r.Difference != nil {
			r.Difference.Step = "READ of the " + r.Mode + " file"
			r.Difference.Offset += int(at)
		}
	}
	r.SHA256 = hex.EncodeToString(hash.Sum(nil))
	r.OK = r.SHA256 == c.sum
	return nil
}

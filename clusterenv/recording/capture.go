package recording

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// A capture is a request while it goes on: what it was asked, and what came so far.
type capture struct {
	node    string
	scope   string
	argv    []string
	hint    clusterenv.Hint
	opaque  bool
	began   int
	start   time.Time // of the request
	at      time.Duration
	account func(int) bool // asks for memory

	mu      sync.Mutex
	streams [2][]byte
	chunks  []piece
	input   *inputTee
	refused error // why it is not kept whole
	closed  bool  // it has its end; what comes later is not its output
	reader  error // what a writer or reader of the command said
}

// A piece is a chunk of output, by its length.
type piece struct {
	stderr bool
	length int
	after  time.Duration
}

// mergeWithin is the time within which pieces of one stream count as one.
const mergeWithin = time.Millisecond

var (
	errBodyTooLong = errors.New("more than 64 MiB of output")
	errNoMemory    = errors.New("more output was waiting to be recorded than there is memory for")
)

// wrap puts the capture between the command and its streams.
func (c *capture) wrap(cmd *clusterenv.Command) {
	cmd.Stdout = &outputTee{c: c, w: cmd.Stdout}
	cmd.Stderr = &outputTee{c: c, w: cmd.Stderr, stderr: true}
	if cmd.Stdin != nil {
		c.input = &inputTee{c: c, r: cmd.Stdin, sum: sha256.New(), keep: !c.opaque}
		cmd.Stdin = c.input
	}
}

func (c *capture) add(stderr bool, p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.refused != nil || len(p) == 0 {
		return
	}
	i := 0
	if stderr {
		i = 1
	}
	if len(c.streams[i])+len(p) > maxBody {
		c.refuse(errBodyTooLong)
		return
	}
	if !c.account(len(p)) {
		c.refuse(errNoMemory)
		return
	}
	c.streams[i] = append(c.streams[i], p...)
	after := time.Since(c.start)
	if n := len(c.chunks); n > 0 && c.chunks[n-1].stderr == stderr && after-c.chunks[n-1].after < mergeWithin {
		c.chunks[n-1].length += len(p)
		return
	}
	c.chunks = append(c.chunks, piece{stderr, len(p), after})
}

// refuse gives the output up, and its memory back.
func (c *capture) refuse(err error) {
	c.account(-c.size())
	c.refused, c.streams, c.chunks = err, [2][]byte{}, nil
}

func (c *capture) size() int { return len(c.streams[0]) + len(c.streams[1]) }

// close ends the capture, and reports whether it had not ended before.
func (c *capture) close() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := !c.closed
	c.closed = true
	return first
}

func (c *capture) failed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reader == nil {
		c.reader = err
	}
}

// endOf says how a request ended whose Start or wait returned err.
func (c *capture) endOf(ctx context.Context, err error) End {
	c.mu.Lock()
	byTest := c.reader != nil && errors.Is(err, c.reader)
	c.mu.Unlock()
	var exit *clusterenv.ExitError
	switch {
	case err == nil:
		return End{Kind: EndExit}
	case byTest || ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return End{Kind: EndCancelled, Text: err.Error()}
	case errors.As(err, &exit) && exit.Signal != "":
		return End{Kind: EndSignal, Text: exit.Signal}
	case errors.As(err, &exit):
		return End{Kind: EndExit, Status: exit.Status}
	case errors.Is(err, clusterenv.ErrDisconnected):
		return End{Kind: EndDisconnected, Text: err.Error()}
	}
	return End{Kind: EndFailed, Text: err.Error()}
}

// An outputTee keeps what is written and passes it on.
type outputTee struct {
	c      *capture
	w      io.Writer
	stderr bool
}

func (t *outputTee) Write(p []byte) (int, error) {
	t.c.add(t.stderr, p)
	if t.w == nil {
		return len(p), nil
	}
	n, err := t.w.Write(p)
	if err != nil {
		t.c.failed(err)
	}
	return n, err
}

// An inputTee keeps what is read. The transport may read on while the capture is looked at.
type inputTee struct {
	c    *capture
	r    io.Reader
	keep bool // the data, up to maxInput

	mu    sync.Mutex
	sum   hash.Hash
	size  int64
	data  []byte
	whole bool // the end was seen
}

func (t *inputTee) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum.Write(p[:n])
	t.size += int64(n)
	if t.keep && t.size <= maxInput {
		t.data = append(t.data, p[:n]...)
	}
	switch {
	case err == io.EOF:
		t.whole = true
	case err != nil:
		t.c.failed(err)
	}
	return n, err
}

// seen is what was read so far.
func (t *inputTee) seen() seenInput {
	if t == nil {
		return seenInput{none: true}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return seenInput{size: t.size, digest: hex.EncodeToString(t.sum.Sum(nil)), data: slices.Clone(t.data), whole: t.whole}
}

// A seenInput is an input as it was read.
type seenInput struct {
	none   bool
	size   int64
	digest string
	data   []byte // all of it, if it is not longer than maxInput
	whole  bool
}

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/gotestbed/gotestbed/verbs/probe"
)

// A request asks the server to do something to its region with its own processor. Requests and replies are lines of JSON on
// the connection of the exchange, after it.
type request struct {
	Do     string `json:"do"`
	Seed   uint64 `json:"seed,omitempty"`   // fill, verify
	Size   int    `json:"size,omitempty"`   // fill, verify: bytes from the region's beginning; receive: of a message
	Offset int    `json:"offset,omitempty"` // load, store
	Value  uint64 `json:"value,omitempty"`  // store
	Count  int    `json:"count,omitempty"`  // receive: messages
}

// What a request asks for.
const (
	doFill    = "fill"    // write the pattern of the seed
	doVerify  = "verify"  // compare with the pattern of the seed
	doLoad    = "load"    // the word at an offset
	doStore   = "store"   // set the word at an offset
	doReceive = "receive" // post receives; a second reply follows when all messages have come
)

type reply struct {
	Error      string            `json:"error,omitempty"`
	Value      uint64            `json:"value,omitempty"`
	Difference *probe.Difference `json:"difference,omitempty"`
}

// maxControl bounds a line, in bytes.
const maxControl = 4096

// A control is one end of the connection.
type control struct {
	in  *bufio.Reader
	out io.Writer
}

func newControl(rw io.ReadWriter) *control {
	return &control{in: bufio.NewReaderSize(rw, maxControl), out: rw}
}

func (c *control) send(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = c.out.Write(append(line, '\n'))
	return err
}

// receive reads a line. The end of the stream before a line is io.EOF.
func (c *control) receive(v any) error {
	line, err := c.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return fmt.Errorf("a line of more than %d bytes", maxControl)
	case errors.Is(err, io.EOF) && len(line) > 0:
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// ask sends a request and reads its reply. An error that the server tells is one here.
func (c *control) ask(r request) (reply, error) {
	if err := c.send(r); err != nil {
		return reply{}, fmt.Errorf("ask the server to %s: %w", r.Do, err)
	}
	return c.answer(r.Do)
}

func (c *control) answer(do string) (reply, error) {
	var a reply
	if err := c.receive(&a); err != nil {
		return reply{}, fmt.Errorf("answer of the server to %s: %w", do, noEOF(err))
	}
	if a.Error != "" {
		return reply{}, fmt.Errorf("server: %s: %s", do, a.Error)
	}
	return a, nil
}

// noEOF is for where the end of a stream is a mistake.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// serveMemory carries out a request that needs nothing but the region.
func serveMemory(mem []byte, r request) (reply, error) {
	switch r.Do {
	case doFill, doVerify:
		if r.Size < 0 || r.Size > len(mem) {
			return reply{}, fmt.Errorf("%d bytes of a region of %d", r.Size, len(mem))
		}
	case doLoad, doStore:
		if r.Offset < 0 || r.Offset%8 != 0 || r.Offset > len(mem)-8 {
			return reply{}, fmt.Errorf("no word at %d of a region of %d bytes", r.Offset, len(mem))
		}
	}
	switch r.Do {
	case doFill:
		fill(mem[:r.Size], r.Seed)
	case doVerify:
		return reply{Difference: compare(mem[:r.Size], r.Seed)}, nil
	case doLoad:
		return reply{Value: binary.NativeEndian.Uint64(mem[r.Offset:])}, nil
	case doStore:
		binary.NativeEndian.PutUint64(mem[r.Offset:], r.Value)
	default:
		return reply{}, fmt.Errorf("cannot do %.20q", r.Do)
	}
	return reply{}, nil
}

// Package lines reads text line by line in constant memory: a line may be a gigabyte long or hold binary junk, and the
// input may end in the middle of one.
package lines

import (
	"bytes"
	"io"
)

const (
	// MaxLine is the longest line, in bytes without its end, that is handed out whole.
	MaxLine = 64 << 10
	// BufferSize is the size of buffer that New allocates. It also bounds the memory that a Reader uses.
	BufferSize = 256 << 10

	maxEmptyReads = 100
)

// A Reader hands out the lines of its input. The zero value is not ready: use New.
type Reader struct {
	src        io.Reader
	buf        []byte
	start, end int // what was read and not yet handed out
	eof        bool
	err        error

	line    []byte
	number  int
	tooLong bool
	torn    bool
}

// New returns a Reader of src.
func New(src io.Reader) *Reader {
	return &Reader{src: src, buf: make([]byte, BufferSize)}
}

// Reset makes the Reader read src from its beginning and keeps the buffer.
func (r *Reader) Reset(src io.Reader) {
	*r = Reader{src: src, buf: r.buf}
}

// Next moves to the next line. It returns false at the end of the input and on an error, which Err then returns.
func (r *Reader) Next() bool {
	if i := bytes.IndexByte(r.buf[r.start:r.end], '\n'); i >= 0 && i <= MaxLine {
		r.line = r.buf[r.start : r.start+i]
		r.start += i + 1
		r.number++
		r.tooLong, r.torn = false, false
		return true
	}
	return r.next()
}

// next is Next for a line that is not in the buffer as a whole, or is too long.
func (r *Reader) next() bool {
	r.line, r.tooLong, r.torn = nil, false, false
	searched := 0
	for {
		if i := bytes.IndexByte(r.buf[r.start+searched:r.end], '\n'); i >= 0 {
			n := searched + i
			if n > MaxLine {
				return r.skip()
			}
			r.line = r.buf[r.start : r.start+n]
			r.start += n + 1
			r.number++
			return true
		}
		searched = r.end - r.start
		switch {
		case searched > MaxLine:
			return r.skip()
		case r.eof:
			return r.last()
		}
		r.fill()
	}
}

// last hands out what stands after the last newline of the input.
func (r *Reader) last() bool {
	if r.start == r.end {
		return false
	}
	r.line = r.buf[r.start:r.end]
	r.start = r.end
	r.number++
	r.torn = true
	return true
}

// skip passes over a line that is longer than MaxLine.
func (r *Reader) skip() bool {
	r.number++
	r.tooLong = true
	for {
		if i := bytes.IndexByte(r.buf[r.start:r.end], '\n'); i >= 0 {
			r.start += i + 1
			return true
		}
		r.start = r.end
		if r.eof {
			r.torn = true
			return true
		}
		r.fill()
	}
}

// fill moves what is left to the front of the buffer and reads behind it. There is always room: what is left is never
// longer than MaxLine.
func (r *Reader) fill() {
	if r.start > 0 {
		copy(r.buf, r.buf[r.start:r.end])
		r.end -= r.start
		r.start = 0
	}
	for range maxEmptyReads {
		n, err := r.src.Read(r.buf[r.end:])
		r.end += n
		if err != nil {
			r.eof = true
			if err != io.EOF {
				r.err = err
			}
			return
		}
		if n > 0 {
			return
		}
	}
	r.eof, r.err = true, io.ErrNoProgress
}

// Bytes returns the line without its newline. It is valid until the next call of Next, and empty when TooLong.
func (r *Reader) Bytes() []byte { return r.line }

// Number returns the line's number, from 1.
func (r *Reader) Number() int { return r.number }

// TooLong reports whether the line was longer than MaxLine and was passed over.
func (r *Reader) TooLong() bool { return r.tooLong }

// Torn reports whether the input ended before the line's newline.
func (r *Reader) Torn() bool { return r.torn }

// Err returns the error that ended the reading, nil at the end of the input.
func (r *Reader) Err() error { return r.err }

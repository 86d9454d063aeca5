package recording

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A cursor reads lines and bodies. Its first mistake stays.
type cursor struct {
	data  []byte
	at    int   // offset of the next line
	line  int   // offset of the line that was read last
	plain int64 // bytes of all bodies so far
	err   *FormatError
}

func (c *cursor) fail(offset int, format string, args ...any) {
	if c.err == nil {
		c.err = &FormatError{Offset: int64(offset), Msg: fmt.Sprintf(format, args...)}
	}
}

// next returns the next line without its end; "" after a mistake.
func (c *cursor) next() string {
	c.line = c.at
	if c.err != nil {
		return ""
	}
	end := bytes.IndexByte(c.data[c.at:], '\n')
	if end < 0 {
		c.fail(c.at, "ends in the middle of a line")
		return ""
	}
	c.at += end + 1
	return string(c.data[c.line : c.at-1])
}

// peek reports whether the next line begins with word and a blank, or is word.
func (c *cursor) peek(word string) bool {
	rest := c.data[c.at:]
	return c.err == nil && bytes.HasPrefix(rest, []byte(word)) && len(rest) > len(word) && (rest[len(word)] == ' ' || rest[len(word)] == '\n')
}

// word reads a line that has to begin with this word, and returns the rest.
func (c *cursor) word(want string) string {
	line := c.next()
	word, rest, _ := strings.Cut(line, " ")
	if word != want {
		c.fail(c.line, "%.40q where %q has to stand", line, want)
	}
	return rest
}

// quoted takes a quoted text from the beginning of s.
func (c *cursor) quoted(s string) (text, rest string) {
	q, err := strconv.QuotedPrefix(s)
	if err != nil || q[0] != '"' {
		c.fail(c.line, "%.40q where a quoted text has to stand", s)
		return "", ""
	}
	text, err = strconv.Unquote(q)
	if err != nil {
		c.fail(c.line, "%.40q: %v", q, err)
	}
	return text, strings.TrimPrefix(s[len(q):], " ")
}

// only is quoted with nothing after it.
func (c *cursor) only(s string) string {
	text, rest := c.quoted(s)
	if rest != "" {
		c.fail(c.line, "%.40q after the end of the text", rest)
	}
	return text
}

// number reads a decimal number of at most limit.
func (c *cursor) number(s string, limit int64) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	switch {
	case err != nil || n < 0:
		c.fail(c.line, "%.40q is not a number", s)
		return 0
	case n > limit:
		c.fail(c.line, "%d is more than %d", n, limit)
		return 0
	}
	return n
}

// body reads the data that a line announces by "SIZE" or "SIZE zstd PACKED".
func (c *cursor) body(announced string) []byte {
	f := strings.Fields(announced)
	packed := len(f) == 3 && f[1] == "zstd"
	if !packed && len(f) != 1 {
		c.fail(c.line, "%.40q is not a length", announced)
		return nil
	}
	size := c.number(f[0], maxBody)
	c.plain += size
	if c.plain > maxPlain {
		c.fail(c.line, "holds more than %d MiB of data", maxPlain>>20)
		return nil
	}
	if !packed {
		return c.take(size)
	}
	begin := c.at
	raw := c.take(c.number(f[2], maxBody))
	if c.err != nil {
		return nil
	}
	data, err := unpack(raw, size)
	if err != nil {
		c.fail(begin, "%v", err)
	}
	return data
}

// take returns the next size bytes, which a newline follows.
func (c *cursor) take(size int64) []byte {
	if c.err != nil {
		return nil
	}
	if left := int64(len(c.data) - c.at); size+1 > left {
		c.fail(c.line, "announces %d bytes where %d are left", size, left)
		return nil
	}
	data := c.data[c.at : c.at+int(size) : c.at+int(size)]
	c.at += int(size)
	if c.data[c.at] != '\n' {
		c.fail(c.at, "data goes on beyond its announced length")
		return nil
	}
	c.at++
	return data
}

// unpack decompresses data of a known size. It allocates no more than that, and a window.
func unpack(packed []byte, size int64) ([]byte, error) {
	dec, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(16<<20))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return readExactly(dec, size)
}

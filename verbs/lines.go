package verbs

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

const (
	maxLine  = 1 << 20  // bytes of one line; a longer line is passed over and counted
	maxInput = 32 << 20 // bytes of one input; what follows is not read
	maxItems = 1 << 16  // records of one kind that a parser keeps
	maxPorts = 1 << 12  // devices, ports or links that a parser keeps
)

// lines reads terminal text line by line: without escape codes, byte order mark and
// line ends (LF or CR LF), with a bound on what is held.
type lines struct {
	br    *bufio.Reader
	buf   []byte
	text  string // the current line
	num   int    // its number, from 1
	cut   bool   // the last line has no line end
	long  int    // lines passed over because they are longer than maxLine
	over  bool   // the input is longer than maxInput
	first string // the first line that is not blank, to quote in errors
	deny  error  // ErrToolMissing or ErrPermission when a line says so
	total int
	err   error
}

func newLines(r io.Reader) *lines {
	return &lines{br: bufio.NewReaderSize(r, 32<<10)}
}

// next moves to the next line and reports whether there is one.
func (l *lines) next() bool {
	for l.err == nil && !l.over {
		raw, long, err := l.read()
		if err != nil && err != io.EOF {
			l.err = err
			return false
		}
		if err == io.EOF && len(raw) == 0 && !long {
			return false
		}
		l.num++
		l.cut = err == io.EOF
		if long {
			l.long++
			continue
		}
		l.text = clean(raw, l.num == 1)
		l.remember()
		return true
	}
	return false
}

// read returns the bytes of one line; a line that is too long is consumed, not held.
func (l *lines) read() (raw []byte, long bool, err error) {
	l.buf = l.buf[:0]
	for {
		part, err := l.br.ReadSlice('\n')
		l.total += len(part)
		if l.total > maxInput {
			l.over = true
			return nil, true, nil
		}
		if !long && len(l.buf)+len(part) <= maxLine {
			l.buf = append(l.buf, part...)
		} else {
			long = true
			l.buf = l.buf[:0]
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return l.buf, long, err
	}
}

// remember keeps what an error about the whole input would have to quote.
func (l *lines) remember() {
	t := strings.TrimSpace(l.text)
	if t == "" {
		return
	}
	if l.first == "" {
		l.first = t
	}
	if l.deny == nil {
		l.deny = refusal(t)
	}
}

// partial reports whether something of the input was not seen.
func (l *lines) partial() bool { return l.long > 0 || l.over }

// clean removes the line end, a byte order mark and terminal escape codes.
func clean(raw []byte, first bool) string {
	s := strings.TrimSuffix(string(raw), "\n")
	s = strings.TrimRight(s, "\r")
	if first {
		s = strings.TrimPrefix(s, "\ufeff")
	}
	return stripEscapes(s)
}

// stripEscapes removes the control sequences of ECMA-48 (colours, cursor moves, titles).
func stripEscapes(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != 0x1b {
			b.WriteByte(s[i])
			i++
			continue
		}
		i = escapeEnd(s, i)
	}
	return b.String()
}

// escapeEnd returns the index after the escape sequence that starts at i.
func escapeEnd(s string, i int) int {
	i++
	if i >= len(s) {
		return i
	}
	switch s[i] {
	case '[': // CSI: parameters, intermediates, one final byte
		for i++; i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f; i++ {
		}
		return min(i+1, len(s))
	case ']': // OSC: up to BEL or ESC \
		for i++; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b {
				return min(i+2, len(s))
			}
		}
		return i
	case '(', ')': // character set, one more byte
		return min(i+2, len(s))
	default:
		return i + 1
	}
}

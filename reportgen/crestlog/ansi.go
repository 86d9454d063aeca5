package crestlog

import "bytes"

const esc = 0x1b

// stripEdges removes the carriage return at the end of a line and the escape sequences at both ends: a message that ends
// in a newline pushes the code that resets the colour to the beginning of the next line.
func stripEdges(b []byte) []byte {
	for len(b) > 0 && b[0] == esc {
		n := sequenceLen(b)
		if n == 0 {
			break
		}
		b = b[n:]
	}
	for len(b) > 0 {
		switch last := b[len(b)-1]; {
		case last == '\r':
			b = b[:len(b)-1]
		case last == 'm' && endsInSequence(b) > 0:
			b = b[:len(b)-endsInSequence(b)]
		default:
			return b
		}
	}
	return b
}

// sequenceLen returns the length of the escape sequence at the beginning of b, 0 if it is cut off.
func sequenceLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if b[1] != '[' {
		return 2
	}
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7e {
			return i + 1
		}
	}
	return 0
}

// endsInSequence returns the length of the colour code at the end of b, 0 if there is none.
func endsInSequence(b []byte) int {
	const longest = 16
	from := max(0, len(b)-longest)
	i := bytes.LastIndexByte(b[from:], esc)
	if i < 0 || sequenceLen(b[from+i:]) != len(b)-from-i {
		return 0
	}
	return len(b) - from - i
}

// sanitise returns a line as text that may be shown: without escape sequences, every other control byte and every byte
// that is not UTF-8 replaced, at most limit bytes long.
func sanitise(b []byte, limit int) string {
	out := make([]byte, 0, min(len(b), limit))
	for len(b) > 0 && len(out) < limit {
		if b[0] == esc {
			b = b[max(1, sequenceLen(b)):]
			continue
		}
		out = append(out, b[0])
		b = b[1:]
	}
	out = bytes.ToValidUTF8(out, []byte("?"))
	return string(bytes.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r == '\r':
			return -1
		case r < ' ' || r == 0x7f:
			return '?'
		}
		return r
	}, out))
}

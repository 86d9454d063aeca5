package crestlog

import (
	"bytes"
	"fmt"
	"strconv"
)

// A SyntaxError is a line that could not be understood.
type SyntaxError struct {
	File string
	Line int
	Msg  string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// A Value is a number and the line that it was printed on. The zero Value is absent.
type Value struct {
	V    float64
	Line int // from 1; 0 when the number is absent
}

// OK reports whether the number was found.
func (v Value) OK() bool { return v.Line > 0 }

// An Origin is the line of a file that a number was read from. File is relative to the run directory; Line counts from 1.
type Origin struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

func (o Origin) String() string { return fmt.Sprintf("%s:%d", o.File, o.Line) }

// A Metric is one number of one attempt with its unit and every line that it came from.
type Metric struct {
	Name    string   `json:"name"`
	Value   float64  `json:"value"`
	Unit    string   `json:"unit"`
	Origins []Origin `json:"origins,omitempty"`
}

type numberKind int

const (
	number    numberKind = iota
	notFinite            // nan or inf, with either sign
	malformed
)

// parseNumber reads the number at the beginning of b, after blanks, in the spellings of C++ streams. rest is what stands
// behind it.
func parseNumber(b []byte) (v float64, rest []byte, kind numberKind) {
	b = skipBlanks(b)
	n := 0
	for n < len(b) && isNumberByte(b[n]) {
		n++
	}
	token, rest := b[:n], b[n:]
	if v, ok := parseDecimal(token); ok {
		return v, rest, number
	}
	if isNotFinite(token) {
		return 0, rest, notFinite
	}
	if n == 0 || bytes.IndexFunc(token, func(r rune) bool { return !isDigit(byte(r)) && !bytes.ContainsRune([]byte("+-.eE"), r) }) >= 0 {
		return 0, rest, malformed
	}
	v, err := strconv.ParseFloat(string(token), 64)
	if err != nil {
		return 0, rest, malformed
	}
	return v, rest, number
}

// parseDecimal reads digits with at most one point, up to 15 of them: such a number is an integer divided by a power of
// ten, both exact, so the quotient is what strconv.ParseFloat would return.
func parseDecimal(b []byte) (float64, bool) {
	if len(b) == 0 || len(b) > 16 {
		return 0, false
	}
	var n int64
	digits, point := 0, -1
	for i, c := range b {
		switch {
		case isDigit(c):
			n = n*10 + int64(c-'0')
			digits++
		case c == '.' && point < 0:
			point = i
		default:
			return 0, false
		}
	}
	if digits == 0 || digits > 15 {
		return 0, false
	}
	if point < 0 {
		return float64(n), true
	}
	return float64(n) / powersOfTen[len(b)-1-point], true
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

func isNotFinite(b []byte) bool {
	b = bytes.TrimLeft(b, "+-")
	return bytes.EqualFold(b, []byte("nan")) || bytes.EqualFold(b, []byte("inf")) || bytes.EqualFold(b, []byte("infinity"))
}

// isNumberByte tells the bytes of a token from what ends it: a blank, a comma, a letter-free end of line.
func isNumberByte(c byte) bool {
	return isDigit(c) || c == '.' || c == '+' || c == '-' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func skipBlanks(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	return b
}

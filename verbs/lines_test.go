package verbs

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func readAll(l *lines) []string {
	var out []string
	for l.next() {
		out = append(out, l.text)
	}
	return out
}

func TestLinesClean(t *testing.T) {
	clean := func(in string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, readAll(newLines(strings.NewReader(in)))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
	clean("")
	clean("a\nb", "a", "b")
	clean("a\r\n\r\nb\r\n", "a", "", "b")
	clean("\ufeffa\n\ufeffb\n", "a", "\ufeffb")
	clean("\x1b[1;31mred\x1b[0m x\n", "red x")
	clean("\x1b]0;title\x07a\x1b]0;t\x1b\\b\x1b(Bc\x1b=d\n", "abcd")
	clean("cut\x1b[3", "cut")
	clean("cut\x1b", "cut")
}

// A long line is counted and passed over, and not held in memory.
func TestLinesLong(t *testing.T) {
	in := io.MultiReader(strings.NewReader("a\n"), io.LimitReader(zeros{}, 3*maxLine), strings.NewReader("\nb\n"))
	l := newLines(in)
	got := readAll(l)
	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if l.long != 1 || l.num != 3 || cap(l.buf) > 2*maxLine {
		t.Errorf("long %d, lines %d, buffer %d; want 1, 3 and at most %d", l.long, l.num, cap(l.buf), 2*maxLine)
	}
}

func TestLinesEndless(t *testing.T) {
	l := newLines(endless{})
	for l.next() {
	}
	if !l.over || l.total > maxInput+64<<10 {
		t.Errorf("over %v after %d bytes, want a stop at %d", l.over, l.total, maxInput)
	}
}

func TestLinesReadError(t *testing.T) {
	boom := errors.New("connection lost")
	l := newLines(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(boom)))
	readAll(l)
	if !errors.Is(l.inputError("x", "y"), boom) {
		t.Errorf("error %v does not wrap %v", l.inputError("x", "y"), boom)
	}
}

// zeros is an endless line, endless are endless short lines.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
		if i%1000 == 0 {
			p[i] = '\n'
		}
	}
	return len(p), nil
}

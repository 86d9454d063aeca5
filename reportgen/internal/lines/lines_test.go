package lines

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

type seen struct {
	Line          string
	Number        int
	TooLong, Torn bool
}

func readAll(t *testing.T, src io.Reader) []seen {
	t.Helper()
	var got []seen
	r := New(src)
	for r.Next() {
		got = append(got, seen{string(r.Bytes()), r.Number(), r.TooLong(), r.Torn()})
	}
	if err := r.Err(); err != nil {
		t.Fatalf("Err() = %v", err)
	}
	return got
}

func TestReader(t *testing.T) {
	long := strings.Repeat("x", MaxLine+1)
	fits := strings.Repeat("y", MaxLine)
	check := func(name, in string, want ...seen) {
		t.Run(name, func(t *testing.T) {
			for _, src := range []io.Reader{strings.NewReader(in), iotest.HalfReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in))} {
				if diff := cmp.Diff(want, readAll(t, src)); diff != "" {
					t.Errorf("(-want +got)\n%.2000s", diff)
				}
			}
		})
	}
	check("empty", "")
	check("lines", "a\n\nb\n", seen{Line: "a", Number: 1}, seen{Line: "", Number: 2}, seen{Line: "b", Number: 3})
	check("torn", "a\nb", seen{Line: "a", Number: 1}, seen{Line: "b", Number: 2, Torn: true})
	check("longest", fits+"\nb\n", seen{Line: fits, Number: 1}, seen{Line: "b", Number: 2})
	check("too long", "a\n"+long+"\nb\n", seen{Line: "a", Number: 1}, seen{Number: 2, TooLong: true}, seen{Line: "b", Number: 3})
	check("far too long", strings.Repeat(long, 20)+"\nb\n", seen{Number: 1, TooLong: true}, seen{Line: "b", Number: 2})
	check("too long and torn", long, seen{Number: 1, TooLong: true, Torn: true})
	check("buffer boundary", strings.Repeat(fits+"\n", 9), func() (want []seen) {
		for i := range 9 {
			want = append(want, seen{Line: fits, Number: i + 1})
		}
		return want
	}()...)
}

func TestReaderErrors(t *testing.T) {
	broken := errors.New("broken")
	r := New(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)))
	for r.Next() {
	}
	if !errors.Is(r.Err(), broken) {
		t.Errorf("Err() = %v, want %v", r.Err(), broken)
	}
	r.Reset(stuck{})
	if r.Next() || !errors.Is(r.Err(), io.ErrNoProgress) {
		t.Errorf("Err() = %v, want %v", r.Err(), io.ErrNoProgress)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

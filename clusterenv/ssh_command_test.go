package clusterenv

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestMark(t *testing.T) {
	m := func() *mark { return &mark{token: "tok", seen: make(chan struct{})} }
	noise := strings.Repeat("n", 2*maxNoise)
	tests := []struct {
		name, in, out string
		group         int
		start         string
	}{
		{"alone", "tok 12 345\n", "", 12, "345"},
		{"before output", "tok 12 345\nerr\n", "err\n", 12, "345"},
		{"after a warning", "bash: warning\ntok 12 345\nerr", "bash: warning\nerr", 12, "345"},
		{"only once", "tok 12 345\ntok 1 2\n", "tok 1 2\n", 12, "345"},
		{"never", "err\n", "err\n", 0, ""},
		{"cut short", "tok 12", "tok 12", 0, ""},
		{"junk", "tok x y z\nerr", "err", 0, ""},
		{"after much noise", noise + "tok 1 2\n", noise + "tok 1 2\n", 0, ""},
		{"empty", "", "", 0, ""},
	}
	readers := map[string]func(io.Reader) io.Reader{
		"whole":     func(r io.Reader) io.Reader { return r },
		"bytewise":  iotest.OneByteReader,
		"early EOF": iotest.DataErrReader,
	}
	for _, tt := range tests {
		for how, reader := range readers {
			if how != "whole" && len(tt.in) > maxNoise {
				continue // where reading stops then depends on the pieces
			}
			t.Run(tt.name+"/"+how, func(t *testing.T) {
				var out bytes.Buffer
				m := m()
				require.NoError(t, m.copyStderr(&out, reader(strings.NewReader(tt.in))))
				<-m.seen
				if diff := cmp.Diff(tt.out, out.String()); diff != "" {
					t.Errorf("output (-want +got):\n%s", diff)
				}
				require.Equal(t, tt.group, m.group)
				require.Equal(t, tt.start, m.start)
			})
		}
	}
}

func FuzzMark(f *testing.F) {
	f.Add([]byte("warning\n"), []byte("err\n"))
	f.Add([]byte("tok"), []byte("tok 1 2\n"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		if bytes.Contains(before, []byte("tok ")) || bytes.HasSuffix(before, []byte("tok")) || len(before) > maxNoise/2 {
			return
		}
		m := &mark{token: "tok", seen: make(chan struct{})}
		var out bytes.Buffer
		in := io.MultiReader(bytes.NewReader(before), strings.NewReader("tok 12 345\n"), bytes.NewReader(after))
		if err := m.copyStderr(&out, in); err != nil {
			t.Fatal(err)
		}
		<-m.seen
		if want := append(bytes.Clone(before), after...); !bytes.Equal(want, out.Bytes()) || m.group != 12 {
			t.Errorf("group %d, output %q, want %q", m.group, out.Bytes(), want)
		}
	})
}

// FuzzQuote has a shell read back what was quoted for it.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "'", "''", `\'`, "a b", "$(x)`y`", "\n", "\xff'\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.Contains(s, "\x00") || len(s) > 1000 {
			return
		}
		out, err := exec.Command("/bin/sh", "-c", "printf '%s|' "+quote(s)+" end").Output()
		if err != nil || string(out) != s+"|end|" {
			t.Errorf("%q came back as %q, %v", s, out, err)
		}
	})
}

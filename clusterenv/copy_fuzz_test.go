package clusterenv

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestDigestedReader(t *testing.T) {
	for _, text := range []string{"", "x", strings.Repeat("y", 100_000)} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
			got, err := io.ReadAll(iotest.HalfReader(&digestedReader{r: r, sum: sha256.New()}))
			require.NoError(t, err)
			require.Equal(t, text+hexSum([]byte(text)), string(got))
		}
	}
}

func TestDigestedWriter(t *testing.T) {
	sum := hexSum([]byte("hello\n"))
	for _, tt := range []struct{ in, problem string }{
		{"6\nhello\n" + sum + "  -\n", ""},
		{"6\nhello\n" + sum[1:] + "  -\n", "damaged"},
		{"6\nhellO\n" + sum + "  -\n", "damaged"},
		{"7\nhello\n", "cut short"},
		{"6\nhello\n", "cut short"},
		{"6\nhel", "cut short"},
		{"6", "cut short"},
		{"", "cut short"},
		{"-1\n", "unexpected answer"},
		{"six\n", "unexpected answer"},
		{strings.Repeat("6", 100), "unexpected answer"},
		{"1\n" + strings.Repeat("6", 1000), "more came"},
	} {
		for _, size := range []int{1, 3, 1 << 20} {
			var out bytes.Buffer
			w := &digestedWriter{w: &out, sum: sha256.New()}
			_, err := io.CopyBuffer(w, struct{ io.Reader }{strings.NewReader(tt.in)}, make([]byte, size))
			if err == nil {
				_, err = w.verify()
			}
			if tt.problem == "" {
				require.NoError(t, err)
				require.Equal(t, "hello\n", out.String())
			} else {
				require.ErrorContains(t, err, tt.problem, "%q", tt.in)
			}
		}
	}
}

func FuzzDigestedWriter(f *testing.F) {
	f.Add([]byte("6\nhello\n" + hexSum([]byte("hello\n")) + "  -\n"))
	f.Add([]byte("6\nhello\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		w := &digestedWriter{w: &out, sum: sha256.New()}
		if _, err := w.Write(in); err != nil {
			return
		}
		if sum, err := w.verify(); err == nil && sum != hexSum(out.Bytes()) {
			t.Errorf("accepted %q with %s", out.Bytes(), sum)
		}
	})
}

// archive is what copyDir might print.
func archive(t testing.TB, line string, entries ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(line)
	w := tar.NewWriter(&b)
	for _, h := range entries {
		require.NoError(t, w.WriteHeader(h))
		_, err := w.Write(bytes.Repeat([]byte("x"), int(h.Size)))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func regular(name string, size int64) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600}
}

// unpackInto takes in as PullDir does, for the names a and sub/b.
func unpackInto(dir string, in []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	u := &unpacker{root: root, opt: PullOptions{MaxFile: 1 << 16, MaxTotal: 1 << 17}, names: []string{"a", "sub/b"}}
	defer u.discard()
	if err := u.read(bytes.NewReader(in)); err != nil {
		return err
	}
	return u.keep()
}

func TestUnpackHostile(t *testing.T) {
	whole := archive(t, "0 1 \n", regular("./a", 10), regular("./sub/b", 1000))
	for name, in := range map[string][]byte{
		"outside":       archive(t, "0 \n", regular("../a", 1)),
		"absolute":      archive(t, "0 \n", regular("/a", 1)),
		"not asked for": archive(t, "0 \n", regular("./c", 1)),
		"twice":         archive(t, "0 1 \n", regular("./a", 1), regular("./a", 1)),
		"link":          archive(t, "0 \n", &tar.Header{Typeflag: tar.TypeSymlink, Name: "./a", Linkname: "/etc/passwd"}),
		"missing":       archive(t, "0 1 \n", regular("./a", 1)),
		"too large":     archive(t, "0 \n", regular("./a", 1<<16+1)),
		"bad position":  archive(t, "7 \n", regular("./a", 1)),
		"no position":   archive(t, "x \n", regular("./a", 1)),
		"no line":       []byte("0 1 "),
		"nothing":       nil,
		"endless line":  bytes.Repeat([]byte("0 "), 1<<20),
		"cut in header": whole[:100],
		"cut in file":   whole[:600],
		"cut at a file": whole[:5+512*4],
		"junk":          append([]byte("0 \n"), bytes.Repeat([]byte{0xff}, 4096)...),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.Error(t, unpackInto(dir, in))
			requireNoFiles(t, dir)
		})
	}
	dir := t.TempDir()
	require.NoError(t, unpackInto(dir, whole))
	b, err := os.ReadFile(filepath.Join(dir, "sub", "b"))
	require.NoError(t, err)
	require.Len(t, b, 1000)
}

func requireNoFiles(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = errors.New(path + " was left")
		}
		return err
	})
	require.NoError(t, err)
}

func FuzzUnpack(f *testing.F) {
	f.Add(archive(f, "0 1 \n", regular("./a", 10), regular("./sub/b", 1000)))
	f.Add(archive(f, "0 \n", regular("../a", 1)))
	f.Fuzz(func(t *testing.T, in []byte) {
		dir := t.TempDir()
		if err := unpackInto(filepath.Join(dir), in); err != nil {
			requireNoFiles(t, dir)
		}
	})
}

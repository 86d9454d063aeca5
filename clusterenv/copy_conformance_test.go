package clusterenv

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func testPushPull(t *testing.T, s *testServer) {
	n := s.node(t)
	big := make([]byte, 8<<20+1)
	rand.NewChaCha8([32]byte{2}).Read(big)
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"plain":                  []byte("hello\n"),
		"empty":                  {},
		"new/dir/big":            big,
		"64 bytes":               bytes.Repeat([]byte("a"), 64),
		"zeros":                  make([]byte, 100_000),
		"-rf":                    []byte("x"),
		"it's \"odd\" $(id) `x`": []byte("x"),
		"new\nline\n":            []byte("x"),
		"*":                      []byte("x"),
		"\\back\\slash":          []byte("x"),
		"ünïcode 漢":              []byte("x"),
		strings.Repeat("n", 255): []byte("x"),
	} {
		path := dir + "/" + name
		sum, err := n.Push(within(t), path, bytes.NewReader(content), 0o751)
		require.NoError(t, err, "%q", name)
		require.Equal(t, hexSum(content), sum)
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, bytes.Equal(content, got), "%q differs", name)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o751), info.Mode())

		var back bytes.Buffer
		sum, err = n.Pull(within(t), path, &back)
		require.NoError(t, err, "%q", name)
		require.Equal(t, hexSum(content), sum)
		require.True(t, bytes.Equal(content, back.Bytes()), "%q differs", name)
	}
	requireNoParts(t, dir)
}

// requireNoParts makes sure that no unfinished file is left in dir.
func requireNoParts(t *testing.T, dir string) {
	t.Helper()
	for _, pattern := range []string{"/.gotestbed-push.*", "/.pull-*", "/*/.pull-*"} {
		left, err := filepath.Glob(dir + pattern)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

func testPushReplaces(t *testing.T, s *testServer) {
	n := s.node(t)
	path := filepath.Join(t.TempDir(), "f")
	for _, text := range []string{"a longer first version", "second"} {
		_, err := n.Push(within(t), path, strings.NewReader(text), 0o600)
		require.NoError(t, err)
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "second", string(got))
}

func testPushFails(t *testing.T, s *testServer) {
	n := s.node(t)
	dir := t.TempDir()
	broken := errors.New("disk on fire")
	_, err := n.Push(within(t), dir+"/f", io.MultiReader(strings.NewReader("half"), errReader{broken}), 0o600)
	require.ErrorIs(t, err, broken)
	require.NoFileExists(t, dir+"/f")
	require.Eventually(t, func() bool { left, _ := filepath.Glob(dir + "/.gotestbed*"); return len(left) == 0 }, within10, tick)

	_, err = n.Push(within(t), dir, strings.NewReader("x"), 0o600)
	require.ErrorContains(t, err, "is a directory")
	for _, path := range []string{"", "/", dir + "/"} {
		_, err = n.Push(within(t), path, strings.NewReader("x"), 0o600)
		require.ErrorIs(t, err, errPath)
	}
	_, err = n.Push(within(t), "/proc/no/f", strings.NewReader("x"), 0o600)
	var exit *ExitError
	require.ErrorAs(t, err, &exit)
}

// testPushCut breaks the connection in the middle: the node must not take what has come for the file.
func testPushCut(t *testing.T, s *testServer) {
	p := newProxy(t, s.addr)
	n := dialThrough(t, s.target(t), p)
	dir := t.TempDir()
	r, w := io.Pipe()
	pushed := make(chan error, 1)
	go func() {
		_, err := n.Push(within(t), dir+"/f", r, 0o600)
		pushed <- err
	}()
	_, err := w.Write(bytes.Repeat([]byte("0123456789abcdef"), 10_000))
	require.NoError(t, err)
	require.Eventually(t, func() bool { left, _ := filepath.Glob(dir + "/.gotestbed-push.*"); return len(left) == 1 }, within10, tick)
	p.cut()
	require.ErrorIs(t, <-pushed, ErrDisconnected)
	w.Close()
	require.Eventually(t, func() bool { left, _ := os.ReadDir(dir); return len(left) == 0 }, within10, tick, "left behind")
}

func testPullFails(t *testing.T, s *testServer) {
	n := s.node(t)
	dir := t.TempDir()
	for _, path := range []string{dir + "/none", dir, ""} {
		_, err := n.PullFile(within(t), path, dir+"/local")
		require.Error(t, err)
		require.NoFileExists(t, dir+"/local")
	}
	requireNoParts(t, dir)
	require.NoError(t, os.WriteFile(dir+"/f", make([]byte, 1<<20), 0o600))
	full := errors.New("disk full")
	_, err := n.Pull(within(t), dir+"/f", failingWriter{full})
	require.ErrorIs(t, err, full)
	sum, err := n.PullFile(within(t), dir+"/f", dir+"/local")
	require.NoError(t, err)
	require.Equal(t, hexSum(make([]byte, 1<<20)), sum)
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func testPullDir(t *testing.T, s *testServer) {
	n := s.node(t)
	far, near := t.TempDir(), filepath.Join(t.TempDir(), "new")
	content := map[string]string{
		"m_cn0.log":                       "log\n",
		"-e sh":                           "dash",
		"sub/dir/details.txt":             strings.Repeat("x", 100_000),
		"odd 'name'\n$(id)":               "",
		strings.Repeat("long/", 60) + "f": "deep",
		"ünïcode":                         "u",
	}
	names := []string{"missing", "sub"} // the latter is a directory
	for name, text := range content {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(far, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(far, name), []byte(text), 0o640))
		names = append(names, name)
	}
	got, err := n.PullDir(within(t), far, near, PullOptions{}, names...)
	require.NoError(t, err)
	if diff := cmp.Diff(names[2:], got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for name, text := range content {
		b, err := os.ReadFile(filepath.Join(near, name))
		require.NoError(t, err)
		require.Equal(t, text, string(b))
	}
	requireNoParts(t, near)

	got, err = n.PullDir(within(t), far, near, PullOptions{}, "missing")
	require.NoError(t, err)
	require.Empty(t, got)
}

func testPullDirFails(t *testing.T, s *testServer) {
	n := s.node(t)
	far, near := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(far+"/small", make([]byte, 1000), 0o600))
	require.NoError(t, os.WriteFile(far+"/large", make([]byte, 8<<20), 0o600))
	for name, opt := range map[string]PullOptions{
		"large has 8388608 bytes, more than 1048576":        {MaxFile: 1 << 20},
		"files up to large have 8389608 bytes, more than 2": {MaxTotal: 2 << 20},
	} {
		_, err := n.PullDir(within(t), far, near, opt, "small", "large")
		require.ErrorContains(t, err, name)
	}
	for _, name := range []string{"../up", "/etc/passwd", "a/../b", "", ".", "./a"} {
		_, err := n.PullDir(within(t), far, near, PullOptions{}, name)
		require.ErrorIs(t, err, errPath, name)
	}
	_, err := n.PullDir(within(t), far+"/none", near, PullOptions{}, "small")
	var exit *ExitError
	require.ErrorAs(t, err, &exit)

	require.NoError(t, os.Symlink(t.TempDir(), near+"/out"))
	require.NoError(t, os.Mkdir(far+"/out", 0o755))
	require.NoError(t, os.WriteFile(far+"/out/f", []byte("x"), 0o600))
	_, err = n.PullDir(within(t), far, near, PullOptions{}, "small", "out/f")
	require.ErrorContains(t, err, "escapes")

	left, err := os.ReadDir(near)
	require.NoError(t, err)
	require.Len(t, left, 1, "only the link should be there")
	_, err = n.Run(context.WithoutCancel(within(t)), "true")
	require.NoError(t, err)
}

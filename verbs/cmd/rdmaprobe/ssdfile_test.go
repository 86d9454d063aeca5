package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// openFile opens the file that ssd-serve would.
func openFile(t *testing.T, path string, size int64) *ssdFile {
	t.Helper()
	f, err := openSSDFile(t.Context(), path, size)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

func TestSSDFileIsMadeOnceAndReused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	const size = 3 << 20
	f := openFile(t, path, size)
	require.True(t, f.made)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Len(t, data, size)
	want := map[int64]string{}
	for n := int64(size); n >= 12<<10; n /= 2 {
		sum := sha256.Sum256(data[:n])
		want[n] = hex.EncodeToString(sum[:])
	}
	if diff := cmp.Diff(want, f.sums); diff != "" {
		t.Errorf("sums of all, half and so on (-want +got):\n%s", diff)
	}
	block := make([]byte, 8192)
	fillAt(block, size-8192)
	require.Equal(t, data[size-8192:], block, "what is at an offset does not depend on how it was written")

	before, err := os.Stat(path)
	require.NoError(t, err)
	require.False(t, openFile(t, path, size).made, "what is there is used")
	shorter := openFile(t, path, size/2)
	require.False(t, shorter.made, "the beginning of a longer file is used, too")
	require.Equal(t, want[size/2], shorter.sums[size/2])
	after, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, before.ModTime(), after.ModTime())

	require.True(t, openFile(t, path, 2*size).made, "a shorter one is made anew")
	after, err = os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 2*size, after.Size())
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing else is left")
}

// TestSSDFileLeavesOthersAlone: what is not its own it does not write over, and what it could not finish it removes.
func TestSSDFileLeavesOthersAlone(t *testing.T) {
	dir := t.TempDir()
	bad := func(ctx context.Context, path string, size int64, words string) {
		t.Helper()
		before, err := os.ReadDir(dir)
		require.NoError(t, err)
		_, err = openSSDFile(ctx, path, size)
		require.ErrorContains(t, err, words)
		require.ErrorContains(t, err, path)
		after, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Equal(t, len(before), len(after))
	}
	path := filepath.Join(dir, "file")
	bad(t.Context(), path, 1<<60, "no space on the disk")
	bad(t.Context(), filepath.Join(dir, "none", "file"), ssdUnit, "no such file or directory")
	bad(t.Context(), dir, ssdUnit, "holds something else")
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	bad(stopped, path, ssdUnit, "context canceled")

	notes := []byte("three weeks of work, in no other place\n")
	require.NoError(t, os.WriteFile(path, notes, 0o644))
	bad(t.Context(), path, ssdUnit, "holds something else")
	left, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, notes, left)

	own := make([]byte, 2*ssdUnit)
	fillAt(own, 0)
	own[ssdUnit+1] ^= 1
	require.NoError(t, os.WriteFile(path, own, 0o644))
	bad(t.Context(), path, 2*ssdUnit, "holds something else")
	require.NoError(t, os.WriteFile(path, own[:ssdUnit-3], 0o644))
	require.True(t, openFile(t, path, 2*ssdUnit).made, "a beginning is no whole file")
}

func TestSSDFileThatShrinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f := openFile(t, path, 4*ssdUnit)
	f.direct.Close() // memory of this test is not aligned for it
	f.direct = nil
	block := make([]byte, 2*ssdUnit)
	require.NoError(t, f.readBlock(block, 2*ssdUnit))
	require.NoError(t, os.Truncate(path, 3*ssdUnit))
	err := f.readBlock(block, 2*ssdUnit)
	require.ErrorIs(t, err, errShort)
	require.ErrorContains(t, err, "it ends at 12288")
	_, err = warm(f.file, 4*ssdUnit)
	require.ErrorIs(t, err, errShort)
}

func TestPageCache(t *testing.T) {
	f := openFile(t, filepath.Join(t.TempDir(), "file"), 1<<20)
	how, err := warm(f.file, 1<<20)
	require.NoError(t, err)
	require.EqualValues(t, 1, how.Resident)
	how, err = cool(f.file, 1<<20)
	require.NoError(t, err)
	t.Logf("%+v", how)
	if f.direct != nil {
		require.Less(t, how.Resident, 1.0, "a file on a disk can be cooled, as far as others leave it alone")
	}
}

func TestCheckSSD(t *testing.T) {
	require.NoError(t, checkSSD(4<<30, 16<<20))
	require.NoError(t, checkSSD(ssdUnit, ssdUnit))
	for _, bad := range []struct{ size, block int64 }{{0, ssdUnit}, {-ssdUnit, ssdUnit}, {5000, ssdUnit}, {1 << 20, 100}, {1 << 20, 0}, {4 << 30, 2 << 30}, {3 * ssdUnit, 2 * ssdUnit}} {
		require.Error(t, checkSSD(bad.size, bad.block), "%+v", bad)
	}
}

func TestSSDUsage(t *testing.T) {
	bad := func(words string, args ...string) {
		t.Helper()
		var stderr bytes.Buffer
		require.Equal(t, 2, run(t.Context(), args, newStdio(strings.NewReader(""), io.Discard, &stderr)))
		require.Contains(t, stderr.String(), words)
	}
	serve := []string{"ssd-serve", "-device", "mlx5_2"}
	bad("-listen or -file is missing", serve...)
	bad("-size is no multiple", append(serve, "-listen", "127.0.0.1:0", "-file", "x", "-size", "5000")...)
	read := []string{"ssd-read", "-device", "mlx5_2", "-size", "8192"}
	bad("block 0: a multiple of 4096 bytes", read...)
	bad("size 8192: a multiple of the block", append(read, "-block", "12288")...)
	bad("-peer is missing", append(read, "-block", "4096")...)
	bad("neither pinned nor staged", append(read, "-block", "4096", "-peer", "127.0.0.1:1", "-mode", "mapped")...)
}

// TestStagesAreChecked asks a session for what it does not have.
func TestStagesAreChecked(t *testing.T) {
	s := ssdSession{file: openFile(t, filepath.Join(t.TempDir(), "file"), 1<<20)}
	for words, r := range map[string]ssdRequest{
		"cannot do":               {Do: "reboot"},
		"there is no buffer":      {Do: doStage},
		"shorter than asked":      {Do: doPin, Size: 2 << 20},
		"only all, half":          {Do: doPin, Size: 3 << 18},
		"size 0":                  {Do: doBuffer, Block: ssdUnit},
		"block 1":                 {Do: doBuffer, Size: 1 << 20, Block: 1},
		"1048576 bytes, and 4194": {Do: doBuffer, Size: 4 << 20, Block: ssdUnit},
	} {
		_, err := s.answer(r)
		require.ErrorContains(t, err, words)
	}
}

// FuzzSSDRequests: whatever a peer asks for, without a region it gets none.
func FuzzSSDRequests(f *testing.F) {
	f.Add([]byte(`{"do":"pin","size":1048576,"cold":true}` + "\n" + `{"do":"stage","offset":4096}` + "\n"))
	f.Add([]byte(`{"do":"buffer","size":1048576,"block":4096}` + "\n{}\nnull\n"))
	f.Add([]byte(`{"do":"stage","offset":-9223372036854775808}` + "\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		c := newControl(struct {
			io.Reader
			io.Writer
		}{bytes.NewReader(in), io.Discard})
		s := ssdSession{file: &ssdFile{size: 1 << 20}}
		for {
			var r ssdRequest
			if c.receive(&r) != nil {
				return
			}
			if a, err := s.answer(r); err == nil || a != (ssdReply{}) {
				t.Errorf("%+v got %+v, %v", r, a, err)
			}
		}
	})
}

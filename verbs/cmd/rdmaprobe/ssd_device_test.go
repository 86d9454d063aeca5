//go:build ibverbs

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/verbs"
	"github.com/gotestbed/gotestbed/verbs/probe"
)

const testFileSize = 1 << 20

// startSSD is rdmaprobe ssd-serve in this process, with a file of testFileSize bytes.
func startSSD(t *testing.T, path string) (*testServer, probe.SSDListening) {
	t.Helper()
	s, line := listening(t, "ssd-serve", "-file", path, "-size", strconv.Itoa(testFileSize))
	l, err := probe.ParseSSDListening(line)
	require.NoError(t, err)
	s.addr = l.Listening.String()
	return s, l
}

func readSSD(t *testing.T, s *testServer, args ...string) (code int, r probe.SSDRead, stderr string) {
	t.Helper()
	code, out, stderr := s.client(t, testToken, "ssd-read", args...)
	if out != "" {
		require.NoError(t, json.Unmarshal([]byte(out), &r))
	}
	return code, r, stderr
}

func TestSSDOnADevice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	s, l := startSSD(t, path)
	require.True(t, l.Made)
	require.True(t, l.Direct, l.DirectReason)
	before := resources(t)
	for _, mode := range []string{probe.Pinned, probe.Staged} {
		for _, block := range []int{4096, 65536, testFileSize} {
			size := min(testFileSize, 16*block)
			code, r, errs := readSSD(t, s, "-mode", mode, "-size", fmt.Sprint(size), "-block", fmt.Sprint(block))
			require.Equal(t, 0, code, errs)
			require.True(t, r.OK)
			require.Equal(t, size/block, r.Blocks)
			if size == testFileSize {
				require.Equal(t, l.SHA256, r.SHA256)
			}
			if mode == probe.Pinned {
				require.Zero(t, r.Cold.Resident, "%+v", r.Cold)
				require.EqualValues(t, 1, r.Warm.Resident)
			} else {
				require.Positive(t, r.DiskUS)
				require.Less(t, r.DiskUS, r.LatencyUS)
			}
			require.Empty(t, s.ended(t).Error)
			require.Equal(t, before, resources(t), "open before and after")
		}
	}
}

// TestSSDBytesThatDiffer changes the file under the server's feet.
func TestSSDBytesThatDiffer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	s, _ := startSSD(t, path)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt(make([]byte, 100), 300_000)
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
	for _, mode := range []string{probe.Pinned, probe.Staged} {
		code, r, errs := readSSD(t, s, "-mode", mode, "-size", fmt.Sprint(testFileSize), "-block", "65536")
		require.Equal(t, probe.Differs, code, errs)
		require.False(t, r.OK)
		require.Equal(t, 300_000, r.Difference.Offset)
		require.True(t, r.Difference.Zeros)
		require.Empty(t, s.ended(t).Error)
	}
}

// TestSSDRefusals: what cannot be read is an error of the client that names the server's cause, and nothing stays open.
func TestSSDRefusals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	s, _ := startSSD(t, path)
	before := resources(t)
	bad := func(words, mode string, size, block int) {
		t.Helper()
		code, _, errs := readSSD(t, s, "-mode", mode, "-size", fmt.Sprint(size), "-block", fmt.Sprint(block))
		require.Equal(t, 1, code)
		require.Contains(t, errs, "rdmaprobe: client: ")
		require.Contains(t, errs, words)
		require.Empty(t, s.ended(t).Error, "the server told it, and the client went")
		require.Equal(t, before, resources(t), "open before and after")
	}
	for _, mode := range []string{probe.Pinned, probe.Staged} {
		bad("the file is shorter than asked: "+path+" has 1048576 bytes, and 2097152 were asked for", mode, 2*testFileSize, 4096)
		bad("only all, half, a quarter", mode, testFileSize-4096, 4096)
	}
	require.NoError(t, os.Truncate(path, testFileSize/2))
	bad("the file has 524288 bytes, and 1048576 from 0 were asked for", probe.Pinned, testFileSize, 65536)
	bad("block at 524288 of 1048576: server: stage: the file is shorter than asked: it ends at 524288", probe.Staged, testFileSize, 65536)

	code, _, errs := s.client(t, strings.Repeat("5f", 32), "ssd-read", "-size", "4096", "-block", "4096")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "different tokens")
	require.Contains(t, s.ended(t).Error, "different tokens")
	require.Equal(t, before, resources(t), "open before and after")
}

// TestSSDPeersThatDie: the one that is left says which step it was in, and keeps nothing open.
func TestSSDPeersThatDie(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	s, _ := startSSD(t, path)
	before := resources(t)
	token, err := verbs.ParseToken(testToken)
	require.NoError(t, err)
	connect := func(c common) *ssdClient {
		cl, err := dial(t.Context(), c, s.addr, token, 4096, 1, 0)
		require.NoError(t, err)
		return &ssdClient{client: cl, result: probe.SSDRead{Mode: probe.Pinned, Size: testFileSize, Block: 4096}}
	}
	c := common{timeout: 3 * time.Second}
	c.Device, c.Port = s.flags[1], 1
	fmt.Sscan(*gidIndex, &c.GIDIndex)

	cl := connect(c)
	_, err = cl.prepare(ssdRequest{Do: doPin, Size: testFileSize})
	require.NoError(t, err)
	_, err = io.WriteString(cl.conn, `{"do":"st`)
	require.NoError(t, err)
	require.NoError(t, cl.Close())
	require.Contains(t, s.ended(t).Error, "server: read request: unexpected EOF")
	require.Equal(t, before, resources(t), "the client died with the file pinned")

	cl = connect(c)
	_, err = cl.prepare(ssdRequest{Do: doPin, Size: testFileSize})
	require.NoError(t, err)
	require.NoError(t, cl.conn.(*net.TCPConn).CloseWrite())
	require.Empty(t, s.ended(t).Error)
	began := time.Now()
	err = cl.clock(t.Context())
	require.ErrorContains(t, err, "READ of the block at 0 of 1048576: ")
	require.Less(t, time.Since(began), 5*time.Second, "the limit of a step is 3 s")
	cl.result.Mode = probe.Staged
	require.ErrorContains(t, cl.clock(t.Context()), "block at 0 of 1048576: ")
	require.NoError(t, cl.Close())
	require.Equal(t, before, resources(t), "the server died")
}

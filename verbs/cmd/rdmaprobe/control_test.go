package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/verbs/probe"
)

func TestPatternHasNoZeroAndDiffersBySeedAndPlace(t *testing.T) {
	a, b := make([]byte, 4099), make([]byte, 4099)
	fill(a, 1)
	fill(b, 2)
	require.NotContains(t, a, byte(0))
	require.NotContains(t, a, byte(poison))
	require.NotEqual(t, a, b)
	require.NotEqual(t, a[:64], a[64:128])
	require.Nil(t, compare(a, 1))
	require.Equal(t, 0, compare(a, 2).Offset)
}

func TestCompareNamesTheFirstByteThatDiffers(t *testing.T) {
	mem := make([]byte, 100)
	fill(mem, 1)
	mem[70], mem[90] = 0, 0
	d := compare(mem, 1)
	require.Equal(t, 70, d.Offset)
	require.Equal(t, 2, d.Bytes)
	require.True(t, d.Zeros)
	require.True(t, strings.HasPrefix(d.Found, "00"), d.Found)
	require.Len(t, d.Expected, 2*shown)
	mem[95] = 2
	require.False(t, compare(mem, 1).Zeros)
	require.Equal(t, &probe.Difference{Offset: 16, Bytes: 1, Expected: "0000000000000102", Found: "0000000000000103"}, compareWord(16, 0x102, 0x103))
	require.Nil(t, compareWord(0, 5, 5))
}

func TestTheServerRefusesWhatIsOutsideOfItsRegion(t *testing.T) {
	mem := make([]byte, 64)
	for _, r := range []request{
		{Do: doFill, Size: 65}, {Do: doFill, Size: -1}, {Do: doVerify, Size: 1 << 62}, {Do: doLoad, Offset: 60}, {Do: doLoad, Offset: -8},
		{Do: doStore, Offset: 64}, {Do: doStore, Offset: 3}, {Do: "reboot"}, {},
	} {
		_, err := serveMemory(mem, r)
		require.Error(t, err, "%+v", r)
	}
	require.Equal(t, make([]byte, 64), mem)
	_, err := serveMemory(mem, request{Do: doStore, Offset: 56, Value: 7})
	require.NoError(t, err)
	a, err := serveMemory(mem, request{Do: doLoad, Offset: 56})
	require.NoError(t, err)
	require.EqualValues(t, 7, a.Value)
}

// TestAServerThatMisbehaves gives the client every bad answer.
func TestAServerThatMisbehaves(t *testing.T) {
	bad := func(answer, words string) {
		t.Helper()
		client, server := net.Pipe()
		go func() {
			io.ReadFull(server, make([]byte, len(`{"do":"verify"}`)+1))
			io.WriteString(server, answer)
			server.Close()
		}()
		_, err := newControl(client).ask(request{Do: doVerify})
		require.ErrorContains(t, err, words)
	}
	bad("", "answer of the server to verify: unexpected EOF")
	bad("HTTP/1.1 400 Bad Request\r\n\r\n", "invalid character 'H'")
	bad(`{"value":`, "unexpected EOF")
	bad(strings.Repeat("x", 2*maxControl), "a line of more than 4096 bytes")
	bad(`{"error":"no"}`+"\n", "server: verify: no")
	bad(`{"colour":"red"}`+"\n", "unknown field")
}

func TestTokenIsRead(t *testing.T) {
	read := func(text string) error {
		_, err := newStdio(strings.NewReader(text), nil, nil).token()
		return err
	}
	require.NoError(t, read(strings.Repeat("0a", 32)+"\nmore"))
	for _, text := range []string{"", "0a\n", strings.Repeat("0a", 32), strings.Repeat("0a", 40) + "\n", strings.Repeat("xy", 32) + "\n"} {
		require.Error(t, read(text), "%q", text)
		require.NotContains(t, read(text).Error(), "0a0a", "a token is not told")
	}
}

func TestUsage(t *testing.T) {
	bad := func(words string, args ...string) {
		t.Helper()
		var stderr bytes.Buffer
		require.Equal(t, 2, run(t.Context(), args, newStdio(strings.NewReader(""), io.Discard, &stderr)))
		require.Contains(t, stderr.String(), words)
	}
	bad("usage:")
	bad("usage:", "fly")
	bad("-device is missing", "info")
	bad("unexpected argument", "info", "-device", "mlx5_2", "now")
	bad("must be positive", "info", "-device", "mlx5_2", "-timeout", "-1s")
	bad("-listen is missing", "serve", "-device", "mlx5_2")
	bad("-fault is not zeros", "serve", "-device", "mlx5_2", "-listen", "127.0.0.1:0", "-fault", "ones")
	bad("-peer is missing", "check", "-device", "mlx5_2")
	bad("no multiple of 8", "check", "-device", "mlx5_2", "-peer", "127.0.0.1:1", "-size", "12")
	bad("-op is unknown", "bench", "-device", "mlx5_2", "-peer", "127.0.0.1:1", "-op", "fly")
}

func FuzzRequests(f *testing.F) {
	f.Add([]byte(`{"do":"fill","seed":1,"size":64}` + "\n" + `{"do":"load","offset":8}` + "\n"))
	f.Add([]byte(`{"do":"store","offset":8,"value":18446744073709551615}` + "\n"))
	f.Add([]byte("\n\n{}\nnull\n[]\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		c := newControl(struct {
			io.Reader
			io.Writer
		}{bytes.NewReader(in), io.Discard})
		mem := make([]byte, 64)
		for {
			var r request
			if c.receive(&r) != nil {
				return
			}
			before := binary.NativeEndian.Uint64(mem)
			if _, err := serveMemory(mem, r); err != nil && before != binary.NativeEndian.Uint64(mem) {
				t.Errorf("%+v was refused (%v) and changed memory", r, err)
			}
		}
	})
}

package recording

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
)

func sampleHeader() Header {
	return Header{
		Test: "TestLab", Date: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Cluster: "lab", Tag: "cloudlab", Command: []string{"e2e.test", "-reps", "3"},
		Tools: map[string]string{"go": "go1.26.0"}, Flags: map[string]string{"reps": "3"},
		node: "mn", run: "0123456789abcdef", spec: digest(nil), standIns: map[string]string{"run": "ffff"},
	}
}

// sampleRequests has every kind of thing that a request can have.
func sampleRequests() []*Request {
	long := strings.Repeat("echo a long script\n", 400)
	binary := bytes.Repeat([]byte{0, 1, 2, 255, '\n'}, 50)
	big := bytes.Repeat([]byte("Tried txn thpt: 14.32 KOPS\n"), 500)
	none := Input{Kind: InputNone}
	return []*Request{
		{Scope: "setup", Argv: []string{"true"}, Input: none, Form: FormPlain, Began: 1, Ended: 2, At: time.Second, Took: 1500 * time.Microsecond, End: End{Kind: EndExit}},
		{Scope: "TestLab/a b/⟦run⟧", Argv: []string{"sh", "-c", long, "name", "", "a\nb\x00\xff", `"q"`}, Form: FormPlain, Began: 3, Ended: 8,
			Input:  Input{Kind: InputKept, Size: 3, Digest: digest([]byte("in\n")), Data: []byte("in\n")},
			Output: []Chunk{{Data: binary}, {Stderr: true, After: time.Millisecond, Data: []byte("oops")}, {After: 2 * time.Second, Data: big}},
			End:    End{Kind: EndExit, Status: 255}},
		{Scope: "TestLab", Argv: []string{"sh", "-c", long, "again"}, Form: FormFile, Files: []File{{Mode: 0o644, Data: big}}, End: End{Kind: EndSignal, Text: "KILL"},
			Input: Input{Kind: InputOpaque, Size: 1 << 30, Digest: digest(big)}, Output: []Chunk{{Stderr: true, Data: []byte("x")}}},
		{Scope: "TestLab", Argv: []string{"tar"}, Input: none, Form: FormTorn, Line: "0 1\n", Files: []File{{Name: "./a", Mode: 0o755, Data: nil}, {Name: "./b\n", Mode: 0o600, Data: binary}},
			End: End{Kind: EndDisconnected, Text: "node \"gone\"", AtStart: true}},
		{Scope: "TestLab", Argv: []string{"tail"}, Input: Input{Kind: InputPartial, Digest: digest(nil)}, Form: FormPlain, End: End{Kind: EndCancelled, Text: "found"}},
	}
}

func encodeFile(h Header, requests []*Request) []byte {
	e := &encoder{}
	for _, r := range requests {
		e.request(r)
	}
	head := h.encode()
	return append(append(head, e.out.Bytes()...), trailer(head, e.out.Bytes())...)
}

func TestEncodeThenParse(t *testing.T) {
	data := encodeFile(sampleHeader(), sampleRequests())
	rec, err := parse(data)
	require.Nil(t, err)
	if d := cmp.Diff(sampleRequests(), rec.Requests, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
	if d := cmp.Diff(sampleHeader(), rec.Header, cmp.AllowUnexported(Header{})); d != "" {
		t.Errorf("header (-want +got):\n%s", d)
	}
	require.Equal(t, 1, bytes.Count(data, []byte("\ntext ")), "a script that is run twice should be kept once")
}

// reseal gives content a checksum that agrees.
func reseal(data []byte) []byte {
	content := data[:len(data)-len(trailerKey)-65]
	return append(bytes.Clone(content), trailer(content)...)
}

func TestRefused(t *testing.T) {
	good := encodeFile(sampleHeader(), sampleRequests())
	edited := func(old, new string) []byte {
		t.Helper()
		require.Contains(t, string(good), old)
		return reseal(bytes.Replace(good, []byte(old), []byte(new), 1))
	}
	flip := bytes.Clone(good)
	at := bytes.Index(flip, []byte("oops"))
	flip[at] ^= 1
	cases := []struct {
		name   string
		data   []byte
		offset int // -1: any
		msg    string
	}{
		{"empty", nil, 0, "empty"},
		{"foreign", []byte("package main\n"), 0, "not a recording"},
		{"foreign binary", []byte{0x1f, 0x8b, 8, 0}, 0, "not a recording"},
		{"newer", bytes.Replace(good, []byte("recording 1"), []byte("recording 2"), 1), 0, "version 2, made by a newer gotestbed"},
		{"cut short", good[:len(good)/2], len(good) / 2, "cut short"},
		{"cut in the checksum", good[:len(good)-3], len(good) - 3, "cut short"},
		{"one byte", flip, len(good) - len(trailerKey) - 65, "edited or damaged"},
		{"bytes after the end", append(bytes.Clone(good), "x\n"...), len(good) + 2, "cut short"},
		{"huge length", edited("stderr 4\n", "stderr 67108864\n"), bytes.Index(good, []byte("stderr 4\n")), "announces 67108864 bytes"},
		{"length beyond all", edited("stderr 4\n", "stderr 99999999999999\n"), bytes.Index(good, []byte("stderr 4\n")), "is more than"},
		{"length of no number", edited("stderr 4\n", "stderr -4\n"), -1, "not a number"},
		{"length too short", edited("stderr 4\n", "stderr 3\n"), -1, "beyond its announced length"},
		{"chunks of another length", edited("err:4@", "err:5@"), -1, "its chunks have 5"},
		{"no such text", edited("arg text ", "arg text 0"), -1, "does not stand before"},
		{"unknown key", edited("cluster: ", "clutter: "), -1, "unknown key"},
		{"no node", edited("node: \"mn\"\n", ""), -1, "no test, node, run or date"},
		{"unknown end", edited("end cancelled", "end forgotten"), -1, "unknown end"},
		{"other zstd size", edited("data 3\nin\n", "data 3 zstd 2\nin\n"), -1, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "TestLab", "mn")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, c.data, 0o644))
			rec, err := Read(path)
			require.Nil(t, rec)
			var bad *FormatError
			require.ErrorAs(t, err, &bad)
			require.Equal(t, path, bad.File)
			require.Contains(t, bad.Msg, c.msg)
			if c.offset >= 0 {
				require.EqualValues(t, c.offset, bad.Offset)
			}
			tag := "local"
			if bytes.Contains(c.data, []byte(`tag: "cloudlab"`)) {
				tag = "cloudlab"
			}
			require.Contains(t, err.Error(), "record it again: go test -tags "+tag+" -timeout 0 ./e2e -run '^TestLab$' -record "+filepath.Dir(filepath.Dir(path)))
		})
	}
}

// A few bytes that would become gigabytes must not.
func TestBombIsRefused(t *testing.T) {
	zeros := compressor.EncodeAll(make([]byte, maxBody), nil)
	var b bytes.Buffer
	head := sampleHeader()
	b.Write(head.encode())
	for i := range 20 {
		fmt.Fprintf(&b, "text %016x %d zstd %d\n%s\n\n", i, 1<<10, len(zeros), zeros)
	}
	data := append(b.Bytes(), trailer(b.Bytes())...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := parse(data)
	runtime.ReadMemStats(&after)
	require.NotNil(t, err)
	require.Contains(t, err.Error(), "has not the announced 1024 bytes")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20))
}

func FuzzParse(f *testing.F) {
	good := encodeFile(sampleHeader(), sampleRequests())
	f.Add(good)
	f.Add(encodeFile(sampleHeader(), nil))
	f.Add([]byte("gotestbed recording 1\n\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, data := range [][]byte{content, append(bytes.Clone(content), trailer(content)...), sealed(content)} {
			rec, err := parse(data)
			if (rec == nil) == (err == nil) {
				t.Fatalf("a value (%v) and an error (%v)", rec, err)
			}
			if err != nil {
				if err.Offset < 0 || err.Offset > int64(len(data)) {
					t.Fatalf("offset %d of %d", err.Offset, len(data))
				}
				continue
			}
			again := encodeFile(rec.Header, rec.Requests)
			rec, err = parse(again)
			if err != nil {
				t.Fatalf("what was read cannot be read again: %v", err)
			}
			if !bytes.Equal(again, encodeFile(rec.Header, rec.Requests)) {
				t.Fatalf("read twice, it is not the same:\n%s", again)
			}
		}
	})
}

// sealed is a good file with other requests.
func sealed(requests []byte) []byte {
	h := sampleHeader()
	content := append(h.encode(), requests...)
	return append(content, trailer(content)...)
}

func FuzzRedact(f *testing.F) {
	for _, s := range []string{"user agnes at 128.110.218.4", "::ffff:1.2.3.4", "b8:ce:f6:12:34:56", "⟦run⟧⟦(⟧", "-----BEGIN PRIVATE KEY-----", "Bearer abcdefgh", "a::", ":::", "1.2.3.4-1.2.3.5"} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		red := cloudRedactor()
		red.values.Set("port", "")
		cuts := []int{max(0, min(cut, len(data))), len(data)}
		out := red.bytes(bytes.Clone(data), cuts)
		if cuts[0] < 0 || cuts[0] > cuts[1] || cuts[1] != len(out) {
			t.Fatalf("cuts %v of %d bytes", cuts, len(out))
		}
		red.scrub(data)
		if bytes.Contains(out, []byte("s3cr3t-value")) {
			t.Fatalf("%q became %q", data, out)
		}
	})
}

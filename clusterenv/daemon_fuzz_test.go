package clusterenv

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestParseExit(t *testing.T) {
	at := time.Unix(1700000000, 250_000_000)
	for in, want := range map[string]Exit{
		"0 - 1700000000.25\n":               {Ended: at},
		"139 - 1700000000.25\n":             {Status: 139, Ended: at},
		"137 KILL 1700000000.25\nexpired\n": {Status: 137, Signal: "KILL", LeaseLost: true, Ended: at},
		"143 TERM 1700000000.250000000\n":   {Status: 143, Signal: "TERM", Ended: at},
		"1 - 1700000000\n":                  {Status: 1, Ended: time.Unix(1700000000, 0)},
	} {
		got, err := parseExit(in)
		require.NoError(t, err, in)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
	for _, in := range []string{"", "0", "0 -\n", "x - 1\n", "256 - 1\n", "-1 - 1\n", "0 - x\n", "0 - 1.x\n", "0 - 1.0123456789\n", "0 - 1\nmore\n", "0 - 1 2\n"} {
		got, err := parseExit(in)
		require.Error(t, err, in)
		require.Zero(t, got, in)
	}
}

func FuzzParseExit(f *testing.F) {
	f.Add("137 KILL 1700000000.25\nexpired\n")
	f.Add("0 - 1700000000\n")
	f.Fuzz(func(t *testing.T, in string) {
		got, err := parseExit(in)
		if err != nil && got != (Exit{}) {
			t.Errorf("an error and a value: %+v", got)
		}
		if err == nil && (got.Status < 0 || got.Status > 255) {
			t.Errorf("status %d", got.Status)
		}
	})
}

func FuzzParseDaemon(f *testing.F) {
	f.Add("12 345 1700000000.25 11\x00/dir\x00/dir/d.log\x00")
	f.Add("12 345 1700000000.25 11\x00\x00")
	f.Fuzz(func(t *testing.T, in string) {
		d, err := parseDaemon(nil, "d", in)
		if (err == nil) == (d == nil) {
			t.Errorf("daemon %v, error %v", d, err)
		}
	})
}

// find runs a lineFinder over chunks.
func find(want string, chunks ...string) (string, bool) {
	f := &lineFinder{want: []byte(want), found: make(chan string, 1), tail: tailBuffer{limit: stderrTail}}
	for _, c := range chunks {
		if _, err := f.Write([]byte(c)); err != nil {
			return <-f.found, true
		}
	}
	f.flush()
	select {
	case line := <-f.found:
		return line, true
	default:
		return "", false
	}
}

func TestLineFinder(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, tt := range []struct {
		chunks []string
		want   string
		found  bool
	}{
		{[]string{"a\nis ready\nb\n"}, "is ready", true},
		{[]string{"is re", "ady", " now\r", "\nb"}, "is ready now", true},
		{[]string{"is ready"}, "is ready", true},
		{[]string{"is re\nady\n"}, "", false},
		{[]string{long + "ready\n", "then ready\n"}, "then ready", true},
		{[]string{long[:maxLine-5] + "ready and more\n"}, long[:maxLine-5] + "ready", true},
		{nil, "", false},
	} {
		line, found := find("ready", tt.chunks...)
		require.Equal(t, tt.found, found, "%.40q", tt.chunks)
		require.Equal(t, tt.want, line)
	}
}

// FuzzLineFinder compares pieces with the whole.
func FuzzLineFinder(f *testing.F) {
	f.Add("a\nis ready\nb\n", "ready", 3)
	f.Fuzz(func(t *testing.T, log, want string, cut int) {
		cut = max(0, min(cut, len(log)))
		whole, ok1 := find(want, log)
		pieces, ok2 := find(want, log[:cut], log[cut:])
		if whole != pieces || ok1 != ok2 {
			t.Errorf("whole %q %v, pieces %q %v", whole, ok1, pieces, ok2)
		}
	})
}

func TestExitString(t *testing.T) {
	for want, e := range map[string]Exit{
		"exit status 0":   {},
		"exit status 139": {Status: 139},
		"signal KILL":     {Status: 137, Signal: "KILL"},
	} {
		require.Equal(t, want, fmt.Sprint(e))
	}
}

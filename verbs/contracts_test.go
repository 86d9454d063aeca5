package verbs

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// parsers are all of them, without their values.
var parsers = map[string]func(io.Reader) error{
	"ParseSS":              func(r io.Reader) error { _, err := ParseSS(r); return err },
	"ParseIBStatus":        func(r io.Reader) error { _, err := ParseIBStatus(r); return err },
	"ParseIBStat":          func(r io.Reader) error { _, err := ParseIBStat(r); return err },
	"ParseDevinfo":         func(r io.Reader) error { _, err := ParseDevinfo(r); return err },
	"ParseShowGIDs":        func(r io.Reader) error { _, err := ParseShowGIDs(r); return err },
	"ParseSysfs":           func(r io.Reader) error { _, err := ParseSysfs(r); return err },
	"ParseIBDev2Netdev":    func(r io.Reader) error { _, err := ParseIBDev2Netdev(r); return err },
	"ParseRDMALink":        func(r io.Reader) error { _, err := ParseRDMALink(r); return err },
	"ParseRDMAStatistic":   func(r io.Reader) error { _, err := ParseRDMAStatistic(r); return err },
	"ParseOFED":            func(r io.Reader) error { _, err := ParseOFED(r); return err },
	"ParsePerftest":        func(r io.Reader) error { _, err := ParsePerftest(r); return err },
	"ParsePerftestVersion": func(r io.Reader) error { _, err := ParsePerftestVersion(r); return err },
	"ParseChecksums":       func(r io.Reader) error { _, err := ParseChecksums(r); return err },
	"ParseIPAddr":          func(r io.Reader) error { _, err := ParseIPAddr(r); return err },
	"ParseLsmod":           func(r io.Reader) error { _, err := ParseLsmod(r); return err },
	"ParseIOMMULog":        func(r io.Reader) error { _, err := ParseIOMMULog(r); return err },
	"ParseKernelLog":       func(r io.Reader) error { _, err := ParseKernelLog(r); return err },
	"ParseMemcachedStats":  func(r io.Reader) error { _, err := ParseMemcachedStats(r); return err },
	"ParseFiles":           func(r io.Reader) error { _, err := ParseFiles(r); return err },
}

func eachParser(t *testing.T, f func(t *testing.T, parse func(io.Reader) error)) {
	t.Helper()
	for name, parse := range parsers {
		t.Run(name, func(t *testing.T) { f(t, parse) })
	}
}

// A tool that is not installed is told apart from one that found nothing.
func TestMissingTools(t *testing.T) {
	in := string(toolFile(t, "missing/absent-tools.txt"))
	eachParser(t, func(t *testing.T, parse func(io.Reader) error) {
		if err := parse(strings.NewReader(in)); !errors.Is(err, ErrToolMissing) || !errors.Is(err, ErrNoData) {
			t.Errorf("%v, want %v", err, ErrToolMissing)
		}
	})
}

// Empty and binary input, and text of something else, are errors that say what was looked for.
func TestNothingThere(t *testing.T) {
	eachParser(t, func(t *testing.T, parse func(io.Reader) error) {
		for _, in := range []string{"", "\n\n", "\x00\x01\xff\xfe\x80\n\x1b[", "Lorem ipsum dolor sit amet,\nconsectetur: adipiscing\n"} {
			err := parse(strings.NewReader(in))
			if !errors.Is(err, ErrNoData) || errors.Is(err, ErrToolMissing) || !strings.Contains(err.Error(), "no ") {
				t.Errorf("%q: %v, want %v", in, err, ErrNoData)
			}
		}
	})
}

// A connection that breaks is an error of the read, whatever came before.
func TestReadErrors(t *testing.T) {
	lost := errors.New("connection lost")
	eachParser(t, func(t *testing.T, parse func(io.Reader) error) {
		in := io.MultiReader(strings.NewReader("[ 1.0] a\nSTAT a b\nlink a/1 state ACTIVE physical_state LINK_UP\n"), iotest.ErrReader(lost))
		if err := parse(in); !errors.Is(err, lost) {
			t.Errorf("%v, want %v", err, lost)
		}
	})
}

// An input without end is given up, in bounded time: the deadline is far beyond what the bound costs.
func TestEndlessInput(t *testing.T) {
	for name, parse := range parsers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := make(chan error, 1)
			go func() { done <- parse(zeros{}) }()
			select {
			case err := <-done:
				if !errors.Is(err, ErrNoData) {
					t.Errorf("%v, want %v", err, ErrNoData)
				}
			case <-time.After(time.Minute):
				t.Fatal("still reading")
			}
		})
	}
}

// What stands around a line that is too long is read, and the gap is told.
func TestLongLine(t *testing.T) {
	junk := strings.Repeat("x", maxLine+1) + "\n"
	k, err := ParseKernelLog(strings.NewReader("[ 1.0] mlx5_core 0000:c1:00.0 ens1f0: Link down\n" + junk + "[ 2.0] mlx5_core 0000:c1:00.0 ens1f0: Link up\n"))
	if err != nil || len(k.Events) != 2 || !k.Truncated {
		t.Errorf("%d events, truncated %v, %v; want 2, true", len(k.Events), k.Truncated, err)
	}
	if _, err := ParseSS(strings.NewReader(ssHeader + junk)); err == nil {
		t.Error("a socket table with a gap is no error")
	}
}

func TestErrorTexts(t *testing.T) {
	says := func(err error, want string) {
		t.Helper()
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
	_, err := ParseLsmod(strings.NewReader(""))
	says(err, "lsmod: no module: the input is empty")
	_, err = ParseLsmod(strings.NewReader("\nsh: 1: lsmod: not found\n"))
	says(err, `lsmod: tool not found: no module in 2 lines that begin with "sh: 1: lsmod: not found"`)
	_, err = ParseSS(strings.NewReader("LISTEN 0 128 0.0.0.0:112"))
	says(err, `ss: line 1: the row is cut: "LISTEN 0 128 0.0.0.0:112"`)
	_, err = ParseMemcachedStats(strings.NewReader("ERROR\r\n"))
	says(err, "memcached: ERROR")
	says(&NoDriverError{3}, "ibv_devinfo: no user-space driver for 3 RDMA devices of the kernel")
	says(&DeviceNotFoundError{"ibstatus", "mlx5_9"}, "ibstatus: no RDMA device mlx5_9")
}

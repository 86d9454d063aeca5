package results

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestSSD(t *testing.T) {
	run := readDir(t, write(t, "s", map[string]string{
		"ssd/staged.csv": "block_size,bandwidth_mib_s,latency_us,iops\n4096,812.5,4.9,208000\n8192,1e3,8,1.28e5\n8192,-1,8,1\n16384,nan,8,1\n3.5,1,8,1\n4096,1\n",
		"ssd/pinned.csv": "\ufeffiops, block_size,latency_us,bandwidth_mib_s\r\n208000,4096,4.9,812.5\r\n",
		"ssd/other.csv":  "size,speed\n1,2\n",
		"ssd/notes.txt":  "block_size\n",
	}))
	want := []SSDSweep{
		{Mode: "pinned", Points: []SSDPoint{{4096, 812.5, 4.9, 208000, Origin{File: "ssd/pinned.csv", Line: 2}}}},
		{Mode: "staged", Points: []SSDPoint{{4096, 812.5, 4.9, 208000, Origin{File: "ssd/staged.csv", Line: 2}}, {8192, 1000, 8, 128000, Origin{File: "ssd/staged.csv", Line: 3}}}},
	}
	if diff := cmp.Diff(want, run.SSD); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	warnings := []string{"ssd/other.csv:1: no header block_size,bandwidth_mib_s,latency_us,iops",
		`ssd/staged.csv:4: bandwidth_mib_s: "-1" is no positive number; the row was dropped`,
		`ssd/staged.csv:5: bandwidth_mib_s: "nan" is no positive number; the row was dropped`,
		`ssd/staged.csv:6: block_size: "3.5" is no whole number of bytes; the row was dropped`,
		"ssd/staged.csv:7: the row is short and was dropped"}
	if diff := cmp.Diff(warnings, run.Warnings); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
}

func TestSSDReadError(t *testing.T) {
	broken := errors.New("broken")
	s, _, err := parseSSD("ssd/x.csv", "x", iotest.ErrReader(broken))
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "ssd/x.csv:1: ") || s.Points != nil {
		t.Errorf("%+v, %v", s, err)
	}
}

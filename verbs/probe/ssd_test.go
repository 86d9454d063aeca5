package probe

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Lines of rdmaprobe on soft-RoCE guests (Debian 12, Linux 6.1), as printed.
const (
	ssdListeningLine = `{"listening":"10.10.1.3:41283","file":"/ssd/gotestbed-ssd","size":16777216,"sha256":"4f0b5a214d6e9d3c3a9522e72b47b4cc66daf6c146163ad9eac3fca47d121ddb","made":true,"direct":true,"copied":true,"device":"mlx5_2","port":1,"link_layer":"Ethernet","lid":0,"gid_index":3,"gid":"::ffff:10.10.1.3","active_mtu":1024,"mtu":1024,"limits":{"firmware":"0.0.0","vendor_id":16777215,"part_id":0,"max_mr_size":18446744073709551615,"max_mr":524287,"max_qp":1048560,"max_qp_wr":1048576,"max_cq":1048576,"max_cqe":32767,"max_rd_atomic":128,"max_dest_rd_atomic":128,"atomics":true}}`
	pinnedLine       = `{"mode":"pinned","size":16777216,"block":1048576,"blocks":16,"seconds":1.332087337,"mib_per_s":12.011224456223474,"latency_us":83255.45856249999,"iops":12.011224456223474,"median_us":79485.66,"max_us":161043.17,"cold":{"seconds":0.329822435,"resident":0,"by":"fadvise"},"warm":{"seconds":0.060652343,"resident":1,"by":"reading"},"sha256":"4f0b5a214d6e9d3c3a9522e72b47b4cc66daf6c146163ad9eac3fca47d121ddb","ok":true}`
	stagedLine       = `{"mode":"staged","size":65536,"block":4096,"blocks":16,"seconds":0.151084762,"mib_per_s":0.4136750733340004,"latency_us":9442.797625000001,"iops":105.9008187735041,"median_us":8928.333,"max_us":21770.692,"disk_us":973.8126250000001,"sha256":"b219220680d88804ee6286afa6743874e5a850ebfbdf3164e185e1e5c169fd32","ok":true}`
)

func TestSSDLinesAreRead(t *testing.T) {
	l, err := ParseSSDListening([]byte(ssdListeningLine + "\n"))
	if err != nil || l.Size != 16<<20 || !l.Copied || l.Limits.VendorID != 0xffffff {
		t.Errorf("%+v, %v", l, err)
	}
	r, err := ParseSSDRead([]byte(stagedLine))
	want := SSDRead{
		Mode: Staged, Size: 65536, Block: 4096, Blocks: 16, Seconds: 0.151084762, MiBPerSec: 0.4136750733340004, LatencyUS: 9442.797625000001,
		IOPS: 105.9008187735041, MedianUS: 8928.333, MaxUS: 21770.692, DiskUS: 973.8126250000001,
		SHA256: "b219220680d88804ee6286afa6743874e5a850ebfbdf3164e185e1e5c169fd32", OK: true,
	}
	if diff := cmp.Diff(want, r); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if r, err := ParseSSDRead([]byte(pinnedLine)); err != nil || r.Cold.Seconds < r.Warm.Seconds {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWhatSaysNothingOfAnSSDIsAnError(t *testing.T) {
	bad := func(text string) {
		t.Helper()
		if l, err := ParseSSDListening([]byte(text)); err == nil {
			t.Errorf("%q is %+v", text, l)
		}
		if r, err := ParseSSDRead([]byte(text)); err == nil {
			t.Errorf("%q is %+v", text, r)
		}
	}
	bad("")
	bad("{}")
	bad("null")
	bad(stagedLine + "\n" + stagedLine)
	bad(strings.Replace(ssdListeningLine, `"size":16777216`, `"size":0`, 1))
	bad(strings.Replace(stagedLine, "staged", "mapped", 1))
	bad(strings.Replace(stagedLine, "staged", "pinned", 1))
	bad(strings.Replace(stagedLine, `"blocks":16`, `"blocks":15`, 1))
	bad(strings.Replace(stagedLine, `"block":4096`, `"block":0`, 1))
	bad(strings.Replace(stagedLine, `"seconds":0.15`, `"seconds":-0.15`, 1))
	bad(strings.Replace(stagedLine, `"ok":true`, `"ok":true,"difference":{}`, 1))
}

func FuzzSSDRead(f *testing.F) {
	for _, line := range []string{pinnedLine, stagedLine, ssdListeningLine} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := ParseSSDRead(line)
		if err != nil && !cmp.Equal(r, SSDRead{}) {
			t.Errorf("an error and a value: %v, %+v", err, r)
		}
		if err == nil && (int64(r.Blocks)*r.Block != r.Size || !(r.LatencyUS > 0)) {
			t.Errorf("%+v", r)
		}
	})
}

package probe

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Lines of rdmaprobe on soft-RoCE guests (Debian 12, Linux 6.1), as printed.
const (
	listeningLine = `{"listening":"10.10.1.3:7000","region":1048576,"device":"mlx5_2","port":1,"link_layer":"Ethernet","lid":0,"gid_index":3,"gid":"::ffff:10.10.1.3","active_mtu":1024,"mtu":1024,"limits":{"firmware":"0.0.0","vendor_id":16777215,"part_id":0,"max_mr_size":18446744073709551615,"max_mr":524287,"max_qp":1048560,"max_qp_wr":1048576,"max_cq":1048576,"max_cqe":32767,"max_rd_atomic":128,"max_dest_rd_atomic":128,"atomics":true}}`
	checkedLine   = `{"peer":"10.10.1.3:7000","region":1048576,"operations":348,"ok":true}`
	differsLine   = `{"peer":"10.10.1.3:7001","region":1048576,"operations":348,"ok":false,"differences":[{"step":"READ of what was written","offset":0,"bytes":1048576,"zeros":true,"expected":"393bdf29412583b125dd3d0d39eb19f3","found":"00000000000000000000000000000000"}]}`
	measuredLine  = `{"op":"read","size":65536,"depth":128,"iterations":300,"seconds":2.5089761189999997,"ops_per_s":119.5706877112767,"bytes_per_s":7836184.58984623}`
)

func TestLinesAreRead(t *testing.T) {
	l, err := ParseListening([]byte(listeningLine + "\n"))
	if err != nil || l.Listening.String() != "10.10.1.3:7000" || l.Limits.MaxRdAtomic != 128 || l.GID.Unmap().String() != "10.10.1.3" {
		t.Errorf("%+v, %v", l, err)
	}
	c, err := ParseChecked([]byte(differsLine))
	want := Checked{Peer: "10.10.1.3:7001", Region: 1 << 20, Operations: 348, Differences: []Difference{{
		Step: "READ of what was written", Bytes: 1 << 20, Zeros: true,
		Expected: "393bdf29412583b125dd3d0d39eb19f3", Found: "00000000000000000000000000000000",
	}}}
	if diff := cmp.Diff(want, c); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if c, err := ParseChecked([]byte(checkedLine)); err != nil || !c.OK {
		t.Errorf("%+v, %v", c, err)
	}
	if m, err := ParseMeasured([]byte(measuredLine)); err != nil || m.OpsPerSec < 119 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestWhatSaysNothingIsAnError(t *testing.T) {
	bad := func(text string) {
		t.Helper()
		if l, err := ParseListening([]byte(text)); err == nil {
			t.Errorf("%q is %+v", text, l)
		}
		if c, err := ParseChecked([]byte(text)); err == nil {
			t.Errorf("%q is %+v", text, c)
		}
		if m, err := ParseMeasured([]byte(text)); err == nil {
			t.Errorf("%q is %+v", text, m)
		}
	}
	bad("")
	bad("{}")
	bad("null")
	bad(checkedLine[:30])
	bad(`{"peer":"x","region":8,"operations":1,"ok":false}`)
	bad(`{"peer":"x","region":8,"operations":1,"ok":true,"differences":[{}]}`)
	bad(checkedLine + "\n" + checkedLine)
}

func FuzzLines(f *testing.F) {
	for _, line := range []string{listeningLine, checkedLine, differsLine, measuredLine} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		c, err := ParseChecked(line)
		if err != nil && !cmp.Equal(c, Checked{}) {
			t.Errorf("an error and a value: %v, %+v", err, c)
		}
		if err != nil {
			return
		}
		again, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := ParseChecked(again); err != nil || d.OK != c.OK {
			t.Errorf("%+v became %+v, %v", c, d, err)
		}
	})
}

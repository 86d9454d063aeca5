package verbs

import (
	"bytes"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sysfsText = `/sys/class/infiniband/mlx5_2/ports/1/state:4: ACTIVE
/sys/class/infiniband/mlx5_2/ports/1/phys_state:5: LinkUp
/sys/class/infiniband/mlx5_2/ports/1/rate:25 Gb/sec (1X EDR)
/sys/class/infiniband/mlx5_2/ports/1/lid:0x0
/sys/class/infiniband/mlx5_2/ports/1/link_layer:Ethernet
/sys/class/infiniband/mlx5_2/ports/1/gids/10:0000:0000:0000:0000:0000:ffff:0a0a:0107
/sys/class/infiniband/mlx5_2/ports/1/gids/2:0000:0000:0000:0000:0000:ffff:0a0a:0107
/sys/class/infiniband/mlx5_2/ports/1/gids/11:0000:0000:0000:0000:0000:0000:0000:0000
/sys/class/infiniband/mlx5_2/ports/1/gid_attrs/types/2:IB/RoCE v1
/sys/class/infiniband/mlx5_2/ports/1/gid_attrs/types/10:RoCE v2
grep: /sys/class/infiniband/mlx5_2/ports/1/gid_attrs/types/11: Invalid argument
/sys/class/infiniband/mlx5_2/ports/1/gid_attrs/ndevs/10:ens1f0
/sys/devices/pci0000:80/0000:80:01.1/0000:81:00.0/infiniband/mlx5_2/ports/1/counters/port_xmit_data:25
/sys/class/infiniband/mlx5_2/ports/1/counters/unicast_xmit_packets:N/A (no PMA)
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/out_of_sequence:7
/sys/class/infiniband/mlx5_2/ports/1/hw_counters/lifespan:12
/sys/class/infiniband/mlx5_2/device/iommu_group/type:DMA-FQ
/sys/class/infiniband/mlx5_2/device/net/ens1f0/mtu:9000
/sys/class/infiniband/mlx5_2/device/uevent:DRIVER=mlx5_core
/sys/class/infiniband/mlx5_2/device/uevent:PCI_SLOT_NAME=0000:81:00.0
`

func mustSysfs(t *testing.T, in string) Sysfs {
	t.Helper()
	s, err := ParseSysfs(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSysfs(t *testing.T) {
	s := mustSysfs(t, sysfsText)
	ip := parseAddr(t, "::ffff:10.10.1.7")
	rate, lid := 25.0, uint16(0)
	want := []Port{{Device: "mlx5_2", Number: 1, State: "ACTIVE", PhysState: "LinkUp", Rate: &rate, RateGrade: "1X EDR", LID: &lid, LinkLayer: LinkEthernet,
		GIDs: []GID{
			{Device: "mlx5_2", Port: 1, Index: 2, Addr: ip, Type: RoCEv1},
			{Device: "mlx5_2", Port: 1, Index: 10, Addr: ip, Type: RoCEv2, Netdev: "ens1f0"},
		}}}
	if diff := cmp.Diff(want, s.Ports(), cmpAddr); diff != "" {
		t.Errorf("ports (-want +got):\n%s", diff)
	}
	counters := []Counter{{"mlx5_2", 1, false, "port_xmit_data", 25}, {"mlx5_2", 1, true, "out_of_sequence", 7}}
	if diff := cmp.Diff(counters, s.Counters()); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"ens1f0"}, s.Netdevs("mlx5_2")); diff != "" {
		t.Errorf("netdevs (-want +got):\n%s", diff)
	}
	if addr, ok := s.PCIAddress("mlx5_2"); addr != "0000:81:00.0" || !ok {
		t.Errorf("PCI address %q, %v", addr, ok)
	}
	if typ, ok := s.GroupType("mlx5_2"); typ != "DMA-FQ" || !ok {
		t.Errorf("IOMMU group type %q, %v", typ, ok)
	}
	if best := FindGIDs(s.GIDs(), "ens1f0", ip.Unmap()); len(best) != 1 || best[0].Index != 10 {
		t.Errorf("GID of 10.10.1.7 on ens1f0: %+v, want index 10", best)
	}
	if cs := s.Counters(); cs[0].IsError() || !cs[1].IsError() {
		t.Errorf("errors: %v, %v; want only out_of_sequence", cs[0].IsError(), cs[1].IsError())
	}
	if _, ok := s.PCIAddress("rxe0"); ok {
		t.Error("a PCI address for a device that has none")
	}
}

func TestSysfsGoldens(t *testing.T) {
	goldens(t, "sysfs/*.txt", func(r io.Reader) ([]Port, error) {
		s, err := ParseSysfs(r)
		return s.Ports(), err
	})
}

func TestCounterUnits(t *testing.T) {
	bytes := func(c Counter, want uint64, ok bool) {
		t.Helper()
		if got, k := c.Bytes(); got != want || k != ok {
			t.Errorf("%+v: %d, %v; want %d, %v", c, got, k, want, ok)
		}
	}
	bytes(Counter{Name: "port_xmit_data", Value: 25}, 100, true)
	bytes(Counter{Name: "port_rcv_data", Value: 1}, 4, true)
	bytes(Counter{Name: "port_xmit_packets", Value: 25}, 0, false)
	if _, ok := (Counter{Name: "port_rcv_data", Value: math.MaxUint64}).Bytes(); ok {
		t.Error("bytes of a counter that overflows")
	}
}

func TestCounterDelta(t *testing.T) {
	c := func(name string, v uint64) Counter { return Counter{"mlx5_2", 1, false, name, v} }
	delta, lost := CounterDelta(
		[]Counter{c("grew", 5), c("same", 7), c("shrank", 9), c("gone", 1)},
		[]Counter{c("grew", 8), c("same", 7), c("shrank", 2), c("new", 4)})
	if diff := cmp.Diff([]Counter{c("grew", 3), c("same", 0)}, delta); diff != "" {
		t.Errorf("delta (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Counter{c("gone", 0), c("new", 0), c("shrank", 0)}, lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
}

// rdma statistic prints the counters of soft-RoCE on one line.
func TestRDMAStatistic(t *testing.T) {
	in, err := os.ReadFile(toolsDir + "/rdma/link-and-statistic.txt")
	if err != nil {
		t.Fatal(err)
	}
	cs, err := ParseRDMAStatistic(bytes.NewReader(in))
	if err != nil || len(cs) != 15 {
		t.Fatalf("%d counters, %v; want 15", len(cs), err)
	}
	if diff := cmp.Diff(Counter{"mlx5_2", 1, true, "sent_pkts", 0}, cs[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzParseSysfs(f *testing.F) {
	f.Add([]byte(sysfsText))
	f.Fuzz(func(t *testing.T, in []byte) {
		s, err := ParseSysfs(bytes.NewReader(in))
		if err != nil && s != nil {
			t.Errorf("a value beside the error %v", err)
		}
		for _, p := range s.Ports() {
			if p.Device == "" || p.Number < 1 {
				t.Errorf("a port without name: %+v", p)
			}
		}
		s.Counters()
		for _, d := range s.Devices() {
			s.Netdevs(d)
			s.PCIAddress(d)
		}
	})
}

package verbs

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// nodeText is what the tools of one node printed; an empty text was not read.
type nodeText struct{ sysfs, showGIDs, devinfo, links, ibdev, ip string }

// read parses what is there.
func (n nodeText) read(t testing.TB) DeviceEvidence {
	t.Helper()
	var e DeviceEvidence
	if n.sysfs != "" {
		e.Sysfs = *readText(t, n.sysfs, ParseSysfs)
	}
	e.ShowGIDs = readText(t, n.showGIDs, ParseShowGIDs)
	e.Devinfo = readText(t, n.devinfo, ParseDevinfo)
	e.Links = readText(t, n.links, ParseRDMALink)
	e.Netdevs = readText(t, n.ibdev, ParseIBDev2Netdev)
	e.Interfaces = readText(t, n.ip, ParseIPAddr)
	return e
}

func readText[T any](t testing.TB, text string, parse func(io.Reader) (T, error)) *T {
	t.Helper()
	if text == "" {
		return nil
	}
	v, err := parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return &v
}

func (n nodeText) mapped(t testing.TB) DeviceMap {
	t.Helper()
	m, err := MapDevices(n.read(t))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sysfsOf prints a port as grep does. A row is `index address type netdev`, with - for a file that cannot be read and _ for
// a space; netdevs are those below device/net, as in ens1f0 or ens1f0:1 with dev_port.
func sysfsOf(device string, port int, state, layer, pci, netdevs string, rows ...string) string {
	var b strings.Builder
	root := "/sys/class/infiniband/" + device + "/"
	line := func(format string, a ...any) { fmt.Fprintf(&b, root+format+"\n", a...) }
	if pci != "" {
		line("device/uevent:DRIVER=mlx5_core")
		line("device/uevent:PCI_SLOT_NAME=%s", pci)
	}
	for _, n := range strings.Fields(netdevs) {
		name, devPort, ok := strings.Cut(n, ":")
		line("device/net/%s/mtu:1500", name)
		if ok {
			line("device/net/%s/dev_port:%s", name, devPort)
		}
	}
	root += fmt.Sprintf("ports/%d/", port)
	line("state:%s", state)
	line("link_layer:%s", layer)
	for _, r := range rows {
		f := strings.Fields(r)
		if f[0] == "lid" {
			line("lid:%s", f[1])
			continue
		}
		line("gids/%s:%s", f[0], hexGID(f[1]))
		for i, file := range []string{"types", "ndevs"} {
			if value := f[2+i]; value != "-" {
				line("gid_attrs/%s/%s:%s", file, f[0], strings.ReplaceAll(value, "_", " "))
			} else {
				fmt.Fprintf(&b, "grep: %sgid_attrs/%s/%s: Invalid argument\n", root, file, f[0])
			}
		}
	}
	return b.String()
}

// hexGID spells an address as sysfs does, in eight hextets.
func hexGID(s string) string {
	b := netip.MustParseAddr(s).As16()
	var h []string
	for i := 0; i < 16; i += 2 {
		h = append(h, fmt.Sprintf("%02x%02x", b[i], b[i+1]))
	}
	return strings.Join(h, ":")
}

// devinfoOf prints a device as ibv_devinfo -v does.
func devinfoOf(device, state string, mtu string, gids ...string) string {
	s := "hca_id:\t" + device + "\n\ttransport:\t\t\tInfiniBand (0)\n\tphys_port_cnt:\t\t\t1\n\t\tport:\t1\n" +
		"\t\t\tstate:\t\t\t" + state + "\n\t\t\tactive_mtu:\t\t" + mtu + "\n\t\t\tlink_layer:\t\tEthernet\n"
	for _, g := range gids {
		index, rest, _ := strings.Cut(g, " ")
		s += fmt.Sprintf("\t\t\tGID[%3s]:\t\t%s\n", index, rest)
	}
	return s
}

// A node of the paper's cluster: the control network on mlx5_0, the experiment on mlx5_2.
var (
	control    = sysfsOf("mlx5_0", 1, "4: ACTIVE", "Ethernet", "0000:61:00.0", "eno33", "0 fe80::1 IB/RoCE_v1 eno33", "1 fe80::1 RoCE_v2 eno33", "3 ::ffff:198.51.100.9 RoCE_v2 eno33")
	experiment = sysfsOf("mlx5_2", 1, "4: ACTIVE", "Ethernet", "0000:81:00.0", "ens1f0", "0 fe80::2 IB/RoCE_v1 ens1f0", "1 fe80::2 RoCE_v2 ens1f0",
		"2 ::ffff:10.10.1.3 IB/RoCE_v1 ens1f0", "3 ::ffff:10.10.1.3 RoCE_v2 ens1f0", "4 :: - -")
	addrs = "lo               UNKNOWN        127.0.0.1/8 ::1/128 \neno33            UP             198.51.100.9/21 fe80::1/64 \n" +
		"ens1f0           UP             10.10.1.3/24 fe80::2/64 \nens1f1           DOWN           \n"
)

func TestMapDevices(t *testing.T) {
	m := nodeText{sysfs: control + experiment, ip: addrs}.mapped(t)
	const want = `mlx5_0 port 1: ACTIVE, PCI 0000:61:00.0, netdev eno33
  GID 0: fe80::1, RoCE v1, eno33
  GID 1: fe80::1, RoCE v2, eno33
  GID 3: 198.51.100.9, RoCE v2, eno33
mlx5_2 port 1: ACTIVE, PCI 0000:81:00.0, netdev ens1f0
  GID 0: fe80::2, RoCE v1, ens1f0
  GID 1: fe80::2, RoCE v2, ens1f0
  GID 2: 10.10.1.3, RoCE v1, ens1f0
  GID 3: 10.10.1.3, RoCE v2, ens1f0
`
	if diff := cmp.Diff(want, m.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c, p := m.Carrying(netip.MustParseAddr("10.10.1.3"))
	got := []any{c.Device, c.Port, c.Netdev, c.PCI, c.Index, c.Type, p.Answer}
	if diff := cmp.Diff([]any{"mlx5_2", 1, "ens1f0", "0000:81:00.0", 3, RoCEv2, Yes}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMapDevicesNothingRead(t *testing.T) {
	for _, e := range []DeviceEvidence{{}, {Interfaces: &Interfaces{}}} {
		if m, err := MapDevices(e); !errors.Is(err, ErrNoData) || m.Ports != nil {
			t.Errorf("%+v, %v; want %v", m, err, ErrNoData)
		}
	}
}

// Sources that differ: sysfs wins over a tool, two tools cancel out, and each time there is a note.
func TestMapDevicesContradictions(t *testing.T) {
	notes := func(name string, n nodeText, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, n.mapped(t).Notes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	v2 := devinfoOf("mlx5_2", "PORT_ACTIVE (4)", "1024 (3)", "0 fe80::2, RoCE v1", "1 fe80::2, RoCE v2", "2 ::ffff:10.10.1.3, RoCE v1", "3 ::ffff:10.10.1.3, RoCE v2")
	notes("agree", nodeText{sysfs: experiment, devinfo: v2, ip: addrs, links: "link mlx5_2/1 state ACTIVE physical_state LINK_UP netdev ens1f0 \n"})
	notes("state", nodeText{sysfs: experiment, links: "link mlx5_2/1 state DOWN physical_state DISABLED netdev ens1f0 \n"},
		"mlx5_2 port 1: state is ACTIVE in sysfs, DOWN in rdma link")
	notes("address and type", nodeText{sysfs: experiment, showGIDs: gidTable("mlx5_2 1 0 fe80::2 v1 ens1f0", "mlx5_2 1 1 fe80::2 v1 ens1f0",
		"mlx5_2 1 2 ::ffff:10.10.1.4 v2 ens1f0", "mlx5_2 1 3 ::ffff:10.10.1.3 v2 ens1f1", "mlx5_2 1 4 ::ffff:10.10.1.5 v2 ens1f0")},
		"mlx5_2 port 1: GID 2 is ::ffff:10.10.1.3 in sysfs, ::ffff:10.10.1.4 in show_gids",
		"mlx5_2 port 1: GID 4 is 10.10.1.5 in show_gids, empty in sysfs",
		"mlx5_2 port 1: netdev of GID 3 is ens1f0 in sysfs, ens1f1 in show_gids",
		"mlx5_2 port 1: type of GID 1 is RoCE v2 in sysfs, RoCE v1 in show_gids")
	notes("rows", nodeText{sysfs: experiment, devinfo: devinfoOf("mlx5_2", "PORT_ACTIVE (4)", "1024 (3)", "1 fe80::2, RoCE v2", "0 fe80::2, RoCE v1", "3 ::ffff:10.10.1.3, RoCE v2")},
		"mlx5_2 port 1: GID 2 (10.10.1.3) is in sysfs, not in ibv_devinfo")
	notes("device", nodeText{sysfs: control, links: "link mlx5_2/1 state ACTIVE physical_state LINK_UP netdev ens1f0 \n"},
		"mlx5_2 is in rdma link and not in sysfs")
	notes("netdev", nodeText{sysfs: experiment, ibdev: "mlx5_2 port 1 ==> ens9 (Up)\n"},
		"mlx5_2 port 1: the netdev is ens1f0 by the GID table, ens9 by the device: a bond, or stale")

	down := nodeText{sysfs: experiment, links: "link mlx5_2/1 state DOWN physical_state DISABLED netdev ens1f0 \n", devinfo: v2}
	if p := down.mapped(t).Active("mlx5_2", 1); p.Answer != Yes {
		t.Errorf("%s, want yes by sysfs", p)
	}
	var c claim[PortState]
	first, second := c.say("ACTIVE", fromDevinfo)+c.say("DOWN", fromLink), c.say("INIT", fromIBDev)
	if c.value != "" || first != "ACTIVE in ibv_devinfo, DOWN in rdma link" || second != "" {
		t.Errorf("%q, then %q and value %q; want one clash and no value", first, second, c.value)
	}
	two := nodeText{devinfo: v2, links: "link mlx5_2/1 state DOWN physical_state DISABLED netdev ens1f0 \n", ip: addrs}
	notes("two tools", two, "mlx5_2 port 1: state is ACTIVE in ibv_devinfo, DOWN in rdma link")
	if p := two.mapped(t).Active("mlx5_2", 1); p.Answer != Unknown || !strings.Contains(p.Reason, "ACTIVE in ibv_devinfo, DOWN in rdma link") {
		t.Errorf("%s, want unknown with both", p)
	}
}

// gidTable prints rows `dev port index address version netdev` as show_gids does.
func gidTable(rows ...string) string {
	s := "DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---\n"
	for _, r := range rows {
		f := strings.Fields(r)
		ip := ""
		if a := netip.MustParseAddr(f[3]); a.Is4In6() {
			ip = a.Unmap().String()
		}
		s += fmt.Sprintf("%s\t%s\t%s\t%s\t%s  \t%s\t%s\n", f[0], f[1], f[2], hexGID(f[3]), ip, f[4], f[5])
	}
	return s + fmt.Sprintf("n_gids_found=%d\n", len(rows))
}

func TestParseIBDev2Netdev(t *testing.T) {
	const in = "$ ibdev2netdev\r\nmlx5_2 port 1 ==> ens1f0 (Up)\r\nmlx4_0 port 2 ==> ib1 (Down)\n" +
		"0000:C1:00.0 mlx5_3 (MT4125 - MCX623106AC-CDAT) ConnectX-6 Dx EN adapter card fw 22.36.1010 port 1 (DOWN  ) ==> ens1f1 (Down)\n" +
		"mlx5_9 port 0 ==> x (Up)\nmlx5_4 port 1 ==> ens2f0"
	ps, err := ParseIBDev2Netdev(strings.NewReader(in))
	want := PortNetdevs{Truncated: true, Ports: []PortNetdev{
		{Device: "mlx5_2", Port: 1, Netdev: "ens1f0", Up: true},
		{Device: "mlx4_0", Port: 2, Netdev: "ib1"},
		{Device: "mlx5_3", Port: 1, Netdev: "ens1f1", PCI: "0000:c1:00.0", State: "DOWN"},
	}}
	if diff := cmp.Diff(want, ps); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// fuzzed reads one text with every parser, as evidence of one node.
func fuzzed(in string) DeviceEvidence {
	var e DeviceEvidence
	e.Sysfs, _ = ParseSysfs(strings.NewReader(in))
	e.ShowGIDs = orNil(ParseShowGIDs(strings.NewReader(in)))
	e.Devinfo = orNil(ParseDevinfo(strings.NewReader(in)))
	e.Links = orNil(ParseRDMALink(strings.NewReader(in)))
	e.Netdevs = orNil(ParseIBDev2Netdev(strings.NewReader(in)))
	e.Interfaces = orNil(ParseIPAddr(strings.NewReader(in)))
	return e
}

func orNil[T any](v T, err error) *T {
	if err != nil {
		return nil
	}
	return &v
}

// Whatever the tools print, a yes names an entry that the map has, of type RoCE v2, for the address that was asked, on an active port.
func FuzzMapDevices(f *testing.F) {
	for _, n := range []nodeText{{sysfs: control + experiment, ip: addrs}, {sysfs: dualPort, ip: addrs}, {showGIDs: gidTable("mlx5_2 1 3 ::ffff:10.10.1.3 v2 ens1f0")},
		{devinfo: devinfoOf("mlx5_2", "PORT_ACTIVE (4)", "1024 (3)", "3 ::ffff:10.10.1.3, RoCE v2"), links: "link mlx5_2/1 state ACTIVE physical_state LINK_UP netdev ens1f0 \n", ibdev: "mlx5_2 port 1 ==> ens1f0 (Up)\n"}} {
		f.Add(n.sysfs + n.showGIDs + n.devinfo + n.links + n.ibdev + n.ip)
	}
	f.Add(string(toolFile(f, "ibv_devinfo/verbose.txt")) + string(toolFile(f, "rdma/link-and-statistic.txt")) + string(toolFile(f, "ip/br-addr.txt")))
	index := 3
	f.Fuzz(func(t *testing.T, in string) {
		e := fuzzed(in)
		m, err := MapDevices(e)
		if err != nil {
			if m.Ports != nil {
				t.Errorf("a value beside the error %v", err)
			}
			return
		}
		asked := []netip.Addr{netip.MustParseAddr("10.10.1.3")}
		for _, p := range m.Ports {
			for _, g := range p.GIDs {
				asked = append(asked, g.Addr)
			}
			m.ActiveMTU(p.Device, p.Port)
		}
		for _, a := range asked[:min(len(asked), 40)] {
			holdsYes(t, m, a)
			m.Check(DeviceWant{Device: "mlx5_2", GIDIndex: &index, Addr: a, ControlNetdev: "eno33"})
			m.CarryingOn(a, "mlx5_2", "ens1f0")
		}
		if again, _ := MapDevices(e); again.String() != m.String() {
			t.Error("the same evidence makes another map")
		}
	})
}

func holdsYes(t *testing.T, m DeviceMap, a netip.Addr) {
	t.Helper()
	c, p := m.Carrying(a)
	if (p.Answer == Yes) != (c != Carrier{}) || p.Reason == "" {
		t.Errorf("%s: %+v, %s", a, c, p)
	}
	if p.Answer != Yes {
		return
	}
	held := slices.ContainsFunc(m.Ports, func(dp DevicePort) bool { return slices.Contains(dp.GIDs, c.GID) && dp.State.Active() == Yes })
	if c.Type != RoCEv2 || c.Addr.Unmap() != a.Unmap() || c.Netdev == "" || !held {
		t.Errorf("yes for %s with %+v", a, c)
	}
}

func FuzzParseIBDev2Netdev(f *testing.F) {
	f.Add([]byte("mlx5_2 port 1 ==> ens1f0 (Up)\n0000:81:00.0 mlx5_3 (MT4125 - X) card fw 22.36.1010 port 1 (DOWN  ) ==> ens1f1 (Down)\n"))
	fuzzParser(f, "rdma_link", ParseIBDev2Netdev)
}

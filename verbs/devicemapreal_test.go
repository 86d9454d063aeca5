package verbs

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The captures of one guest whose soft-RoCE device is named like the card: no PCI address, netdev by rdma link and ip addr.
func TestMapDevicesSoftRoCE(t *testing.T) {
	node := nodeText{devinfo: string(toolFile(t, "ibv_devinfo/verbose.txt")), links: string(toolFile(t, "rdma/link-and-statistic.txt")),
		ip: string(toolFile(t, "ip/br-addr.txt"))}
	m := node.mapped(t)
	const want = `mlx5_2 port 1: ACTIVE, PCI -, netdev eth1
  GID 0: fe80::5054:ff:febb:1, RoCE v2, eth1
  GID 1: fd10:1::1, RoCE v2, -
  GID 2: fd10:2::1, RoCE v2, -
  GID 3: 10.10.1.1, RoCE v2, eth1
`
	if diff := cmp.Diff(want, m.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	index := 3
	checks(t, "the cluster file", node, DeviceWant{Device: "mlx5_2", Netdev: "eth1", GIDIndex: &index, Addr: netip.MustParseAddr("10.10.1.1"), ControlNetdev: "eth0"},
		"yes: 10.10.1.1 is on mlx5_2 (eth1) GID 3", "mlx5_2 (eth1) GID 3")
	carries(t, "the guest's other network", node, "10.0.2.15", "no: 10.0.2.15 is on eth0, which has no RDMA device")
	if mtu, p := m.ActiveMTU("mlx5_2", 1); mtu != 1024 || p.Answer != Yes {
		t.Errorf("MTU %d, %s; want 1024", mtu, p)
	}
}

// Three devices whose netdevs are in namespaces of their own: their GIDs are there, and this namespace has none of the addresses.
func TestMapDevicesNamespaces(t *testing.T) {
	node := nodeText{sysfs: string(toolFile(t, "sysfs/gids-of-three-devices.txt")), ip: string(toolFile(t, "ip/br-addr.txt"))}
	var devices []string
	for _, p := range node.mapped(t).Ports {
		devices = append(devices, p.Device)
	}
	if !slices.Equal(devices, []string{"rxe1", "rxe2", "rxe3"}) {
		t.Errorf("devices %q", devices)
	}
	carries(t, "the capture has no types", node, "10.10.1.2", "unknown: 10.10.1.2: rxe2 GID 1 is of unknown type")

	away := nodeText{links: string(toolFile(t, "rdma/other-namespace.txt"))}
	var shown []string
	for _, p := range away.mapped(t).Ports {
		shown = append(shown, p.Device+" "+strings.Join(p.Netdevs, " "))
	}
	if diff := cmp.Diff([]string{"mlx5_2 ", "rxm eth1"}, shown); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if on := away.mapped(t).On("eth1"); len(on) != 1 || on[0].Device != "rxm" {
		t.Errorf("on eth1: %v, want rxm", on)
	}
}

// Every real capture and every case, alone and beside the real ip addr, keeps the promise of Carrying.
func TestMapDevicesAllCases(t *testing.T) {
	ip := "ens1f0 UP 10.10.1.7/24 \neth1 UP 10.10.1.1/24 \n"
	asked := 0
	for _, kind := range []string{"ibv_devinfo", "show_gids", "rdma_link"} {
		for _, c := range loadCases(t, kind) {
			for _, in := range []string{string(c.input(t)), string(c.input(t)) + "\n" + ip} {
				m, err := MapDevices(fuzzed(in))
				if err != nil {
					continue
				}
				for _, p := range m.Ports {
					for _, g := range p.GIDs {
						asked++
						holdsYes(t, m, g.Addr)
					}
				}
			}
		}
	}
	if asked == 0 {
		t.Error("no case has a GID")
	}
}

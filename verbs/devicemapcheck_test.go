package verbs

import (
	"net/netip"
	"strings"
	"testing"
)

func checks(t *testing.T, name string, n nodeText, w DeviceWant, want, found string) {
	t.Helper()
	if !w.Addr.IsValid() {
		w.Addr = netip.MustParseAddr("10.10.1.3")
	}
	c, p := n.mapped(t).Check(w)
	got := ""
	if c.Device != "" {
		got = c.String()
	}
	if p.String() != want || got != found {
		t.Errorf("%s:\n got %s; %s\nwant %s; %s", name, p, got, want, found)
	}
}

func TestDeviceCheck(t *testing.T) {
	node := nodeText{sysfs: control + experiment, ip: addrs}
	at := func(i int) *int { return &i }
	const is, yes = "mlx5_2 (ens1f0) GID 3", "yes: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3"
	checks(t, "all named", node, DeviceWant{Device: "mlx5_2", Netdev: "ens1f0", GIDIndex: at(3), ControlDevice: "mlx5_0", ControlNetdev: "eno33"}, yes, is)
	checks(t, "to be found", node, DeviceWant{}, yes, is)
	checks(t, "device and index", node, DeviceWant{Device: "mlx5_0", GIDIndex: at(3)}, "no: cluster file says mlx5_0 GID 3, 10.10.1.3 is on mlx5_2 (ens1f0) GID 3", is)
	checks(t, "index of type v1", node, DeviceWant{Device: "mlx5_2", GIDIndex: at(2)}, "no: cluster file says mlx5_2 GID 2 (RoCE v1), 10.10.1.3 is on mlx5_2 (ens1f0) GID 3", is)
	checks(t, "index of another address", node, DeviceWant{GIDIndex: at(1)}, "no: cluster file says GID 1, 10.10.1.3 is on mlx5_2 (ens1f0) GID 3", is)
	checks(t, "index of nothing", node, DeviceWant{GIDIndex: at(4)}, "no: cluster file says GID 4 (empty), 10.10.1.3 is on mlx5_2 (ens1f0) GID 3", is)
	checks(t, "no such device", node, DeviceWant{Device: "mlx5_9", ControlNetdev: "eno33"}, "no: cluster file says mlx5_9, 10.10.1.3 is on mlx5_2 (ens1f0) GID 3", is)
	bare := nodeText{sysfs: experiment + sysfsOf("mlx5_4", 1, "4: ACTIVE", "Ethernet", "", ""), ip: addrs}
	checks(t, "index of a table that was not read", bare, DeviceWant{Device: "mlx5_4", GIDIndex: at(3)}, "no: cluster file says mlx5_4 GID 3, 10.10.1.3 is on mlx5_2 (ens1f0) GID 3", is)
	checks(t, "netdev", node, DeviceWant{Device: "mlx5_2", Netdev: "ens1f1"}, "no: cluster file says mlx5_2 (ens1f1), 10.10.1.3 is on mlx5_2 (ens1f0) GID 3", is)
	checks(t, "address", node, DeviceWant{Device: "mlx5_2", Addr: netip.MustParseAddr("10.10.1.4")}, "no: 10.10.1.4 is on no interface", "")

	untyped := nodeText{sysfs: strings.ReplaceAll(experiment, "types/3:RoCE v2", "types/3:"), ip: addrs}
	checks(t, "right by luck", untyped, DeviceWant{Device: "mlx5_2", GIDIndex: at(3)}, "unknown: 10.10.1.3: mlx5_2 (ens1f0) GID 3 is of unknown type", "")
	v1 := nodeText{sysfs: strings.ReplaceAll(experiment, "types/3:RoCE v2", "types/3:IB/RoCE v1"), ip: addrs}
	checks(t, "of type v1", v1, DeviceWant{Device: "mlx5_2", GIDIndex: at(3)}, "no: 10.10.1.3: mlx5_2 (ens1f0) GID 2 is of type RoCE v1; mlx5_2 (ens1f0) GID 3 is of type RoCE v1", "")

	second := sysfsOf("mlx5_3", 1, "4: ACTIVE", "Ethernet", "0000:81:00.1", "ens1f1", "5 ::ffff:10.10.1.3 RoCE_v2 ens1f1")
	both := nodeText{sysfs: experiment + second, ip: "ens1f0 UP 10.10.1.3/24 \nens1f1 UP 10.10.1.3/24 \n"}
	const several = "unknown: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3 and on mlx5_3 (ens1f1) GID 5: name the netdev or the device"
	checks(t, "two carriers", both, DeviceWant{GIDIndex: at(3)}, several, "")
	checks(t, "two carriers, another device", both, DeviceWant{Device: "mlx5_4"}, several, "")
	checks(t, "two carriers, netdev named", both, DeviceWant{Netdev: "ens1f1", GIDIndex: at(5)}, "yes: 10.10.1.3 is on mlx5_3 (ens1f1) GID 5", "mlx5_3 (ens1f1) GID 5")
	checks(t, "two carriers, device named", both, DeviceWant{Device: "mlx5_3", GIDIndex: at(3)}, "no: cluster file says mlx5_3 GID 3 (empty), 10.10.1.3 is on mlx5_3 (ens1f1) GID 5", "mlx5_3 (ens1f1) GID 5")
}

func TestDeviceCheckControl(t *testing.T) {
	node := nodeText{sysfs: control + experiment, ip: addrs + "eno33.7@eno33 UP 10.10.7.1/24 \n"}
	public := netip.MustParseAddr("198.51.100.9")
	checks(t, "its device", node, DeviceWant{Device: "mlx5_0", ControlDevice: "mlx5_0"}, "no: cluster file says mlx5_0, the device of the control network", "")
	checks(t, "its netdev", node, DeviceWant{Netdev: "eno33", ControlNetdev: "eno33"}, "no: cluster file says eno33, the control network", "")
	checks(t, "a device whose netdev it is", node, DeviceWant{Device: "mlx5_0", ControlNetdev: "eno33"}, "no: cluster file says mlx5_0, whose netdev is eno33, the control network", "")
	checks(t, "its address, by netdev", node, DeviceWant{Addr: public, ControlNetdev: "eno33"}, "no: 198.51.100.9 is on mlx5_0 (eno33) GID 3, the control network", "")
	checks(t, "its address, by device", node, DeviceWant{Addr: public, ControlDevice: "mlx5_0"}, "no: 198.51.100.9 is on mlx5_0 (eno33) GID 3, the control network", "")

	node.sysfs += strings.NewReplacer("gids/3", "gids/5", "gid_attrs/types/3", "gid_attrs/types/5").Replace(
		sysfsOf("mlx5_0", 1, "4: ACTIVE", "Ethernet", "", "", "5 ::ffff:10.10.7.1 RoCE_v2 eno33.7"))
	checks(t, "a VLAN above it", node, DeviceWant{Addr: netip.MustParseAddr("10.10.7.1"), ControlNetdev: "eno33"}, "no: 10.10.7.1 is on mlx5_0 (eno33.7) GID 5, the control network", "")

	dual := nodeText{sysfs: dualPort, ip: dualAddrs}
	two := netip.MustParseAddr("10.10.2.3")
	checks(t, "the other port of the card", dual, DeviceWant{Device: "mlx4_0", Addr: two, ControlNetdev: "ens2"}, "yes: 10.10.2.3 is on mlx4_0 port 2 (ens2d1) GID 1", "mlx4_0 port 2 (ens2d1) GID 1")
}

func TestDevicePorts(t *testing.T) {
	says := func(name string, p Probe, want string) {
		t.Helper()
		if p.String() != want {
			t.Errorf("%s: %q, want %q", name, p, want)
		}
	}
	node := nodeText{sysfs: control, devinfo: devinfoOf("mlx5_0", "PORT_ACTIVE (4)", "1024 (3)"), ip: addrs}
	m := node.mapped(t)
	says("active", m.Active("mlx5_0", 1), "yes: mlx5_0 is ACTIVE")
	says("no such port", m.Active("mlx5_0", 2), "no: there is no mlx5_0 port 2, only mlx5_0")
	mtu := func(name string, n nodeText, mtu MTU, want string) {
		t.Helper()
		got, p := n.mapped(t).ActiveMTU("mlx5_0", 1)
		if says(name, p, want); got != mtu {
			t.Errorf("%s: MTU %d, want %d", name, got, mtu)
		}
	}
	mtu("known", node, 1024, "yes: mlx5_0 has active MTU 1024")
	mtu("no ibv_devinfo", nodeText{sysfs: control}, 0, "unknown: the active MTU of mlx5_0 is not known: ibv_devinfo shows it")
	mtu("invalid", nodeText{devinfo: devinfoOf("mlx5_0", "PORT_ACTIVE (4)", "invalid MTU (0)")}, 0, "unknown: the active MTU of mlx5_0 is not known: ibv_devinfo shows it")
	mtu("not a path MTU", nodeText{devinfo: devinfoOf("mlx5_0", "PORT_ACTIVE (4)", "1500 (9)")}, 0, "unknown: the active MTU of mlx5_0 is 1500, which is no path MTU")
	mtu("no device", nodeText{sysfs: experiment}, 0, "unknown: there is no mlx5_0 port 1, only mlx5_2")
	says("down", nodeText{sysfs: strings.Replace(control, "4: ACTIVE", "2: INIT", 1)}.mapped(t).Active("mlx5_0", 1), "no: mlx5_0 is INIT")
	says("not all read", nodeText{ibdev: "mlx5_0 port 1 ==> eno33 (Up)\n"}.mapped(t).Active("mlx5_2", 1), "unknown: mlx5_2 port 1 was not read")
	says("state not read", nodeText{ibdev: "mlx5_0 port 1 ==> eno33 (Up)\n"}.mapped(t).Active("mlx5_0", 1), "unknown: the state of mlx5_0 is not known")
}

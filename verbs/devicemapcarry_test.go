package verbs

import (
	"net/netip"
	"strings"
	"testing"
)

// A dual-port card of one PCI function, and of the netdevs only dev_port tells which is whose.
var dualPort = sysfsOf("mlx4_0", 1, "4: ACTIVE", "Ethernet", "0000:08:00.0", "ens2:0 ens2d1:1", "0 fe80::5 RoCE_v2 -", "1 ::ffff:10.10.1.3 RoCE_v2 -") +
	sysfsOf("mlx4_0", 2, "4: ACTIVE", "Ethernet", "0000:08:00.0", "ens2:0 ens2d1:1", "0 fe80::6 RoCE_v2 -", "1 ::ffff:10.10.2.3 RoCE_v2 -")

const dualAddrs = "ens2 UP 10.10.1.3/24 \nens2d1 UP 10.10.2.3/24 \n"

// inband is an InfiniBand port with IP over it.
var inband = sysfsOf("ibp65s0", 1, "4: ACTIVE", "InfiniBand", "0000:41:00.0", "ib0", "lid 0xe", "0 fe80::1070:fd03:61:3b2f IB/RoCE_v1 -")

// carries asks for an address, with `@device` and `%netdev` after it where the question names them.
func carries(t *testing.T, name string, n nodeText, question, want string) {
	t.Helper()
	addr, netdev, _ := strings.Cut(question, "%")
	addr, device, _ := strings.Cut(addr, "@")
	c, p := n.mapped(t).CarryingOn(netip.MustParseAddr(addr), device, netdev)
	if p.String() != want || (p.Answer == Yes) != (c.Device != "") {
		t.Errorf("%s: %s\n got %s\nwant %s", name, question, p, want)
	}
}

func TestCarryingSysfs(t *testing.T) {
	node := nodeText{sysfs: control + experiment, ip: addrs}
	carries(t, "plain", node, "10.10.1.3", "yes: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3")
	carries(t, "mapped", node, "::ffff:10.10.1.3", "yes: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3")
	carries(t, "sysfs alone", nodeText{sysfs: experiment}, "10.10.1.3", "yes: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3")
	carries(t, "no interface", node, "10.10.1.4", "no: 10.10.1.4 is on no interface")
	carries(t, "no device", node, "127.0.0.1", "no: 127.0.0.1 is on lo, which has no RDMA device")
	carries(t, "other netdev", node, "10.10.1.3%ens1f1", "no: 10.10.1.3 is not on ens1f1 but on mlx5_2 (ens1f0) GID 2 and on mlx5_2 (ens1f0) GID 3")
	carries(t, "other device", node, "10.10.1.3@mlx5_9", "no: 10.10.1.3 is not on mlx5_9 but on mlx5_2 (ens1f0) GID 2 and on mlx5_2 (ens1f0) GID 3")
	carries(t, "in no table", nodeText{sysfs: control + experiment}, "10.10.1.4", "no: 10.10.1.4 is in no GID table of mlx5_0, mlx5_2")
	carries(t, "ip addr is cut", nodeText{sysfs: experiment, ip: "ens1f0 UP 10.10.1.3/24"}, "10.10.1.4", "unknown: 10.10.1.4 is in no GID table, and ip addr is cut")
	carries(t, "no address", node, "0.0.0.0", "unknown: no address was given")
	carries(t, "v1 only", nodeText{sysfs: sysfsOf("mlx5_2", 1, "4: ACTIVE", "Ethernet", "", "", "2 ::ffff:10.10.1.3 IB/RoCE_v1 ens1f0"), ip: addrs},
		"10.10.1.3", "no: 10.10.1.3: mlx5_2 (ens1f0) GID 2 is of type RoCE v1")
	carries(t, "down", nodeText{sysfs: strings.Replace(experiment, "4: ACTIVE", "1: DOWN", 1), ip: addrs}, "10.10.1.3", "no: 10.10.1.3: mlx5_2 (ens1f0) GID 3: mlx5_2 is DOWN")
	carries(t, "down, and its GIDs are gone", nodeText{sysfs: sysfsOf("mlx5_2", 1, "1: DOWN", "Ethernet", "", "ens1f0", "0 fe80::2 RoCE_v2 ens1f0"), ip: addrs},
		"10.10.1.3", "no: 10.10.1.3 is on ens1f0 of mlx5_2: mlx5_2 is DOWN")
	carries(t, "no entry", nodeText{sysfs: sysfsOf("mlx5_2", 1, "4: ACTIVE", "Ethernet", "", "ens1f0", "0 fe80::2 RoCE_v2 ens1f0"), ip: addrs},
		"10.10.1.3", "no: 10.10.1.3 is on ens1f0 of mlx5_2, which has no GID for it")
	carries(t, "table not read", nodeText{sysfs: sysfsOf("mlx5_2", 1, "4: ACTIVE", "Ethernet", "", "ens1f0"), ip: addrs},
		"10.10.1.3", "unknown: 10.10.1.3 is on ens1f0 of mlx5_2, whose GID table was not read whole")
	carries(t, "neither", nodeText{sysfs: sysfsOf("mlx5_2", 1, "4: ACTIVE", "Ethernet", "", "ens1f0")}, "10.10.1.3",
		"unknown: 10.10.1.3: neither ip addr nor the whole GID table of mlx5_2 (ens1f0) was read")
	carries(t, "stale", nodeText{sysfs: experiment, ip: "ens1f0 UP 10.10.1.9/24 \n"}, "10.10.1.3", "no: 10.10.1.3: mlx5_2 (ens1f0) GID 3 is stale: ip addr has no 10.10.1.3 on ens1f0")
	carries(t, "moved", nodeText{sysfs: experiment, ip: "ens1f0 UP \nens9 UP 10.10.1.3/24 \n"}, "10.10.1.3", "unknown: 10.10.1.3: mlx5_2 (ens1f0) GID 3, but ip addr has 10.10.1.3 on ens9")
	carries(t, "netdev down", nodeText{sysfs: experiment, ip: "ens1f0 DOWN 10.10.1.3/24 \n"}, "10.10.1.3", "no: 10.10.1.3: mlx5_2 (ens1f0) GID 3: ens1f0 is DOWN")
	carries(t, "netdev down, no entry", nodeText{sysfs: experiment, ip: "ens1f0 DOWN 10.10.1.4/24 \n"}, "10.10.1.4", "no: 10.10.1.4 is on ens1f0, which is DOWN")
	carries(t, "stale or cut", nodeText{sysfs: experiment, ip: "ens1f0 UP 10.10.1.9/24"}, "10.10.1.3", "unknown: 10.10.1.3: mlx5_2 (ens1f0) GID 3: ip addr is cut")
}

func TestCarryingSeveral(t *testing.T) {
	second := sysfsOf("mlx5_3", 1, "4: ACTIVE", "Ethernet", "0000:81:00.1", "ens1f1", "5 ::ffff:10.10.1.3 RoCE_v2 ens1f1")
	both := nodeText{sysfs: experiment + second, ip: "ens1f0 UP 10.10.1.3/24 \nens1f1 UP 10.10.1.3/24 \n"}
	carries(t, "one address on two netdevs", both, "10.10.1.3", "unknown: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3 and on mlx5_3 (ens1f1) GID 5: name the netdev or the device")
	carries(t, "by netdev", both, "10.10.1.3%ens1f1", "yes: 10.10.1.3 is on mlx5_3 (ens1f1) GID 5")
	carries(t, "by device", both, "10.10.1.3@mlx5_2", "yes: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3")

	zoned := nodeText{sysfs: sysfsOf("a", 1, "4: ACTIVE", "Ethernet", "", "", "0 fe80::1 RoCE_v2 x") + sysfsOf("b", 1, "4: ACTIVE", "Ethernet", "", "", "0 fe80::1 RoCE_v2 y")}.mapped(t)
	if c, p := zoned.Carrying(netip.MustParseAddr("fe80::1%y")); c.Device != "b" {
		t.Errorf("fe80::1%%y: %s, want b", p)
	}
	vlan := "2 ::ffff:10.10.1.3 RoCE_v2 ens1f0"
	carries(t, "a VLAN entry of unknown type", nodeText{sysfs: sysfsOf("mlx5_2", 1, "4: ACTIVE", "Ethernet", "", "", vlan, "3 ::ffff:10.10.1.3 - ens1f0.9")}, "10.10.1.3",
		"unknown: 10.10.1.3 is on mlx5_2 (ens1f0) GID 2 and on mlx5_2 (ens1f0.9) GID 3: name the netdev or the device")
	carries(t, "an entry of unknown type beside it", nodeText{sysfs: sysfsOf("mlx5_2", 1, "4: ACTIVE", "Ethernet", "", "", vlan, "3 ::ffff:10.10.1.3 - ens1f0")}, "10.10.1.3",
		"yes: 10.10.1.3 is on mlx5_2 (ens1f0) GID 2")
	unsure := nodeText{sysfs: experiment + strings.ReplaceAll(second, "types/5:RoCE v2", "types/5:RoCE v9"), ip: both.ip}
	carries(t, "one sure, one perhaps", unsure, "10.10.1.3", "unknown: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3 and on mlx5_3 (ens1f1) GID 5: name the netdev or the device")

	soft := sysfsOf("rxe0", 1, "4: ACTIVE", "Ethernet", "0000:81:00.0", "ens1f0", "1 ::ffff:10.10.1.3 RoCE_v2 ens1f0")
	shared := nodeText{sysfs: experiment + soft, ip: addrs}
	carries(t, "two devices on one function", shared, "10.10.1.3%ens1f0", "unknown: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3 and on rxe0 (ens1f0) GID 1: name the netdev or the device")
	carries(t, "by device", shared, "10.10.1.3@rxe0", "yes: 10.10.1.3 is on rxe0 (ens1f0) GID 1")

	dual := nodeText{sysfs: dualPort, ip: dualAddrs}
	for _, port := range (nodeText{sysfs: sysfsOf("mlx4_0", 1, "4: ACTIVE", "Ethernet", "", "ens2") + sysfsOf("mlx4_0", 2, "4: ACTIVE", "Ethernet", "", "ens2")}).mapped(t).Ports {
		if port.Netdevs != nil {
			t.Errorf("%s: one netdev of two ports, without dev_port: nobody knows whose it is", port)
		}
	}
	carries(t, "port 1", dual, "10.10.1.3", "yes: 10.10.1.3 is on mlx4_0 (ens2) GID 1")
	carries(t, "port 2", dual, "10.10.2.3", "yes: 10.10.2.3 is on mlx4_0 port 2 (ens2d1) GID 1")
	carries(t, "the other port's netdev", dual, "10.10.2.3%ens2", "no: 10.10.2.3 is not on ens2 but on mlx4_0 port 2 (ens2d1) GID 1")
}

func TestCarryingNetdevs(t *testing.T) {
	vlan := nodeText{sysfs: strings.Replace(experiment, "gids/4:0000:0000:0000:0000:0000:0000:0000:0000", "gids/4:"+hexGID("::ffff:10.10.100.3")+
		"\n/sys/class/infiniband/mlx5_2/ports/1/gid_attrs/types/4:RoCE v2\n/sys/class/infiniband/mlx5_2/ports/1/gid_attrs/ndevs/4:ens1f0.100", 1),
		ip: addrs + "ens1f0.100@ens1f0 UP 10.10.100.3/24 \n", links: "link mlx5_2/1 state ACTIVE physical_state LINK_UP netdev ens1f0 \n"}
	carries(t, "VLAN", vlan, "10.10.100.3", "yes: 10.10.100.3 is on mlx5_2 (ens1f0.100) GID 4")
	carries(t, "below the VLAN", vlan, "10.10.1.3", "yes: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3")
	carries(t, "VLAN without entry", nodeText{sysfs: experiment, ip: vlan.ip}, "10.10.100.3", "no: 10.10.100.3 is on ens1f0.100 of mlx5_2, which has no GID for it")
	if notes := vlan.mapped(t).Notes; notes != nil {
		t.Errorf("notes %q, want none: a VLAN is no contradiction", notes)
	}

	bond := nodeText{sysfs: sysfsOf("mlx5_bond_0", 1, "4: ACTIVE", "Ethernet", "0000:81:00.0", "ens1f0", "3 ::ffff:10.10.1.3 RoCE_v2 bond0"),
		links: "link mlx5_bond_0/1 state ACTIVE physical_state LINK_UP netdev ens1f0 \n", ip: "ens1f0 UP \nens1f1 UP \nbond0 UP 10.10.1.3/24 \n"}
	carries(t, "bond", bond, "10.10.1.3", "yes: 10.10.1.3 is on mlx5_bond_0 (bond0) GID 3")

	six := nodeText{sysfs: sysfsOf("mlx5_2", 1, "4: ACTIVE", "Ethernet", "", "ens1f0", "1 fe80::2 RoCE_v2 ens1f0", "3 fd10::3 RoCE_v2 ens1f0") + control,
		ip: "eno33 UP fe80::2/64 \nens1f0 UP fd10::3/64 fe80::2/64 \n"}
	carries(t, "IPv6 only", six, "fd10::3", "yes: fd10::3 is on mlx5_2 (ens1f0) GID 3")
	carries(t, "link-local", six, "fe80::2%ens1f0", "yes: fe80::2 is on mlx5_2 (ens1f0) GID 1")
	carries(t, "IPv4 on an IPv6-only node", six, "10.10.1.3", "no: 10.10.1.3 is on no interface")

	away := nodeText{sysfs: sysfsOf("rx0", 1, "4: ACTIVE", "Ethernet", "", "", "1 ::ffff:10.20.0.1 RoCE_v2 v0"), links: "link rx0/1 state ACTIVE physical_state LINK_UP \n"}
	carries(t, "netdev elsewhere, ip addr not read", away, "10.20.0.1",
		"unknown: 10.20.0.1: rx0 (v0) GID 1: rdma link shows no netdev, v0 can be in another network namespace, and ip addr was not read")
	away.ip = addrs
	carries(t, "netdev elsewhere", away, "10.20.0.1", "no: 10.20.0.1: rx0 (v0) GID 1: there is no v0 in this network namespace")
}

func TestCarryingInfiniBand(t *testing.T) {
	ib := nodeText{sysfs: inband, ip: "ib0 UP 10.10.1.3/24 \n"}
	carries(t, "IP over InfiniBand", ib, "10.10.1.3",
		"no: 10.10.1.3 is on ib0 of ibp65s0, InfiniBand: no GID stands for it; the port is reached by LID 14 or GID 0 (fe80::1070:fd03:61:3b2f)")
	carries(t, "the port's GID", ib, "fe80::1070:fd03:61:3b2f",
		"no: fe80::1070:fd03:61:3b2f: ibp65s0 GID 0 is on InfiniBand: reached by LID 14 or GID 0 (fe80::1070:fd03:61:3b2f), not by RoCE v2")
}

func TestCarryingTools(t *testing.T) {
	old := sysfsOf("mlx5_2", 1, "4: ACTIVE", "Ethernet", "0000:81:00.0", "ens1f0", "2 ::ffff:10.10.1.3 - -", "3 ::ffff:10.10.1.3 - -")
	twice := devinfoOf("mlx5_2", "PORT_ACTIVE (4)", "1024 (3)", "2 0000:0000:0000:0000:0000:ffff:0a0a:0103", "3 0000:0000:0000:0000:0000:ffff:0a0a:0103")
	typed := devinfoOf("mlx5_2", "PORT_ACTIVE (4)", "1024 (3)", "2 0000:0000:0000:0000:0000:ffff:0a0a:0103, RoCE v1", "3 ::ffff:10.10.1.3, RoCE v2")
	link, ibdev := "link mlx5_2/1 state ACTIVE physical_state LINK_UP netdev ens1f0 \n", "mlx5_2 port 1 ==> ens1f0 (Up)\n"
	carries(t, "old kernel, VLAN", nodeText{sysfs: strings.ReplaceAll(old, "0a0a:0103", "0a0a:6403"), devinfo: strings.NewReplacer("0a0a:0103", "0a0a:6403", "10.10.1.3", "10.10.100.3").Replace(typed),
		ip: addrs + "ens1f0.100@ens1f0 UP 10.10.100.3/24 \n"}, "10.10.100.3", "yes: 10.10.100.3 is on mlx5_2 (ens1f0.100) GID 3")
	carries(t, "old kernel, address on netdev and VLAN", nodeText{sysfs: old, devinfo: typed, ip: addrs + "ens1f0.100@ens1f0 UP 10.10.1.3/24 \n"}, "10.10.1.3",
		"unknown: 10.10.1.3: the netdev of mlx5_2 GID 3 is not known")
	carries(t, "soft-RoCE, netdev by its parent file", nodeText{sysfs: sysfsOf("mlx5_2", 1, "4: ACTIVE", "Ethernet", "", "", "3 ::ffff:10.10.1.3 RoCE_v2 -") + "/sys/class/infiniband/mlx5_2/parent:ens1f0\n", ip: addrs},
		"10.10.1.3", "yes: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3")
	const unknownType = "unknown: 10.10.1.3: mlx5_2 (ens1f0) GID 2 is of unknown type; mlx5_2 (ens1f0) GID 3 is of unknown type"
	carries(t, "old kernel", nodeText{sysfs: old, ip: addrs}, "10.10.1.3", unknownType)
	carries(t, "old kernel, old rdma-core", nodeText{sysfs: old, devinfo: twice, ip: addrs}, "10.10.1.3", unknownType)
	carries(t, "old kernel, netdev by address, type by ibv_devinfo", nodeText{sysfs: old, devinfo: typed, ip: addrs}, "10.10.1.3", "yes: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3")
	carries(t, "old kernel, no ip addr", nodeText{sysfs: old, devinfo: typed}, "10.10.1.3", "unknown: 10.10.1.3: the netdev of mlx5_2 GID 3 is not known")
	carries(t, "tools with ip addr", nodeText{devinfo: typed, ibdev: ibdev, ip: addrs}, "10.10.1.3", "yes: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3")
	carries(t, "tools without ip addr", nodeText{devinfo: typed, links: link}, "10.10.1.3", "unknown: 10.10.1.3: the netdev of mlx5_2 GID 3 is not known")
	carries(t, "tools, netdev of no device", nodeText{devinfo: typed, ip: addrs}, "10.10.1.3", "unknown: 10.10.1.3: the netdev of mlx5_2 GID 3 is not known")
	table := gidTable("mlx5_2 1 2 ::ffff:10.10.1.3 v1 ens1f0", "mlx5_2 1 3 ::ffff:10.10.1.3 v2 ens1f0")
	carries(t, "show_gids and rdma link", nodeText{showGIDs: table, links: link, ip: addrs}, "10.10.1.3", "yes: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3")
	carries(t, "show_gids alone", nodeText{showGIDs: table}, "10.10.1.3", "unknown: 10.10.1.3: mlx5_2 (ens1f0) GID 3: the state of mlx5_2 is not known")
	carries(t, "two tools differ", nodeText{showGIDs: gidTable("mlx5_2 1 3 ::ffff:10.10.1.3 v1 ens1f0"), devinfo: typed, links: link, ip: addrs}, "10.10.1.3",
		"unknown: 10.10.1.3: mlx5_2 (ens1f0) GID 3 is of unknown type (RoCE v1 in show_gids, RoCE v2 in ibv_devinfo)")
	carries(t, "a device that sysfs lacks", nodeText{sysfs: control, devinfo: typed, ip: addrs}, "10.10.1.3", "unknown: 10.10.1.3: mlx5_2 is in ibv_devinfo and not in sysfs")
	cut := nodeText{showGIDs: strings.Replace(gidTable("mlx5_2 1 2 ::ffff:10.10.1.3 v1 ens1f0"), "found=1", "found=2", 1), links: link, ip: addrs}
	carries(t, "v1, and the table is cut", cut, "10.10.1.3", "unknown: 10.10.1.3: mlx5_2 (ens1f0) GID 2 is of type RoCE v1; the GID table of mlx5_2 (ens1f0) was not read whole")
	carries(t, "one entry twice, on two netdevs", nodeText{showGIDs: gidTable("mlx5_2 1 3 ::ffff:10.10.1.3 v2 ens1f0", "mlx5_2 1 3 ::ffff:10.10.1.3 v2 ens1f1"), links: link, ip: addrs}, "10.10.1.3",
		"unknown: 10.10.1.3: the netdev of mlx5_2 GID 3 is not known (ens1f0 in show_gids, ens1f1 in show_gids)")
	carries(t, "no list of devices", nodeText{showGIDs: table}, "10.10.1.4", "unknown: 10.10.1.4 is in no GID table of mlx5_2, and there can be more devices")
	carries(t, "no list of devices, on another interface", nodeText{showGIDs: table, ip: addrs}, "127.0.0.1", "unknown: 127.0.0.1 is on lo; not all RDMA devices were read")
	carries(t, "cut list", nodeText{devinfo: typed + "hca_id:\tmlx5_3\n", ip: addrs}, "127.0.0.1", "unknown: 127.0.0.1 is on lo; not all RDMA devices were read")
	carries(t, "cut links", nodeText{links: link + "link mlx5_3/1 sta", ip: addrs}, "127.0.0.1", "unknown: 127.0.0.1 is on lo; not all RDMA devices were read")
	carries(t, "no GIDs without -v", nodeText{devinfo: devinfoOf("mlx5_2", "PORT_ACTIVE (4)", "1024 (3)"), links: link, ip: addrs}, "10.10.1.3",
		"unknown: 10.10.1.3 is on ens1f0 of mlx5_2, whose GID table was not read whole")
}

// A no about one entry holds only where no other table could have a better one.
func TestCarryingUnread(t *testing.T) {
	v1 := sysfsOf("rxe0", 1, "4: ACTIVE", "Ethernet", "", "", "1 ::ffff:10.10.1.3 IB/RoCE_v1 ens1f0.9")
	bare := func(device, layer, netdev string) string { return sysfsOf(device, 1, "4: ACTIVE", layer, "", netdev) }
	const is = "10.10.1.3: rxe0 (ens1f0.9) GID 1 is of type RoCE v1"
	carries(t, "no ip addr", nodeText{sysfs: v1 + bare("mlx5_2", "Ethernet", "ens1f1")}, "10.10.1.3", "unknown: "+is+"; the GID table of mlx5_2 (ens1f1) was not read whole")
	carries(t, "InfiniBand", nodeText{sysfs: v1 + bare("mlx5_2", "InfiniBand", "ib0")}, "10.10.1.3", "no: "+is)
	carries(t, "one device asked", nodeText{sysfs: v1 + bare("mlx5_2", "Ethernet", "")}, "10.10.1.3@rxe0", "no: "+is)
	ip := "ens1f0 UP \nens1f1 UP \nens1f0.9@ens1f0 UP 10.10.1.3/24 \n"
	carries(t, "the netdev below", nodeText{sysfs: v1 + bare("mlx5_2", "Ethernet", "ens1f0"), ip: ip}, "10.10.1.3", "unknown: "+is+"; the GID table of mlx5_2 (ens1f0) was not read whole")
	carries(t, "another netdev", nodeText{sysfs: v1 + bare("mlx5_2", "Ethernet", "ens1f1"), ip: ip}, "10.10.1.3", "no: "+is)
	low := nodeText{sysfs: sysfsOf("rxe0", 1, "4: ACTIVE", "Ethernet", "", "", "1 ::ffff:10.10.1.3 RoCE_v2 ens1f0.9"), ip: ip, links: "link rxe0/1 state ACTIVE physical_state LINK_UP netdev ens1f0 \n"}
	if notes := low.mapped(t).Notes; notes != nil {
		t.Errorf("notes %q, want none: the VLAN stands on the netdev", notes)
	}
}

// What was read and is empty is a no; what was not read is unknown.
func TestCarryingNoDevice(t *testing.T) {
	addr := netip.MustParseAddr("10.10.1.3")
	for want, e := range map[string]DeviceEvidence{
		"no: 10.10.1.3: the node has no RDMA device":           {Devinfo: &Devices{}},
		"unknown: 10.10.1.3: the RDMA devices were not read":   {ShowGIDs: &GIDTable{}},
		"no: 10.10.1.3: the node has no RDMA device ":          {Sysfs: Sysfs{}},
		"unknown: 10.10.1.3: the RDMA devices were not read  ": {Devinfo: &Devices{NoDriver: 2}},
	} {
		m, err := MapDevices(e)
		if _, p := m.Carrying(addr); err != nil || p.String() != strings.TrimSpace(want) {
			t.Errorf("%s, %v; want %s", p, err, want)
		}
	}
}

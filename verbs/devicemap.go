package verbs

import (
	"fmt"
	"slices"
	"strings"
)

// A DeviceEvidence is what could be read of the RDMA devices of one node. Nil is "not read"; an empty value is "read,
// and there is none": &Devices{} stands for ErrNoDevices, Sysfs{} for an empty /sys/class/infiniband.
type DeviceEvidence struct {
	Sysfs      Sysfs        // the truth, where it has the file
	ShowGIDs   *GIDTable    // show_gids
	Devinfo    *Devices     // ibv_devinfo -v
	Links      *Links       // rdma link
	Netdevs    *PortNetdevs // ibdev2netdev
	Interfaces *Interfaces  // ip addr
}

// A DevicePort is one port of a device with what hangs on it. Empty and nil are "not known".
type DevicePort struct {
	Device    string
	Port      int    // from 1
	PCI       string // as in 0000:81:00.0; software devices have none
	State     PortState
	LinkLayer LinkLayer
	LID       *uint16  // InfiniBand
	ActiveMTU *MTU     // ibv_devinfo
	Netdevs   []string // those of its GID table (VLANs and bonds among them), then those that tools and device/net name
	GIDs      []GID    // entries that are not empty, by index; an entry's netdev can come from its address and ip addr

	complete bool   // the GID table was read whole
	hidden   bool   // rdma link shows the port without a netdev
	doubt    string // why nothing may be built on this port
}

// A DeviceMap tells of one node which device, port, network device, PCI address and GID belong together.
type DeviceMap struct {
	Ports []DevicePort // by device and port
	Notes []string     // where two sources contradict each other

	interfaces *Interfaces
	hosts      hosts
	byNetdev   map[string][]int // netdev → ports, as indices of Ports
	complete   bool             // all devices of the node are here
}

// MapDevices joins what was read. Sysfs is the truth; the tools fill what it lacks. Where two sources differ there is
// a note; against sysfs a tool loses, and two tools that differ leave the value unknown. Without any
// evidence of RDMA devices the error is compatible with ErrNoData.
func MapDevices(e DeviceEvidence) (DeviceMap, error) {
	if e.Sysfs == nil && e.ShowGIDs == nil && e.Devinfo == nil && e.Links == nil && e.Netdevs == nil {
		return DeviceMap{}, fmt.Errorf("device map: %w: neither sysfs nor an RDMA tool was read", ErrNoData)
	}
	b := mapper{ports: map[portKey]*portClaims{}, inSysfs: map[string]bool{}, hosts: newHosts(e.Interfaces)}
	b.sysfs(e.Sysfs)
	b.showGIDs(e.ShowGIDs)
	b.devinfo(e.Devinfo)
	b.links(e.Links)
	b.ibdev(e.Netdevs)
	m := DeviceMap{interfaces: e.Interfaces, hosts: b.hosts, byNetdev: map[string][]int{}, complete: e.lists()}
	for _, c := range b.sorted() {
		if e.Sysfs != nil && !b.inSysfs[c.key.dev] {
			c.doubt = fmt.Sprintf("%s is in %s and not in sysfs", c.key.dev, c.seen)
			b.note("%s", c.doubt)
		}
		m.Ports = append(m.Ports, b.port(c))
		for _, name := range m.Ports[len(m.Ports)-1].Netdevs {
			m.byNetdev[name] = append(m.byNetdev[name], len(m.Ports)-1)
		}
	}
	slices.Sort(b.notes)
	m.Notes = slices.Compact(b.notes)
	return m, nil
}

// lists reports whether one of the sources names all devices of the node.
func (e DeviceEvidence) lists() bool {
	return e.Sysfs != nil ||
		e.Devinfo != nil && !e.Devinfo.Truncated && e.Devinfo.NoDriver == 0 ||
		e.Links != nil && !e.Links.Truncated
}

// On returns the ports that a network device belongs to, itself or, for a VLAN, by the device below it. One that is on
// the control network must not be used.
func (m DeviceMap) On(netdev string) []DevicePort {
	at := m.byNetdev[netdev]
	if len(at) == 0 {
		at = m.byNetdev[m.hosts.parent(netdev)]
	}
	var out []DevicePort
	for _, i := range at {
		out = append(out, m.Ports[i])
	}
	return out
}

func (p DevicePort) on(netdev string) bool { return netdev != "" && slices.Contains(p.Netdevs, netdev) }

// portName gives the device, with the port where it is not the usual one, and the netdev: mlx4_0 port 2 (ens2d1).
func portName(device string, port int, netdev string) string {
	s := device
	if port != 1 {
		s += fmt.Sprintf(" port %d", port)
	}
	if netdev != "" {
		s += " (" + netdev + ")"
	}
	return s
}

// String gives the port with its first netdev.
func (p DevicePort) String() string {
	if len(p.Netdevs) == 0 {
		return portName(p.Device, p.Port, "")
	}
	return portName(p.Device, p.Port, p.Netdevs[0])
}

// String lists ports, their GIDs and the notes, a line each.
func (m DeviceMap) String() string {
	var b strings.Builder
	for _, p := range m.Ports {
		fmt.Fprintf(&b, "%s port %d: %s, PCI %s, netdev %s\n", p.Device, p.Port, known(string(p.State)), known(p.PCI), known(strings.Join(p.Netdevs, " ")))
		for _, g := range p.GIDs {
			fmt.Fprintf(&b, "  GID %d: %s, %s, %s\n", g.Index, g.Addr.Unmap(), known(string(g.Type)), known(g.Netdev))
		}
	}
	for _, n := range m.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}

// known spells an empty value.
func known(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// some joins the first texts of a list.
func some(list []string, sep string) string {
	const most = 6
	if len(list) > most {
		return strings.Join(list[:most], sep) + fmt.Sprintf("%sand %d more", sep, len(list)-most)
	}
	return strings.Join(list, sep)
}

package verbs

import (
	"fmt"
	"net/netip"
	"slices"
)

// A Carrier is the GID entry that carries an address: device, port, index and netdev, with the PCI address of the device
// (empty for a software device, and where it was not read).
type Carrier struct {
	GID
	PCI string
}

// String gives it as in `mlx5_2 (ens1f0) GID 3`.
func (c Carrier) String() string {
	return fmt.Sprintf("%s GID %d", portName(c.Device, c.Port, c.Netdev), c.Index)
}

// Carrying answers which device, port, netdev, PCI address and GID index carry an address of this node. Yes comes with
// the one entry of type RoCE v2 for it, on an active port, whose netdev has the address where ip addr was read. No
// and unknown (evidence is missing, or several entries fit) come with the reason and the zero Carrier.
// A zone (fe80::1%ens1f0) chooses the netdev.
func (m DeviceMap) Carrying(addr netip.Addr) (Carrier, Probe) { return m.CarryingOn(addr, "", "") }

// CarryingOn is Carrying among the entries of one device and one netdev; empty stands for any. It tells apart the
// devices that carry one address.
func (m DeviceMap) CarryingOn(addr netip.Addr, device, netdev string) (Carrier, Probe) {
	if !addr.IsValid() || addr.IsUnspecified() {
		return Carrier{}, unknown("no address was given")
	}
	if netdev == "" {
		netdev = addr.Zone()
	}
	q := search{m: m, addr: addr.WithZone("").Unmap(), device: device, netdev: netdev}
	for _, p := range m.Ports {
		for _, g := range p.GIDs {
			if g.Addr.Unmap() == q.addr {
				q.try(p, g)
			}
		}
	}
	return q.answer()
}

// A search is one question to the map and what was found so far.
type search struct {
	m              DeviceMap
	addr           netip.Addr
	device, netdev string
	fits           []Carrier
	open           []Carrier // entries of which it is not known whether they fit
	openWhy        []string
	noWhy          []string
	v1             []string // entries that are of the wrong type: the reason only when there is no better one
	elsewhere      []string // entries on other devices and netdevs than those asked for
}

// try judges one entry for the address.
func (q *search) try(p DevicePort, g GID) {
	c := Carrier{g, p.PCI}
	if q.device != "" && g.Device != q.device || q.netdev != "" && g.Netdev != "" && g.Netdev != q.netdev {
		q.elsewhere = append(q.elsewhere, c.String())
		return
	}
	probe := q.m.judge(p, c, q.addr)
	switch {
	case probe.Answer == Yes:
		q.fits = append(q.fits, c)
	case probe.Answer == Unknown:
		q.open = append(q.open, c)
		q.openWhy = append(q.openWhy, probe.Reason)
	case g.Type == RoCEv1 && p.LinkLayer != LinkInfiniBand:
		q.v1 = append(q.v1, probe.Reason)
	default:
		q.noWhy = append(q.noWhy, probe.Reason)
	}
}

// judge reports whether an entry for the address can be used.
func (m DeviceMap) judge(p DevicePort, c Carrier, addr netip.Addr) Probe {
	active := m.active(p)
	switch {
	case p.doubt != "":
		return unknown("%s", p.doubt)
	case p.LinkLayer == LinkInfiniBand:
		return no("%s is on InfiniBand: %s, not by RoCE v2", c, p.reached())
	case c.Type == RoCEv1:
		return no("%s is of type RoCE v1", c)
	case c.Type != RoCEv2:
		return unknown("%s is of unknown type%s", c, m.why(p, fmt.Sprintf("type of GID %d", c.Index)))
	case active.Answer != Yes:
		return Probe{active.Answer, fmt.Sprintf("%s: %s", c, active.Reason)}
	case c.Netdev == "":
		return unknown("the netdev of %s is not known%s", c, m.why(p, fmt.Sprintf("netdev of GID %d", c.Index)))
	}
	return m.placed(p, c, addr)
}

// placed reports whether the netdev of an entry has the address, as far as ip addr was read.
func (m DeviceMap) placed(p DevicePort, c Carrier, addr netip.Addr) Probe {
	if m.interfaces == nil {
		if p.hidden {
			return unknown("%s: rdma link shows no netdev, %s can be in another network namespace, and ip addr was not read", c, c.Netdev)
		}
		return yes("%s", c)
	}
	if i, ok := m.hosts.on(c.Netdev, addr); ok {
		if i.Up() == No {
			return no("%s: %s is %s", c, c.Netdev, i.State)
		}
		return yes("%s", c)
	}
	others := m.hosts.with[addr]
	switch {
	case len(others) > 0:
		return unknown("%s, but ip addr has %s on %s", c, addr, others[0].Name)
	case m.interfaces.Truncated:
		return unknown("%s: ip addr is cut", c)
	case len(m.hosts.named[c.Netdev]) > 0:
		return no("%s is stale: ip addr has no %s on %s", c, addr, c.Netdev)
	}
	return no("%s: there is no %s in this network namespace", c, c.Netdev)
}

// reached tells how an InfiniBand port is addressed.
func (p DevicePort) reached() string {
	switch {
	case p.LID != nil && len(p.GIDs) > 0:
		return fmt.Sprintf("reached by LID %d or GID %d (%s)", *p.LID, p.GIDs[0].Index, p.GIDs[0].Addr)
	case p.LID != nil:
		return fmt.Sprintf("reached by LID %d", *p.LID)
	case len(p.GIDs) > 0:
		return fmt.Sprintf("reached by GID %d (%s)", p.GIDs[0].Index, p.GIDs[0].Addr)
	}
	return "reached by its LID"
}

// rivals returns the open entries that are on another port or netdev than the one that fits: they could fit too.
func (q *search) rivals() []Carrier {
	return slices.DeleteFunc(slices.Clone(q.open), func(c Carrier) bool {
		f := q.fits[0]
		return c.Device == f.Device && c.Port == f.Port && (c.Netdev == f.Netdev || c.Netdev == "")
	})
}

// answer weighs what was found.
func (q *search) answer() (Carrier, Probe) {
	if len(q.fits) > 0 {
		all := append(slices.Clone(q.fits), q.rivals()...)
		if len(all) == 1 {
			return all[0], yes("%s is on %s", q.addr, all[0])
		}
		var names []string
		for _, c := range all {
			names = append(names, c.String())
		}
		return Carrier{}, unknown("%s is on %s: name the netdev or the device", q.addr, some(names, " and on "))
	}
	return Carrier{}, q.refusal()
}

// refusal says why nothing fits. A no stands only where every table that could hold another entry was read.
func (q *search) refusal() Probe {
	reason := ""
	switch {
	case len(q.openWhy) > 0:
		return unknown("%s: %s", q.addr, some(unique(q.openWhy), "; "))
	case len(q.noWhy) > 0:
		reason = q.addr.String() + ": " + some(unique(q.noWhy), "; ")
	case len(q.v1) > 0:
		reason = q.addr.String() + ": " + some(q.v1, "; ")
	case len(q.elsewhere) > 0:
		reason = fmt.Sprintf("%s is not on %s but on %s", q.addr, q.asked(), some(q.elsewhere, " and on "))
	default:
		return q.absent()
	}
	if p, ok := q.unread(); ok {
		return unknown("%s; the GID table of %s was not read whole", reason, p)
	}
	return no("%s", reason)
}

// unread returns a port that could have the address, as far as ip addr and the port's netdevs tell, and whose GID
// table was not read whole.
func (q *search) unread() (DevicePort, bool) {
	near := q.near()
	for i, p := range q.m.Ports {
		if p.complete || p.LinkLayer == LinkInfiniBand || q.device != "" && p.Device != q.device {
			continue
		}
		if near == nil || near[i] || len(p.Netdevs) == 0 {
			return p, true
		}
	}
	return DevicePort{}, false
}

// near returns the ports below the interfaces that have the address; nil when ip addr does not tell.
func (q *search) near() map[int]bool {
	if q.m.interfaces == nil || q.m.interfaces.Truncated {
		return nil
	}
	near := map[int]bool{}
	for _, host := range q.m.hosts.with[q.addr] {
		for _, i := range append(slices.Clone(q.m.byNetdev[host.Name]), q.m.byNetdev[host.Parent]...) {
			near[i] = true
		}
	}
	return near
}

// asked names what the question was restricted to.
func (q *search) asked() string {
	switch {
	case q.device == "":
		return q.netdev
	case q.netdev == "":
		return q.device
	}
	return q.device + " (" + q.netdev + ")"
}

package verbs

import (
	"maps"
	"net/netip"
	"slices"
	"strconv"
)

// port makes the port of the map out of the claims.
func (b *mapper) port(c *portClaims) DevicePort {
	if b.allGIDs {
		c.tables |= fromShowGIDs
	}
	b.missing(c)
	p := DevicePort{Device: c.key.dev, Port: c.key.port, PCI: c.pci.value, State: c.state.value, LinkLayer: c.layer.value,
		GIDs: c.gids(), complete: c.tables != 0, hidden: c.hidden, doubt: c.doubt}
	if c.lid.value != 0 {
		p.LID = &c.lid.value
	}
	if c.mtu.value != 0 {
		p.ActiveMTU = &c.mtu.value
	}
	p.Netdevs = b.netdevs(c, p.GIDs)
	below := append(slices.Clone(p.Netdevs), c.files.Netdevs(c.key.dev)...)
	var found []string
	for i, g := range p.GIDs {
		if g.Netdev == "" && !c.rows[g.Index].netdev.disputed {
			p.GIDs[i].Netdev = b.hosts.of(g.Addr, below)
			found = append(found, p.GIDs[i].Netdev)
		}
	}
	p.Netdevs = unique(append(p.Netdevs, found...))
	return p
}

// missing notes the entries that a source with the whole table does not have.
func (b *mapper) missing(c *portClaims) {
	for index, row := range c.rows {
		if lacks := c.tables &^ row.seen; lacks != 0 && row.addr.value.IsValid() {
			b.note("%s port %d: GID %d (%s) is in %s, not in %s", c.key.dev, c.key.port, index, row.addr.value.Unmap(), row.seen, lacks)
		}
	}
}

func (c *portClaims) gids() []GID {
	var out []GID
	for _, index := range slices.Sorted(maps.Keys(c.rows)) {
		if r := c.rows[index]; r.addr.value.IsValid() {
			out = append(out, GID{c.key.dev, c.key.port, index, r.addr.value, r.typ.value, r.netdev.value})
		}
	}
	return out
}

// netdevs returns the network devices of a port: those of its GID table, those that the tools name, and from
// sysfs the one below a software device and those of its PCI function.
func (b *mapper) netdevs(c *portClaims, gids []GID) []string {
	var names []string
	for _, g := range gids {
		names = append(names, g.Netdev)
	}
	names = unique(names)
	lower := unique(append(append(slices.Clone(c.lower), c.files[c.key.dev+"/parent"]), c.functionNetdevs()...))
	for _, name := range lower {
		if len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return n == name || b.hosts.parent(n) == name }) {
			b.note("%s port %d: the netdev is %s by the GID table, %s by the device: a bond, or stale",
				c.key.dev, c.key.port, some(names, " and "), name)
			break
		}
	}
	return unique(append(names, lower...))
}

// functionNetdevs returns the network devices of the PCI function that belong to the port: the only one, or
// those whose dev_port (from 0) is the port's. Where a function has several and no dev_port it cannot be told.
func (c *portClaims) functionNetdevs() []string {
	all := c.files.Netdevs(c.key.dev)
	if len(all) == 1 && len(c.files.portKeys()) == 1 {
		return all
	}
	var mine []string
	for _, name := range all {
		if c.files[c.key.dev+"/device/net/"+name+"/dev_port"] == strconv.Itoa(c.key.port-1) {
			mine = append(mine, name)
		}
	}
	return mine
}

// hosts are the interfaces of a node, by what is looked for.
type hosts struct {
	with  map[netip.Addr][]Interface
	named map[string][]Interface // one, unless the capture holds it several times
}

func newHosts(is *Interfaces) hosts {
	h := hosts{map[netip.Addr][]Interface{}, map[string][]Interface{}}
	if is == nil {
		return h
	}
	for _, i := range is.Interfaces {
		h.named[i.Name] = append(h.named[i.Name], i)
		for _, a := range i.Addrs {
			h.with[a.Addr().Unmap()] = append(h.with[a.Addr().Unmap()], i)
		}
	}
	return h
}

// parent returns the device below a VLAN.
func (h hosts) parent(name string) string {
	if is := h.named[name]; len(is) > 0 {
		return is[0].Parent
	}
	return ""
}

// on returns the interface of the name that has the address.
func (h hosts) on(name string, addr netip.Addr) (Interface, bool) {
	for _, i := range h.named[name] {
		if slices.ContainsFunc(i.Addrs, func(p netip.Prefix) bool { return p.Addr().Unmap() == addr }) {
			return i, true
		}
	}
	return Interface{}, false
}

// of finds the netdev of a GID by its address: the one interface that has it and that is one of the
// port's or stands on one (a VLAN). Empty when there is none, or more than one.
func (h hosts) of(addr netip.Addr, names []string) string {
	found := ""
	for _, i := range h.with[addr.Unmap()] {
		switch {
		case !slices.Contains(names, i.Name) && !slices.Contains(names, i.Parent):
		case found != "" && found != i.Name:
			return ""
		default:
			found = i.Name
		}
	}
	return found
}

// unique keeps the first of equal names; an empty one is none.
func unique(names []string) []string {
	seen := map[string]bool{"": true}
	var out []string
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

package verbs

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// A source is a set of those from which a device map is made.
type source uint8

const (
	fromSysfs source = 1 << iota
	fromShowGIDs
	fromDevinfo
	fromLink
	fromIBDev
)

var sourceNames = []string{"sysfs", "show_gids", "ibv_devinfo", "rdma link", "ibdev2netdev"}

func (s source) String() string {
	var names []string
	for i, name := range sourceNames {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// A claim is one value as the sources tell it, the most trusted first.
type claim[T comparable] struct {
	value    T
	from     source // who said it first; 0 is nobody
	disputed bool   // two tools differ, and sysfs says nothing
}

// say adds what a source says; a zero value says nothing. It returns both values where they differ.
func (c *claim[T]) say(v T, from source) (clash string) {
	var zero T
	switch {
	case v == zero || c.from != 0 && (c.value == v || c.disputed):
		return ""
	case c.from == 0:
		c.value, c.from = v, from
		return ""
	}
	clash = fmt.Sprintf("%v in %s, %v in %s", c.value, c.from, v, from)
	if c.from != fromSysfs {
		c.value, c.disputed = zero, true
	}
	return clash
}

// gidClaims is one entry of a GID table.
type gidClaims struct {
	addr   claim[netip.Addr]
	typ    claim[GIDType]
	netdev claim[string]
	seen   source
}

// portClaims is one port as the sources tell it.
type portClaims struct {
	key    portKey
	seen   source
	tables source // those that show the whole GID table
	pci    claim[string]
	state  claim[PortState]
	layer  claim[LinkLayer]
	lid    claim[uint16]
	mtu    claim[MTU]
	rows   map[int]*gidClaims
	files  Sysfs    // of the device
	lower  []string // netdevs that tools name
	hidden bool
	doubt  string
}

// A mapper collects the claims of all sources.
type mapper struct {
	ports   map[portKey]*portClaims
	inSysfs map[string]bool
	allGIDs bool // show_gids was read whole: it shows the tables of all ports
	hosts   hosts
	notes   []string
}

func (b *mapper) note(format string, a ...any) { b.notes = append(b.notes, fmt.Sprintf(format, a...)) }

// at returns the port; a capture that does not name one has none.
func (b *mapper) at(device string, port int, from source) *portClaims {
	if device == "" || port < 1 {
		return nil
	}
	k := portKey{device, port}
	c := b.ports[k]
	if c == nil {
		c = &portClaims{key: k, rows: map[int]*gidClaims{}}
		b.ports[k] = c
	}
	c.seen |= from
	return c
}

// differ notes a contradiction; no clash is none.
func (b *mapper) differ(c *portClaims, what, clash string) {
	if clash != "" {
		b.note("%s port %d: %s is %s", c.key.dev, c.key.port, what, clash)
	}
}

// sysfs splits the files by device first, so that the cost stays linear in their number.
func (b *mapper) sysfs(s Sysfs) {
	devices := map[string]Sysfs{}
	for name, value := range s {
		dev, _, _ := strings.Cut(name, "/")
		if devices[dev] == nil {
			devices[dev] = Sysfs{}
		}
		devices[dev][name] = value
	}
	for dev, files := range devices {
		b.inSysfs[dev] = true
		for _, p := range files.Ports() {
			c := b.at(dev, p.Number, fromSysfs)
			c.files = files
			pci, _ := files.PCIAddress(dev)
			b.differ(c, "PCI address", c.pci.say(pci, fromSysfs))
			if len(files.below(c.key.dir()+"gids/")) > 0 {
				c.tables |= fromSysfs
			}
			b.addPort(p, fromSysfs)
		}
	}
}

// emptyInSysfs reports whether sysfs shows the entry as empty, which is not the same as not showing it.
func (c *portClaims) emptyInSysfs(index int) bool {
	value, ok := c.files[c.key.dir()+"gids/"+strconv.Itoa(index)]
	_, full := parseGID(value)
	return ok && !full
}

func (b *mapper) addPort(p Port, from source) {
	c := b.at(p.Device, p.Number, from)
	if c == nil {
		return
	}
	b.differ(c, "state", c.state.say(stateWord(p.State), from))
	b.differ(c, "link layer", c.layer.say(p.LinkLayer, from))
	if p.LID != nil {
		b.differ(c, "LID", c.lid.say(*p.LID, from))
	}
	if p.ActiveMTU != nil {
		b.differ(c, "active MTU", c.mtu.say(*p.ActiveMTU, from))
	}
	for _, g := range p.GIDs {
		b.addGID(g, from)
	}
}

// stateWord brings the words of the tools into one form: PORT_ACTIVE and ACTIVE are the same.
func stateWord(s PortState) PortState {
	return PortState(strings.TrimPrefix(strings.ToUpper(string(s)), "PORT_"))
}

func (b *mapper) addGID(g GID, from source) {
	c := b.at(g.Device, g.Port, from)
	if c == nil || !g.Addr.IsValid() {
		return
	}
	if from != fromSysfs && c.emptyInSysfs(g.Index) {
		b.note("%s port %d: GID %d is %s in %s, empty in sysfs", c.key.dev, c.key.port, g.Index, g.Addr.Unmap(), from)
		return
	}
	row := c.rows[g.Index]
	if row == nil {
		row = &gidClaims{}
		c.rows[g.Index] = row
	}
	row.seen |= from
	what := "GID " + strconv.Itoa(g.Index)
	if clash := row.addr.say(g.Addr, from); clash != "" {
		b.differ(c, what, clash)
		return // type and netdev are those of another address
	}
	b.differ(c, "type of "+what, row.typ.say(g.Type, from))
	b.differ(c, "netdev of "+what, row.netdev.say(g.Netdev, from))
}

func (b *mapper) showGIDs(t *GIDTable) {
	if t == nil {
		return
	}
	for _, g := range t.GIDs {
		b.addGID(g, fromShowGIDs)
	}
	b.allGIDs = !t.Truncated && len(t.Malformed) == 0
}

// devinfo adds what ibv_devinfo shows; without -v it shows no GIDs.
func (b *mapper) devinfo(d *Devices) {
	if d == nil {
		return
	}
	for _, p := range d.Ports() {
		b.addPort(p, fromDevinfo)
		if c := b.at(p.Device, p.Number, fromDevinfo); c != nil && len(p.GIDs) > 0 && !d.Truncated {
			c.tables |= fromDevinfo
		}
	}
}

func (b *mapper) links(ls *Links) {
	if ls == nil {
		return
	}
	for _, k := range ls.Links {
		c := b.at(k.Device, k.Port, fromLink)
		if c == nil {
			continue
		}
		b.differ(c, "state", c.state.say(stateWord(k.State), fromLink))
		c.hidden = k.Netdev == ""
		c.lower = append(c.lower, k.Netdev)
	}
}

func (b *mapper) ibdev(ps *PortNetdevs) {
	if ps == nil {
		return
	}
	for _, p := range ps.Ports {
		c := b.at(p.Device, p.Port, fromIBDev)
		if c == nil {
			continue
		}
		b.differ(c, "state", c.state.say(stateWord(p.State), fromIBDev))
		b.differ(c, "PCI address", c.pci.say(p.PCI, fromIBDev))
		c.lower = append(c.lower, p.Netdev)
	}
}

// sorted returns the ports by device and number.
func (b *mapper) sorted() []*portClaims {
	return slices.SortedFunc(maps.Values(b.ports), func(x, y *portClaims) int {
		if c := strings.Compare(x.key.dev, y.key.dev); c != 0 {
			return c
		}
		return x.key.port - y.key.port
	})
}

package verbs

import (
	"encoding/json"
	"net/netip"
	"strconv"
	"strings"
)

// LinkLayer is what a port speaks; empty when the tool did not print it.
type LinkLayer string

// The link layers.
const (
	LinkInfiniBand LinkLayer = "InfiniBand"
	LinkEthernet   LinkLayer = "Ethernet"
)

// PortState is the logical state of a port in the words of the tool that printed it: ACTIVE (ibstatus, rdma),
// Active (ibstat) or PORT_ACTIVE (ibv_devinfo). Compare with Active, not with a word.
type PortState string

// Active reports whether the port can carry traffic; unknown when no state was printed.
func (s PortState) Active() Tri {
	switch strings.TrimPrefix(strings.ToUpper(string(s)), "PORT_") {
	case "ACTIVE":
		return Yes
	case "":
		return Unknown
	}
	return No
}

// MTU is a path MTU of InfiniBand, in bytes: 256, 512, 1024, 2048 or 4096.
type MTU int

// A Port is one port of a device as a tool shows it. A nil pointer and an empty string mean
// that the tool did not show the value.
type Port struct {
	Device     string
	Number     int // from 1; 0 when the capture begins after the line that names it
	State      PortState
	PhysState  string   // LinkUp, Polling, Disabled, …
	Rate       *float64 // Gb/s as printed; on a port that is down it is not a link speed
	RateGrade  string   // for instance 4X EDR; Ethernet ports carry InfiniBand grades too
	LinkLayer  LinkLayer
	DefaultGID netip.Addr // the zero Addr when not shown
	LID        *uint16    // nil also for 0xffff, unassigned; 0 is normal on Ethernet
	GUID       string     // 0x and 16 digits; zero on many healthy Ethernet ports
	MaxMTU     *MTU
	ActiveMTU  *MTU
	GIDs       []GID
}

// usable reports whether the port is known by name and active.
func (p Port) usable() bool { return p.Device != "" && p.Number > 0 && p.State.Active() == Yes }

// Usable returns the ports that are active.
func Usable(ports []Port) []Port {
	var out []Port
	for _, p := range ports {
		if p.usable() {
			out = append(out, p)
		}
	}
	return out
}

// GIDType tells how a GID is carried on the wire; empty when the tool did not say.
type GIDType string

// The types of a GID. ibv_devinfo of rdma-core before v29 prints none, and each address twice.
const (
	RoCEv1 GIDType = "RoCE v1" // also on InfiniBand: sysfs says "IB/RoCE v1" for both
	RoCEv2 GIDType = "RoCE v2"
)

// gidType reads the words of sysfs, ibv_devinfo and show_gids.
func gidType(s string) GIDType {
	switch strings.TrimSpace(s) {
	case "IB/RoCE v1", "RoCE v1", "v1":
		return RoCEv1
	case "RoCE v2", "v2":
		return RoCEv2
	}
	return ""
}

// A GID is one entry of the GID table of a port.
type GID struct {
	Device string // empty when the capture does not name it
	Port   int    // from 1; 0 when the capture does not name it
	Index  int
	Addr   netip.Addr // always an IPv6 address; IPv4 addresses are mapped
	Type   GIDType
	Netdev string // empty when not shown
}

// IPv4 returns the IPv4 address that the GID stands for, if it does.
func (g GID) IPv4() (netip.Addr, bool) {
	if !g.Addr.Is4In6() {
		return netip.Addr{}, false
	}
	return g.Addr.Unmap(), true
}

// parseGID reads either spelling of a GID. The all-zero GID of an empty entry is not one.
func parseGID(s string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(strings.TrimSpace(s))
	if err != nil || !a.Is6() || a.Zone() != "" || a.IsUnspecified() {
		return netip.Addr{}, false
	}
	return a, true
}

// RoutableGIDs returns the RoCE v2 entries that stand for an IPv4 address. Their indices differ between
// hosts, and one address can stand on two devices: choose by netdev and address, never by number.
func RoutableGIDs(gids []GID) []GID {
	var out []GID
	for _, g := range gids {
		if _, ok := g.IPv4(); ok && g.Type == RoCEv2 {
			out = append(out, g)
		}
	}
	return out
}

// FindGIDs returns the RoCE v2 entries for an IPv4 address on a netdev; an empty netdev stands for any.
func FindGIDs(gids []GID, netdev string, ip netip.Addr) []GID {
	var out []GID
	for _, g := range RoutableGIDs(gids) {
		if a, _ := g.IPv4(); a == ip && (netdev == "" || g.Netdev == netdev) {
			out = append(out, g)
		}
	}
	return out
}

// number reads a non-negative decimal or 0x number that fits in bits.
func number(s string, bits int) (uint64, bool) {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 0, bits)
	return n, err == nil && !strings.HasPrefix(s, "+")
}

// lid reads a LID; 0xffff is "unassigned".
func lid(s string) *uint16 {
	n, ok := number(s, 16)
	if !ok || n == 0xffff {
		return nil
	}
	v := uint16(n)
	return &v
}

// small reads a decimal number from 1 to most, for ports and indices; 0 is "not one".
func small(s string, most int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > most {
		return 0
	}
	return n
}

// float reads a finite number in plain notation.
func float(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// decodeJSON decodes one JSON value.
func decodeJSON(text string, v any) error { return json.Unmarshal([]byte(text), v) }

// decimal reads an unsigned 64-bit decimal number.
func decimal(s string) (uint64, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

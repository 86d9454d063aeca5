package verbs

import (
	"io"
	"net/netip"
	"regexp"
	"strings"
)

// An Interface is one network interface of a host.
type Interface struct {
	Name   string
	Parent string // after @: peer or lower device, as printed
	State  string // UP, DOWN, UNKNOWN (loopback and some virtual devices never say more), LOWERLAYERDOWN, …
	MTU    *int   // with -j
	Addrs  []netip.Prefix
}

// Up reports whether the interface carries traffic.
func (i Interface) Up() Tri {
	switch i.State {
	case "UP":
		return Yes
	case "UNKNOWN", "":
		return Unknown
	}
	return No
}

// Interfaces is the output of ip addr.
type Interfaces struct {
	Interfaces []Interface
	Truncated  bool // no line end after the last line: its last address may be cut
}

// An InterfaceAddr is one address of an interface.
type InterfaceAddr struct {
	Name string
	Addr netip.Prefix
}

// Usable returns the addresses at which other hosts can reach this one: those of interfaces that are not down,
// without loopback and link-local addresses.
func (is Interfaces) Usable() []InterfaceAddr {
	var out []InterfaceAddr
	for _, i := range is.Interfaces {
		for _, a := range i.Addrs {
			if i.Up() != No && a.Addr().IsGlobalUnicast() {
				out = append(out, InterfaceAddr{i.Name, a})
			}
		}
	}
	return out
}

// With returns the interfaces that have the address.
func (is Interfaces) With(addr netip.Addr) []Interface {
	var out []Interface
	for _, i := range is.Interfaces {
		for _, a := range i.Addrs {
			if a.Addr() == addr.Unmap() {
				out = append(out, i)
				break
			}
		}
	}
	return out
}

var ipBrief = regexp.MustCompile(`^([^\s@]*[^\s@:])(?:@(\S+))?\s+(UP|DOWN|UNKNOWN|LOWERLAYERDOWN|DORMANT|NOTPRESENT|TESTING)\b(.*)$`)

// ParseIPAddr reads `ip -br addr` or `ip -j addr` (iproute2, ip/ipaddress.c). Rows of `ip -br link`, which show no
// addresses, are passed over.
func ParseIPAddr(r io.Reader) (Interfaces, error) {
	l := newLines(r)
	var out Interfaces
	var doc strings.Builder // JSON, on one line or, with -p, on several
	for l.next() {
		text := strings.TrimSpace(l.text)
		switch {
		case doc.Len() > 0 || text == "[" || strings.HasPrefix(text, "[{"):
			if doc.Len()+len(text) > 8*maxLine {
				return Interfaces{}, &SyntaxError{"ip addr", l.num, "the JSON is too long"}
			}
			doc.WriteString(text + "\n")
		default:
			if i, ok := briefInterface(text); ok {
				out.Interfaces = append(out.Interfaces, i)
			}
		}
		if len(out.Interfaces) > maxItems {
			return Interfaces{}, &SyntaxError{"ip addr", l.num, "too many interfaces"}
		}
	}
	if doc.Len() > 0 && l.err == nil {
		var err error
		if out.Interfaces, err = jsonInterfaces(doc.String()); err != nil {
			return Interfaces{}, &SyntaxError{"ip addr", l.num, "JSON: " + shorten(err.Error())}
		}
	}
	if l.err != nil || len(out.Interfaces) == 0 {
		return Interfaces{}, l.inputError("ip addr", "interface")
	}
	out.Truncated = l.cut && doc.Len() == 0 || l.partial()
	return out, nil
}

// briefInterface reads `ens1f0@if41 UP 10.10.1.6/24 metric 100 fe80::1/64`.
func briefInterface(text string) (Interface, bool) {
	m := ipBrief.FindStringSubmatch(text)
	if m == nil {
		return Interface{}, false
	}
	i := Interface{Name: m[1], Parent: m[2], State: m[3]}
	f := strings.Fields(m[4])
	for k, s := range f {
		switch p, err := netip.ParsePrefix(s); {
		case err == nil && (k == 0 || f[k-1] != "peer"):
			i.Addrs = append(i.Addrs, p)
		case strings.HasPrefix(s, "<"):
			return Interface{}, false // ip -br link
		}
		if a, err := netip.ParseAddr(s); err == nil && k+1 < len(f) && f[k+1] == "peer" {
			i.Addrs = append(i.Addrs, netip.PrefixFrom(a, a.BitLen()))
		}
	}
	return i, true
}

func jsonInterfaces(text string) ([]Interface, error) {
	var rows []struct {
		Ifname, Link, Operstate string
		MTU                     *int
		Addr_info               []struct {
			Local     string
			Prefixlen int
		}
	}
	if err := decodeJSON(text, &rows); err != nil {
		return nil, err
	}
	var out []Interface
	for _, r := range rows {
		if r.Ifname == "" {
			continue
		}
		i := Interface{Name: r.Ifname, Parent: r.Link, State: r.Operstate, MTU: r.MTU}
		for _, a := range r.Addr_info {
			addr, err := netip.ParseAddr(a.Local)
			if p := netip.PrefixFrom(addr, a.Prefixlen); err == nil && p.IsValid() {
				i.Addrs = append(i.Addrs, p)
			}
		}
		out = append(out, i)
	}
	return out, nil
}

package verbs

import (
	"io"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Scope says which destination addresses a listening socket accepts.
type Scope string

// The scopes of a listening socket.
const (
	ScopeAnyIPv4  Scope = "any-ipv4" // 0.0.0.0
	ScopeAnyIPv6  Scope = "any-ipv6" // [::], IPv6 only
	ScopeAnyDual  Scope = "any-dual" // *, IPv4 and IPv6
	ScopeLoopback Scope = "loopback" // 127.0.0.0/8, ::1
	ScopeAddress  Scope = "address"  // one other address
)

// A Process is one owner of a socket.
type Process struct {
	Name string // as the kernel keeps it, at most 15 bytes
	PID  int
}

// A Listener is one listening socket.
type Listener struct {
	Proto     string     // tcp, udp, …
	Procs     []Process  // empty: not shown; ss shows them only to root and to the owner
	Addr      netip.Addr // local address without zone; :: for a dual-stack socket
	Interface string     // the part after %, for a socket bound to an interface
	Port      uint16     // 0 when Service is set
	Service   string     // name instead of a number: ss ran without -n
	Scope     Scope
	DualMaybe bool // any-ipv6 from an old ss, which prints dual-stack sockets the same way
}

// ParseSS reads the table of `ss -tlnp` (iproute2, misc/ss.c), with or without -u and header,
// old forms included. A table without rows is an empty list; without a table, or with a row that
// cannot be read, there is an error and no list: an incomplete list would be read as "not listening".
func ParseSS(r io.Reader) ([]Listener, error) {
	l := newLines(r)
	t := ssTable{}
	for l.next() {
		if err := t.line(l.text, l.num); err != nil {
			return nil, err
		}
	}
	switch {
	case l.err != nil:
		return nil, l.inputError("ss", "table")
	case !t.header && len(t.rows) == 0, t.failed && len(t.rows) == 0:
		return nil, l.inputError("ss", "listener table")
	case l.partial():
		return nil, &SyntaxError{"ss", l.num, "the table has lines that are too long or too many"}
	}
	return t.listeners(), nil
}

// ssTable collects rows; what `*` means depends on the version, which other rows tell.
type ssTable struct {
	header, failed, old bool
	rows                []Listener
}

func (t *ssTable) line(text string, num int) error {
	f := strings.Fields(text)
	switch {
	case len(f) == 0:
		return nil
	case strings.Contains(text, "Recv-Q") && strings.Contains(text, "Local Address"):
		t.header = true
		return nil
	case strings.HasPrefix(f[0], "users:("):
		t.attach(text)
		return nil
	case strings.HasPrefix(text, "Cannot open netlink") || strings.HasPrefix(text, "RTNETLINK"):
		t.failed = true
		return nil
	}
	proto := ""
	if slices.Contains(ssProtos, f[0]) {
		proto, f = f[0], f[1:]
	}
	if len(f) == 0 || f[0] != "LISTEN" && f[0] != "UNCONN" {
		return nil
	}
	return t.row(proto, f, text, num)
}

var ssProtos = []string{"tcp", "udp", "mptcp", "sctp", "dccp"}

func (t *ssTable) row(proto string, f []string, text string, num int) error {
	if proto == "" {
		proto = map[string]string{"LISTEN": "tcp", "UNCONN": "udp"}[f[0]]
	}
	if len(f) < 5 {
		return &SyntaxError{"ss", num, "the row is cut: " + strconv.Quote(shorten(text))}
	}
	w, ok := parseSSAddr(f[3])
	if !ok {
		return &SyntaxError{"ss", num, "not an address with a port: " + strconv.Quote(shorten(f[3]))}
	}
	w.Proto = proto
	w.Procs = parseSSUsers(text)
	if strings.HasPrefix(f[3], ":::") || f[4] == "*:*" && w.Addr.Is4() {
		t.old = true
	}
	if len(t.rows) >= maxItems {
		return &SyntaxError{"ss", num, "too many sockets"}
	}
	t.rows = append(t.rows, w)
	return nil
}

// attach gives the owners on a wrapped line to the row before it.
func (t *ssTable) attach(text string) {
	if n := len(t.rows); n > 0 && len(t.rows[n-1].Procs) == 0 {
		t.rows[n-1].Procs = parseSSUsers(text)
	}
}

func (t *ssTable) listeners() []Listener {
	for i := range t.rows {
		w := &t.rows[i]
		switch {
		case t.old && w.Scope == ScopeAnyDual:
			w.Addr, w.Scope = netip.IPv4Unspecified(), ScopeAnyIPv4
		case t.old && w.Scope == ScopeAnyIPv6:
			w.DualMaybe = true
		}
	}
	return t.rows
}

// parseSSAddr reads `addr:port`, `[addr]:port`, `addr%interface:port` and `*:port`.
func parseSSAddr(s string) (Listener, bool) {
	i := strings.LastIndexByte(s, ':')
	if i <= 0 || i == len(s)-1 {
		return Listener{}, false
	}
	host, port := s[:i], s[i+1:]
	w := Listener{}
	if n, err := strconv.ParseUint(port, 10, 16); err == nil {
		w.Port = uint16(n)
	} else if port != "*" && strings.Trim(port, "0123456789") != "" {
		w.Service = port
	} else {
		return Listener{}, false
	}
	host, w.Interface, _ = strings.Cut(host, "%")
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	w.Interface = strings.TrimSuffix(w.Interface, "]")
	if host == "*" {
		w.Addr, w.Scope = netip.IPv6Unspecified(), ScopeAnyDual
		return w, true
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return Listener{}, false
	}
	w.Addr = addr.Unmap()
	w.Scope = scopeOf(w.Addr)
	return w, true
}

func scopeOf(a netip.Addr) Scope {
	switch {
	case a.IsUnspecified() && a.Is4():
		return ScopeAnyIPv4
	case a.IsUnspecified():
		return ScopeAnyIPv6
	case a.IsLoopback():
		return ScopeLoopback
	default:
		return ScopeAddress
	}
}

// users:(("name",pid=1,fd=2),…), before iproute2 4.0 users:(("name",1,2),…).
var ssUser = regexp.MustCompile(`\("(.*?)",(?:pid=)?(\d+),(?:fd=)?\d+\)`)

func parseSSUsers(text string) []Process {
	_, users, ok := strings.Cut(text, "users:(")
	if !ok {
		return nil
	}
	var procs []Process
	for _, m := range ssUser.FindAllStringSubmatch(users, -1) {
		pid, err := strconv.Atoi(m[2])
		p := Process{m[1], pid}
		if err == nil && !slices.Contains(procs, p) {
			procs = append(procs, p)
		}
	}
	return procs
}

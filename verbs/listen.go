package verbs

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Reached returns the TCP sockets that a connection to dial could end at: those bound to exactly that
// address when there are some, else those bound to all addresses of its family. It is empty when
// nothing listens there. A socket with DualMaybe set counts for IPv4 only when nothing surer does.
func Reached(listeners []Listener, dial netip.AddrPort) []Listener {
	best, found := 0, []Listener(nil)
	for _, w := range listeners {
		rank := w.rank(dial)
		if rank > best {
			best, found = rank, nil
		}
		if rank > 0 && rank == best {
			found = append(found, w)
		}
	}
	return found
}

// rank is 0 when the socket cannot take the connection; else higher is more specific,
// in the order in which the kernel looks sockets up.
func (w Listener) rank(dial netip.AddrPort) int {
	addr := dial.Addr().Unmap().WithZone("")
	if w.Proto != "tcp" && w.Proto != "mptcp" || w.Service != "" || w.Port != dial.Port() {
		return 0
	}
	switch {
	case w.Addr == addr:
		return 4
	case w.Scope == ScopeAnyIPv4 && addr.Is4(), w.Scope == ScopeAnyIPv6 && addr.Is6():
		return 3
	case w.Scope == ScopeAnyDual:
		return 2
	case w.DualMaybe && addr.Is4():
		return 1
	}
	return 0
}

// Owned reports whether a process of that name owns the socket; unknown when ss did not show owners.
func (w Listener) Owned(proc string) Tri {
	if len(w.Procs) == 0 {
		return Unknown
	}
	if slices.ContainsFunc(w.Procs, func(p Process) bool { return p.Name == proc }) {
		return Yes
	}
	return No
}

// String gives the socket as in `memcached[5290] on 0.0.0.0:11211`.
func (w Listener) String() string {
	owners := make([]string, 0, len(w.Procs))
	for _, p := range w.Procs {
		owners = append(owners, fmt.Sprintf("%s[%d]", p.Name, p.PID))
	}
	if len(owners) == 0 {
		owners = []string{"an unnamed process"}
	}
	return strings.Join(owners, ",") + " on " + w.at()
}

func (w Listener) at() string {
	host := w.Addr.String()
	switch {
	case w.Scope == ScopeAnyDual:
		host = "*"
	case w.Addr.Is6():
		host = "[" + host + "]"
	}
	if w.Interface != "" {
		host += "%" + w.Interface
	}
	if w.Service != "" {
		return host + ":" + w.Service
	}
	return fmt.Sprintf("%s:%d", host, w.Port)
}

// Answers tells whether a connection to dial would reach a socket of the named program
// (for instance "memcached"), and names the socket, or what stands in its place.
func Answers(listeners []Listener, proc string, dial netip.AddrPort) Probe {
	found := Reached(listeners, dial)
	if len(found) == 0 {
		return notListening(listeners, proc, dial)
	}
	verdict := found[0].Owned(proc)
	for _, w := range found[1:] { // SO_REUSEPORT: any of them may get the connection
		if w.Owned(proc) != verdict {
			return unknown("several sockets share %s: %s and %s", dial, found[0], w)
		}
	}
	w := found[0]
	switch {
	case verdict == Unknown:
		return unknown("%s: ss names the owner only to root", w)
	case verdict == No:
		return no("%s, not %s, answers at %s", w, proc, dial)
	case w.DualMaybe && dial.Addr().Unmap().Is4():
		return unknown("%s: this ss does not tell whether it takes IPv4 too", w)
	case w.Interface != "":
		return yes("%s (only through interface %s)", w, w.Interface)
	}
	return yes("%s", w)
}

// notListening explains a port that nobody answers at by what the program does listen on.
func notListening(listeners []Listener, proc string, dial netip.AddrPort) Probe {
	for _, w := range listeners {
		if w.Service != "" && w.Owned(proc) != No {
			return unknown("%s: ss ran without -n, the port is a name", w)
		}
	}
	for _, same := range []bool{true, false} { // a socket on that port tells more than one on another
		for _, w := range listeners {
			if w.Owned(proc) == Yes && (w.Port == dial.Port()) == same {
				return no("nothing answers at %s; %s", dial, w)
			}
		}
	}
	return no("nothing listens at %s", dial)
}

// BoundAs sums up where a program listens over TCP: "any" when one socket takes every IPv4 address,
// else "address", else "loopback"; "absent" when it has no socket; "unknown" when it has no visible
// one but there are sockets whose owner ss did not show.
func BoundAs(listeners []Listener, proc string) string {
	rank, hidden := 0, false
	names := []string{"absent", "loopback", "address", "any"}
	for _, w := range listeners {
		if w.Proto == "udp" {
			continue
		}
		hidden = hidden || w.Owned(proc) == Unknown
		if w.Owned(proc) != Yes {
			continue
		}
		switch w.Scope {
		case ScopeLoopback:
			rank = max(rank, 1)
		case ScopeAddress, ScopeAnyIPv6:
			rank = max(rank, 2)
		default:
			rank = 3
		}
	}
	if rank == 0 && hidden {
		return "unknown"
	}
	return names[rank]
}

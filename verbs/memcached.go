package verbs

import (
	"fmt"
	"io"
	"net/netip"
	"strings"
)

// MemcachedStats is the reply to `stats`, `stats settings` and their like.
type MemcachedStats struct {
	Stats    map[string]string // values as sent; counters need 64 bits
	Complete bool              // the reply ended with END
}

// A MemcachedError is an error reply.
type MemcachedError struct{ Reply string }

func (e *MemcachedError) Error() string { return "memcached: " + e.Reply }

// ParseMemcachedStats reads a reply of STAT lines (memcached, doc/protocol.txt), with an echoed command before it. A reply
// without END is a value that is not complete.
func ParseMemcachedStats(r io.Reader) (MemcachedStats, error) {
	l := newLines(r)
	s := MemcachedStats{Stats: map[string]string{}}
	var failed error
	for !s.Complete && l.next() {
		text := strings.TrimSpace(l.text)
		switch verb, rest, _ := strings.Cut(text, " "); verb {
		case "STAT":
			if name, value, ok := strings.Cut(rest, " "); ok && name != "" && len(s.Stats) < maxPorts && !l.cut {
				s.Stats[name] = strings.TrimSpace(value)
			}
		case "END":
			s.Complete = rest == ""
		case "ERROR", "CLIENT_ERROR", "SERVER_ERROR":
			failed = &MemcachedError{shorten(text)}
		}
	}
	switch {
	case l.err != nil:
		return MemcachedStats{}, l.inputError("memcached", "statistics")
	case len(s.Stats) == 0 && failed != nil:
		return MemcachedStats{}, failed
	case len(s.Stats) == 0 && !s.Complete:
		return MemcachedStats{}, l.inputError("memcached", "statistics")
	}
	return s, nil
}

// Uint returns a counter; ok is false when it is absent or no number.
func (s MemcachedStats) Uint(name string) (n uint64, ok bool) { return decimal(s.Stats[name]) }

// A MemcachedListen is where a server listens, from `stats settings`.
type MemcachedListen struct {
	Any     bool     // every address of the host
	Addrs   []string // as given with -l, when not Any
	TCPPort uint16   // 0: TCP is off
	UDPPort uint16   // 0: UDP is off
}

// Listen returns where the server listens; ok is false when the reply does not tell (`stats` alone does not, and
// neither does a server on a Unix socket).
func (s MemcachedStats) Listen() (m MemcachedListen, ok bool) {
	inter, ok := s.Stats["inter"]
	tcp, err := number(s.Stats["tcpport"], 16)
	if !ok || !err || s.Stats["domain_socket"] != "NULL" && s.Stats["domain_socket"] != "" {
		return MemcachedListen{}, false
	}
	udp, _ := number(s.Stats["udpport"], 16)
	m = MemcachedListen{TCPPort: uint16(tcp), UDPPort: uint16(udp)}
	if inter == "NULL" || inter == "" {
		m.Any = true
		return m, true
	}
	for _, a := range strings.Split(inter, ",") {
		a = strings.TrimSpace(a)
		m.Addrs = append(m.Addrs, a)
		host := strings.TrimSuffix(a, fmt.Sprintf(":%d", tcp))
		if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
			m.Any = true
		}
	}
	return m, true
}

// Warnings returns what can spoil a barrier or a measurement: store_no_memory and evictions (values were lost),
// rejected_connections and listen_disabled_num (the limit of connections was met), not-accepting, udp-open.
func (s MemcachedStats) Warnings() []string {
	var out []string
	for _, name := range []string{"store_no_memory", "evictions", "rejected_connections", "listen_disabled_num"} {
		if n, ok := s.Uint(name); ok && n > 0 {
			out = append(out, name)
		}
	}
	if s.Stats["accepting_conns"] == "0" {
		out = append(out, "not-accepting")
	}
	if n, ok := s.Uint("udpport"); ok && n > 0 {
		out = append(out, "udp-open")
	}
	return out
}

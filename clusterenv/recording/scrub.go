package recording

import (
	"fmt"
	"net/netip"
	"strings"
)

// scrub replaces what a redactor would by one text for each kind, so that requests of two runs can be compared although each has
// its own addresses and secrets. foreign says that there was something that no recording can hold: a request without it
// carries what the recording has told, and must agree with it to the byte.
func (r *redactor) scrub(data []byte) (scrubbed []byte, foreign bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	keys := privateKeys(data)
	data = splice(data, keys, nil)
	found := r.matcher().find(data)
	foreign = len(keys) > 0
	for _, s := range found {
		foreign = foreign || !strings.HasPrefix(s.with, openMark)
	}
	scrubbed, more := r.scrubKinds(splice(data, found, nil))
	return scrubbed, foreign || more
}

// scrubRecorded is scrub for a text in which values are placeholders already.
func (r *redactor) scrubRecorded(data []byte) (scrubbed []byte, foreign bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	keys := privateKeys(data)
	scrubbed, foreign = r.scrubKinds(splice(data, keys, nil))
	return scrubbed, foreign || len(keys) > 0
}

func (r *redactor) scrubKinds(data []byte) (scrubbed []byte, foreign bool) {
	replace := func(k kind, text string, addr netip.Addr) (string, bool) {
		if k == address && !r.redacts(addr) {
			return "", false
		}
		foreign = foreign || !invented(k, text, addr)
		return fmt.Sprintf("%skind %d%s", openMark, k, closeMark), true
	}
	data = splice(data, findTokens(data, replace), nil)
	data = splice(data, findMarked(data, replace), nil)
	return data, foreign
}

// redacts reports whether an address must not be told.
func (r *redactor) redacts(a netip.Addr) bool {
	plain := a.Unmap()
	return telling(plain) && !r.own[plain] && !(r.network.IsValid() && r.network.Contains(plain))
}

var documentationRanges = []netip.Prefix{
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("2001:db8::/32"),
}

// invented reports whether a text may be what invent or documentation made.
func invented(k kind, text string, addr netip.Addr) bool {
	switch k {
	case address:
		for _, p := range documentationRanges {
			if p.Contains(addr.Unmap()) {
				return true
			}
		}
		return false
	case mac:
		return strings.HasPrefix(strings.ToLower(text), "02:00:5e:")
	case uuid:
		return strings.HasPrefix(text, "00000000-0000-4000-8000-")
	case machine:
		return strings.HasPrefix(text, strings.Repeat("0", 20))
	case serial:
		return strings.HasPrefix(text, "SN0")
	}
	return strings.HasPrefix(text, "redacted") || strings.HasPrefix(text, openMark)
}

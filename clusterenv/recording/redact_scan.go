package recording

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
)

// A kind is what a redacted text was.
type kind int

const (
	address  kind = iota // IPv4 or IPv6
	address6             // table of IPv6 addresses only
	mac
	uuid
	machine // 32 hexadecimal digits
	serial
	secret
	comment // of a public key
)

// A replacer says what becomes of a text of kind k, and whether it changes. addr is set for addresses.
type replacer func(k kind, text string, addr netip.Addr) (string, bool)

// telling reports whether an address says where something is: one that can be routed, in the Internet or inside of a site.
func telling(a netip.Addr) bool {
	if a.Is4() {
		b := a.As4()
		return a.IsGlobalUnicast() && b[0] != 0 && b[0] < 224
	}
	return a.IsPrivate() || a.IsGlobalUnicast() && a.As16()[0]>>5 == 1 // 2000::/3
}

// documentation is the n-th address, from 1.
func documentation(six bool, n int) netip.Addr {
	if six {
		return netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 12: byte(n >> 24), 13: byte(n >> 16), 14: byte(n >> 8), 15: byte(n)})
	}
	last := byte(1 + (n-1)%254)
	switch (n - 1) / 254 {
	case 0:
		return netip.AddrFrom4([4]byte{192, 0, 2, last})
	case 1:
		return netip.AddrFrom4([4]byte{198, 51, 100, last})
	case 2:
		return netip.AddrFrom4([4]byte{203, 0, 113, last})
	}
	n -= 3 * 254
	return netip.AddrFrom4([4]byte{198, 18 | byte(n>>16&1), byte(n >> 8), byte(n)})
}

// formatLike writes an address in full hextets where the old one was.
func formatLike(a netip.Addr, old string) string {
	if len(old) == 39 && strings.Count(old, ":") == 7 {
		return a.StringExpanded()
	}
	return a.String()
}

// invent makes the n-th replacement, from 1, of a text.
func invent(k kind, text string, n int) string {
	switch k {
	case mac: // locally administered, in the case of the old one
		s := fmt.Sprintf("02:00:5e:%02x:%02x:%02x", n>>16&255, n>>8&255, n&255)
		if strings.ToLower(text) != text {
			s = strings.ToUpper(s)
		}
		return s
	case uuid:
		return fmt.Sprintf("00000000-0000-4000-8000-%012x", n)
	case machine:
		return fmt.Sprintf("%032x", n)
	case serial:
		return fmt.Sprintf("SN%0*d", max(1, len(text)-2), n)
	case comment:
		return "redacted"
	}
	return fmt.Sprintf("redacted-%d", n)
}

// findTokens finds addresses, MAC addresses, UUIDs and machine ids: words of digits, letters and ":.-".
func findTokens(data []byte, replace replacer) []span {
	var spans []span
	for i := 0; i < len(data); i++ {
		c := data[i]
		if !isHex(c) && c != ':' {
			continue
		}
		if before := byteAt(data, i-1); isAlnum(before) || before == '_' {
			continue
		}
		s, ok := tokenAt(data, i, replace)
		if ok {
			spans = append(spans, s)
			i = s.end - 1
		}
	}
	return spans
}

// tokenAt looks at the word that begins at offset i.
func tokenAt(data []byte, i int, replace replacer) (span, bool) {
	if s, ok := sixAt(data, i, replace); ok {
		return s, true
	}
	if isDigit(data[i]) {
		if end, a, ok := quadAt(data, i); ok && addressEdges(data, i, end) {
			with, changed := replace(address, string(data[i:end]), a)
			return span{i, end, with}, changed
		}
	}
	return idAt(data, i, replace)
}

// quadAt reads four decimal numbers of up to 255 with dots between.
func quadAt(data []byte, i int) (end int, a netip.Addr, ok bool) {
	var b [4]byte
	for part := range b {
		if part > 0 {
			if byteAt(data, i) != '.' {
				return i, a, false
			}
			i++
		}
		start, n := i, 0
		for i < len(data) && i < start+4 && isDigit(data[i]) {
			n = 10*n + int(data[i]-'0')
			i++
		}
		if i == start || i > start+3 || n > 255 || i > start+1 && data[start] == '0' {
			return i, a, false
		}
		b[part] = byte(n)
	}
	if byteAt(data, i) == '.' && isDigit(byteAt(data, i+1)) { // five numbers
		return i, a, false
	}
	return i, netip.AddrFrom4(b), true
}

// addressEdges tells an address from a version such as 4.9-7.1.0.0.
func addressEdges(data []byte, start, end int) bool {
	after := byteAt(data, end)
	if isAlnum(after) || after == '_' {
		return false
	}
	if after == '-' {
		if _, _, ok := quadAt(data, end+1); !ok {
			return false
		}
	}
	switch byteAt(data, start-1) {
	case '.':
		return false
	case '-': // a range of addresses, or a version
		from := max(0, start-16)
		for j := from; j < start-1; j++ {
			if end, _, ok := quadAt(data, j); ok && end == start-1 && !isDigit(byteAt(data, j-1)) {
				return true
			}
		}
		return false
	}
	return true
}

// sixAt reads an IPv6 or MAC address.
func sixAt(data []byte, i int, replace replacer) (span, bool) {
	if before := byteAt(data, i-1); before == ':' || before == '.' {
		return span{}, false
	}
	end, colons := i, 0
	for end < len(data) && end < i+64 && (isHex(data[end]) || data[end] == ':' || data[end] == '.') {
		if data[end] == ':' {
			colons++
		}
		end++
	}
	if colons < 2 || isAlnum(byteAt(data, end)) || byteAt(data, end) == '_' {
		return span{}, false
	}
	for end > i && (data[end-1] == '.' || data[end-1] == ':' && (end-2 < i || data[end-2] != ':')) {
		end--
	}
	word := string(data[i:end])
	if len(word) == 17 && strings.Count(word, ":") == 5 && word[2] == ':' && word[5] == ':' && word[8] == ':' && word[11] == ':' {
		if strings.Trim(word, "0:") == "" || strings.Trim(strings.ToLower(word), "f:") == "" {
			return span{}, false
		}
		with, changed := replace(mac, word, netip.Addr{})
		return span{i, end, with}, changed
	}
	a, err := netip.ParseAddr(word)
	if err != nil {
		return span{}, false
	}
	with, changed := replace(address, word, a)
	return span{i, end, with}, changed
}

// idAt reads a UUID, or 32 hexadecimal digits that have a line to themselves.
func idAt(data []byte, i int, replace replacer) (span, bool) {
	end := i
	for end < len(data) && end < i+37 && (isHex(data[end]) || data[end] == '-') {
		end++
	}
	if isAlnum(byteAt(data, end)) {
		return span{}, false
	}
	w := data[i:end]
	switch {
	case len(w) == 36 && bytes.Count(w, []byte("-")) == 4 && w[8] == '-' && w[13] == '-' && w[18] == '-' && w[23] == '-':
		with, changed := replace(uuid, string(w), netip.Addr{})
		return span{i, end, with}, changed
	case len(w) == 32 && !bytes.Contains(w, []byte("-")) && lineStart(data, i) && lineEnd(data, end):
		with, changed := replace(machine, string(w), netip.Addr{})
		return span{i, end, with}, changed
	}
	return span{}, false
}

func lineStart(data []byte, i int) bool { return i == 0 || data[i-1] == '\n' }

func lineEnd(data []byte, i int) bool {
	return i == len(data) || data[i] == '\n' || data[i] == '\r'
}

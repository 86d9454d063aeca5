package recording

import "slices"

// A span is a part of a text that is to be replaced.
type span struct {
	start, end int
	with       string
}

// splice replaces the spans, which are in order and do not overlap. Cuts are offsets in data, in order; they are changed to the
// offsets of the same places in the result, where one inside of a span becomes the end of what replaces it.
func splice(data []byte, spans []span, cuts []int) []byte {
	if len(spans) == 0 {
		return data
	}
	size := len(data)
	for _, s := range spans {
		size += len(s.with) - (s.end - s.start)
	}
	out := make([]byte, 0, size)
	from, next := 0, 0
	for _, s := range spans {
		for next < len(cuts) && cuts[next] <= s.start {
			cuts[next] += len(out) - from
			next++
		}
		out = append(out, data[from:s.start]...)
		out = append(out, s.with...)
		for next < len(cuts) && cuts[next] < s.end {
			cuts[next] = len(out)
			next++
		}
		from = s.end
	}
	for ; next < len(cuts); next++ {
		cuts[next] += len(out) - from
	}
	return append(out, data[from:]...)
}

// An edge says what may not stand beside a literal.
type edge int

const (
	anywhere edge = iota
	number        // a digit
	word          // a letter or digit
	pathEdge      // what would make it another path
	domain        // the rest of a host name belongs to it
)

// A literal is a text with its replacement.
type literal struct {
	text, with string
	edge       edge
	name       func(host string) string // for edge domain: the replacement of the whole name
}

// A matcher finds literals; where several begin, the longest wins.
type matcher struct {
	first [256][]literal
}

func newMatcher(list []literal) *matcher {
	m := &matcher{}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b literal) int { return len(b.text) - len(a.text) })
	for _, l := range list {
		if l.text != "" {
			m.first[l.text[0]] = append(m.first[l.text[0]], l)
		}
	}
	return m
}

// find returns the literals in data, in order.
func (m *matcher) find(data []byte) []span {
	var spans []span
	from := 0 // end of the last span
	for i := 0; i < len(data); i++ {
		for _, l := range m.first[data[i]] {
			s, ok := l.at(data, i, from)
			if ok {
				spans = append(spans, s)
				from = s.end
				i = s.end - 1
				break
			}
		}
	}
	return spans
}

// at looks for the literal at offset i. What lies before from is taken.
func (l *literal) at(data []byte, i, from int) (span, bool) {
	end := i + len(l.text)
	if end > len(data) || string(data[i:end]) != l.text {
		return span{}, false
	}
	before, after := byteAt(data, i-1), byteAt(data, end)
	switch l.edge {
	case number:
		return span{i, end, l.with}, !isDigit(before) && !isDigit(after)
	case word:
		return span{i, end, l.with}, !isAlnum(before) && !isAlnum(after)
	case pathEdge:
		other := isAlnum(before) || before == '_' || before == '.' || before == '-'
		return span{i, end, l.with}, !other && !isAlnum(after) && after != '_' && after != '-'
	case domain:
		start := i
		for start > from && (isAlnum(data[start-1]) || data[start-1] == '-' || data[start-1] == '.') {
			start--
		}
		if start == i || isAlnum(after) || after == '-' {
			return span{}, false
		}
		return span{start, end, l.name(string(data[start:end]))}, true
	}
	return span{i, end, l.with}, true
}

// byteAt is 0 outside of data.
func byteAt(data []byte, i int) byte {
	if i < 0 || i >= len(data) {
		return 0
	}
	return data[i]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isAlnum(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isHex(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

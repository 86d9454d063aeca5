package subset

import "errors"

// unicodeMap returns the map from characters to glyphs of a cmap table: its subtable for the Basic Multilingual Plane
// (platform 3, encoding 1), in format 4.
func unicodeMap(cmap []byte) (func(rune) uint16, error) {
	n := int(big.Uint16(cmap[2:]))
	if len(cmap) < 4+8*n {
		return nil, errShort
	}
	for i := range n {
		entry := cmap[4+8*i:]
		if big.Uint16(entry) != 3 || big.Uint16(entry[2:]) != 1 {
			continue
		}
		offset := uint64(big.Uint32(entry[4:]))
		if offset+16 > uint64(len(cmap)) {
			return nil, errShort
		}
		if sub := cmap[offset:]; big.Uint16(sub) == 4 {
			return segments(sub)
		}
	}
	return nil, errors.New("no map from Unicode in format 4")
}

// segments reads a subtable of format 4.
func segments(sub []byte) (func(rune) uint16, error) {
	count := int(big.Uint16(sub[6:])) / 2
	if len(sub) < 16+8*count {
		return nil, errShort
	}
	ends, starts := sub[14:], sub[16+2*count:]
	deltas, offsets := sub[16+4*count:], sub[16+6*count:]
	return func(r rune) uint16 {
		for i := 0; r >= 0 && r < 0xffff && i < count; i++ {
			if r > rune(big.Uint16(ends[2*i:])) {
				continue
			}
			start := rune(big.Uint16(starts[2*i:]))
			if r < start {
				return 0
			}
			delta, offset := big.Uint16(deltas[2*i:]), int(big.Uint16(offsets[2*i:]))
			if offset == 0 {
				return uint16(r) + delta
			}
			at := 2*i + offset + 2*int(r-start)
			if at+2 > len(offsets) {
				return 0
			}
			if g := big.Uint16(offsets[at:]); g != 0 {
				return g + delta
			}
			return 0
		}
		return 0
	}, nil
}

// newMap writes a cmap table for sorted characters and their glyphs. Neighbours of which both count up by one share a
// segment.
func newMap(chars []rune, index []uint16) []byte {
	type segment struct{ start, end, delta uint16 }
	var segs []segment
	for i, r := range chars {
		c := uint16(r)
		if n := len(segs); n > 0 && segs[n-1].end+1 == c && segs[n-1].delta+c == index[i] {
			segs[n-1].end = c
			continue
		}
		segs = append(segs, segment{c, c, index[i] - c})
	}
	segs = append(segs, segment{0xffff, 0xffff, 1})
	n := len(segs)
	power, log := searchSizes(n)
	out := big.AppendUint32(nil, 1)                   // version 0, one subtable
	out = big.AppendUint32(out, 3<<16|1)              // platform 3, encoding 1
	out = big.AppendUint32(out, 12)                   // where it begins
	out = big.AppendUint32(out, 4<<16|uint32(16+8*n)) // format and length
	for _, v := range []int{0, 2 * n, 2 * power, log, 2*n - 2*power} {
		out = big.AppendUint16(out, uint16(v))
	}
	for _, s := range segs {
		out = big.AppendUint16(out, s.end)
	}
	out = big.AppendUint16(out, 0)
	for _, s := range segs {
		out = big.AppendUint16(out, s.start)
	}
	for _, s := range segs {
		out = big.AppendUint16(out, s.delta)
	}
	return append(out, make([]byte, 2*n)...)
}

// searchSizes returns the largest power of two that is at most n, and its logarithm.
func searchSizes(n int) (power, log int) {
	for power = 1; 2*power <= n; power *= 2 {
		log++
	}
	return power, log
}

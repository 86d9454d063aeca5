package subset

import (
	"bytes"
	"maps"
	"slices"
)

// glyphs are the glyphs of the new font, in the order in which they were asked for.
type glyphs struct {
	font     *font
	at       map[uint16]uint16 // old index → new index
	old      []uint16
	outlines [][]byte
}

// add returns the new index of a glyph.
func (g *glyphs) add(old uint16) uint16 {
	if at, known := g.at[old]; known {
		return at
	}
	at := uint16(len(g.old))
	g.at[old], g.old = at, append(g.old, old)
	return at
}

// copy takes the outlines over. A composed glyph adds its parts behind the others.
func (g *glyphs) copy() error {
	for i := 0; i < len(g.old); i++ {
		outline, err := g.font.outline(g.old[i])
		if err != nil {
			return err
		}
		switch {
		case len(outline) == 0:
		case len(outline) < 10:
			return errShort
		case int16(big.Uint16(outline)) >= 0:
			outline, err = withoutHints(outline)
		default:
			outline, err = g.composed(outline)
		}
		if err != nil {
			return err
		}
		g.outlines = append(g.outlines, outline)
	}
	return nil
}

// withoutHints returns a simple outline without its instructions, which call functions of tables that are dropped.
func withoutHints(outline []byte) ([]byte, error) {
	at := 10 + 2*int(big.Uint16(outline))
	if len(outline) < at+2 {
		return nil, errShort
	}
	after := at + 2 + int(big.Uint16(outline[at:]))
	if len(outline) < after {
		return nil, errShort
	}
	return slices.Concat(outline[:at], []byte{0, 0}, outline[after:]), nil
}

// Flags of a part of a composed glyph.
const (
	wideArguments = 0x0001
	oneScale      = 0x0008
	moreParts     = 0x0020
	twoScales     = 0x0040
	fourScales    = 0x0080
	hasHints      = 0x0100
)

// composed returns a composed outline that names its parts by their new indices, without instructions.
func (g *glyphs) composed(outline []byte) ([]byte, error) {
	out := bytes.Clone(outline)
	at := 10
	for {
		if len(out) < at+4 {
			return nil, errShort
		}
		flags := big.Uint16(out[at:])
		big.PutUint16(out[at:], flags&^hasHints)
		big.PutUint16(out[at+2:], g.add(big.Uint16(out[at+2:])))
		at += 6
		if flags&wideArguments != 0 {
			at += 2
		}
		switch {
		case flags&oneScale != 0:
			at += 2
		case flags&twoScales != 0:
			at += 4
		case flags&fourScales != 0:
			at += 8
		}
		if len(out) < at {
			return nil, errShort
		}
		if flags&moreParts == 0 {
			return out[:at], nil
		}
	}
}

// tables writes the tables of the new font.
func (g *glyphs) tables(chars []rune, index []uint16) map[string][]byte {
	var glyf, loca, hmtx []byte
	for i, outline := range g.outlines {
		loca = big.AppendUint32(loca, uint32(len(glyf)))
		glyf = append(glyf, outline...)
		glyf = append(glyf, make([]byte, -len(glyf)&3)...)
		hmtx = append(hmtx, g.font.metric(g.old[i])...)
	}
	loca = big.AppendUint32(loca, uint32(len(glyf)))
	n := uint16(len(g.outlines))
	from := g.font.tables
	t := map[string][]byte{"glyf": glyf, "loca": loca, "hmtx": hmtx, "cmap": newMap(chars, index), "name": from["name"], "OS/2": from["OS/2"]}
	t["head"] = bytes.Clone(from["head"])
	big.PutUint32(t["head"][8:], 0)  // the checksum, which is set last
	big.PutUint16(t["head"][50:], 1) // loca has 32-bit offsets
	t["maxp"] = bytes.Clone(from["maxp"])
	big.PutUint16(t["maxp"][4:], n)
	t["hhea"] = bytes.Clone(from["hhea"])
	big.PutUint16(t["hhea"][34:], n)
	t["post"] = bytes.Clone(from["post"][:32])
	big.PutUint32(t["post"], 0x00030000) // no names of glyphs
	return t
}

// assemble writes a font file: the directory, then the tables in the order of their names.
func assemble(tables map[string][]byte) []byte {
	names := slices.Sorted(maps.Keys(tables))
	n := len(names)
	power, log := searchSizes(n)
	out := big.AppendUint32(nil, 0x00010000)
	for _, v := range []int{n, 16 * power, log, 16 * (n - power)} {
		out = big.AppendUint16(out, uint16(v))
	}
	offset, head := len(out)+16*n, 0
	for _, name := range names {
		t := tables[name]
		if name == "head" {
			head = offset
		}
		out = append(out, name...)
		out = big.AppendUint32(out, checksum(t))
		out = big.AppendUint32(out, uint32(offset))
		out = big.AppendUint32(out, uint32(len(t)))
		offset += (len(t) + 3) &^ 3
	}
	for _, name := range names {
		out = append(out, tables[name]...)
		out = append(out, make([]byte, -len(out)&3)...)
	}
	big.PutUint32(out[head+8:], 0xb1b0afba-checksum(out))
	return out
}

// checksum adds up the 32-bit words of a table, which ends in zeros.
func checksum(t []byte) uint32 {
	var sum uint32
	for len(t) >= 4 {
		sum += big.Uint32(t)
		t = t[4:]
	}
	var last [4]byte
	copy(last[:], t)
	return sum + big.Uint32(last[:])
}

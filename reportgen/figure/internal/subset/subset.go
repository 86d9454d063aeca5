// Package subset cuts a TrueType font down to the characters that figures need, so that each figure can carry its font
// without carrying half a megabyte. Outlines and widths stay as they are; hinting, kerning and glyph names are dropped.
//
// The tables are those of the OpenType specification, https://learn.microsoft.com/typography/opentype/spec/otff.
package subset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

var big = binary.BigEndian

// errShort says that a table ends before what it announces.
var errShort = errors.New("the font is cut off")

// Font returns a font with the glyphs of the given characters, and those that they are composed of. A character that the
// font does not have is left out.
func Font(ttf []byte, chars []rune) ([]byte, error) {
	f, err := parse(ttf)
	if err != nil {
		return nil, fmt.Errorf("subset: %w", err)
	}
	chars = slices.Compact(slices.Sorted(slices.Values(chars)))
	g := glyphs{font: f, at: map[uint16]uint16{}}
	g.add(0) // the glyph for what is missing
	var mapped []rune
	var index []uint16
	for _, r := range chars {
		if old := f.glyph(r); old != 0 {
			mapped, index = append(mapped, r), append(index, g.add(old))
		}
	}
	if err := g.copy(); err != nil {
		return nil, fmt.Errorf("subset: %w", err)
	}
	return assemble(g.tables(mapped, index)), nil
}

// font is a parsed font: the tables that are needed, by name.
type font struct {
	tables     map[string][]byte
	longLoca   bool
	numGlyphs  int
	numMetrics int
	glyph      func(rune) uint16
}

// needed are the tables without which there is no font, with the bytes of each that are read below.
var needed = map[string]int{"head": 54, "maxp": 32, "hhea": 36, "hmtx": 4, "loca": 2, "glyf": 0, "cmap": 4, "post": 32, "name": 6, "OS/2": 78}

func parse(ttf []byte) (*font, error) {
	tables, err := directory(ttf)
	if err != nil {
		return nil, err
	}
	for name, size := range needed {
		if t, ok := tables[name]; !ok || len(t) < size {
			return nil, fmt.Errorf("no whole table %q", name)
		}
	}
	f := &font{tables: tables}
	f.longLoca = big.Uint16(tables["head"][50:]) == 1
	f.numGlyphs = int(big.Uint16(tables["maxp"][4:]))
	f.numMetrics = int(big.Uint16(tables["hhea"][34:]))
	if f.numMetrics == 0 || len(tables["hmtx"]) < 4*f.numMetrics+2*max(0, f.numGlyphs-f.numMetrics) {
		return nil, errShort
	}
	f.glyph, err = unicodeMap(tables["cmap"])
	return f, err
}

// directory returns the tables of a font by name.
func directory(ttf []byte) (map[string][]byte, error) {
	if len(ttf) < 12 || big.Uint32(ttf) != 0x00010000 {
		return nil, errors.New("not a TrueType font")
	}
	n := int(big.Uint16(ttf[4:]))
	if len(ttf) < 12+16*n {
		return nil, errShort
	}
	tables := make(map[string][]byte, n)
	for i := range n {
		entry := ttf[12+16*i:]
		offset, length := uint64(big.Uint32(entry[8:])), uint64(big.Uint32(entry[12:]))
		if offset+length > uint64(len(ttf)) {
			return nil, errShort
		}
		tables[string(entry[:4])] = ttf[offset : offset+length]
	}
	return tables, nil
}

// outline returns the outline of a glyph, empty for a blank.
func (f *font) outline(glyph uint16) ([]byte, error) {
	loca, glyf := f.tables["loca"], f.tables["glyf"]
	size := 2
	if f.longLoca {
		size = 4
	}
	i := int(glyph)
	if i >= f.numGlyphs || (i+2)*size > len(loca) {
		return nil, fmt.Errorf("glyph %d of %d", glyph, f.numGlyphs)
	}
	offset := func(i int) uint64 {
		if f.longLoca {
			return uint64(big.Uint32(loca[4*i:]))
		}
		return 2 * uint64(big.Uint16(loca[2*i:]))
	}
	from, to := offset(i), offset(i+1)
	if from > to || to > uint64(len(glyf)) {
		return nil, errShort
	}
	return glyf[from:to], nil
}

// metric returns the advance width and the left side bearing of a glyph, four bytes.
func (f *font) metric(glyph uint16) []byte {
	hmtx, i := f.tables["hmtx"], int(glyph)
	if i < f.numMetrics {
		return hmtx[4*i : 4*i+4]
	}
	last := hmtx[4*f.numMetrics-4 : 4*f.numMetrics-2]
	bearing := hmtx[4*f.numMetrics+2*(i-f.numMetrics):]
	return []byte{last[0], last[1], bearing[0], bearing[1]}
}

package figure

import (
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// pngCanvas draws text as outlines: the letters of turned text are not turned pixels then.
type pngCanvas struct{ vgimg.PngCanvas }

func newPNG(width, height vg.Length) pngCanvas {
	return pngCanvas{vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch))}}
}

// FillString draws text at a point.
func (c pngCanvas) FillString(face font.Face, at vg.Point, s string) {
	f := face.Face
	scale := face.Font.Size / vg.Length(f.UnitsPerEm())
	em := fixed.I(int(f.UnitsPerEm()))
	var buf sfnt.Buffer
	for _, r := range s {
		glyph, err := f.GlyphIndex(&buf, r)
		if err != nil {
			continue // a font that was parsed has an index for each character, that of the missing glyph too
		}
		if p := outline(f, &buf, glyph, em, scale, at); len(p) > 0 {
			c.Fill(p)
		}
		if advance, err := f.GlyphAdvance(&buf, glyph, em, 0); err == nil {
			at.X += units(advance) * scale
		}
	}
}

// outline is the path of a glyph that stands at a point.
func outline(f *opentype.Font, buf *sfnt.Buffer, glyph sfnt.GlyphIndex, em fixed.Int26_6, scale vg.Length, at vg.Point) vg.Path {
	segments, err := f.LoadGlyph(buf, glyph, em, nil)
	if err != nil {
		return nil
	}
	to := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: at.X + units(p.X)*scale, Y: at.Y - units(p.Y)*scale}
	}
	var path vg.Path
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			path.Move(to(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(to(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(to(s.Args[0]), to(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(to(s.Args[0]), to(s.Args[1]), to(s.Args[2]))
		}
	}
	return path
}

// units converts the fixed-point numbers of fonts.
func units(v fixed.Int26_6) vg.Length { return vg.Length(v) / 64 }

package subset

import (
	"testing"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// latin are characters with composed glyphs (é) and some outside ASCII.
var latin = []rune("AZaz09 .,%µé×–…é")

// shapeOf is what a glyph looks like and how wide it is.
type shapeOf struct {
	Segments sfnt.Segments
	Advance  fixed.Int26_6
}

func shape(t *testing.T, f *sfnt.Font, r rune) shapeOf {
	t.Helper()
	var buf sfnt.Buffer
	i, err := f.GlyphIndex(&buf, r)
	if err != nil {
		t.Fatal(err)
	}
	if i == 0 {
		t.Fatalf("no glyph for %q", r)
	}
	ppem := fixed.I(int(f.UnitsPerEm()))
	segments, err := f.LoadGlyph(&buf, i, ppem, nil)
	if err != nil {
		t.Fatalf("%q: %v", r, err)
	}
	advance, err := f.GlyphAdvance(&buf, i, ppem, 0)
	if err != nil {
		t.Fatal(err)
	}
	return shapeOf{append(sfnt.Segments{}, segments...), advance}
}

// TestFont compares every glyph of the small font with the same one of the whole font, as an independent reader sees them.
func TestFont(t *testing.T) {
	small, err := Font(liberationsansregular.TTF, latin)
	if err != nil {
		t.Fatal(err)
	}
	if len(small) > 16<<10 {
		t.Errorf("%d bytes", len(small))
	}
	got, err := sfnt.Parse(small)
	if err != nil {
		t.Fatal(err)
	}
	want, err := sfnt.Parse(liberationsansregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range latin {
		if diff := cmp.Diff(shape(t, want, r), shape(t, got, r)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", r, diff)
		}
	}
	var buf sfnt.Buffer
	if i, err := got.GlyphIndex(&buf, 'B'); i != 0 || err != nil {
		t.Errorf("B is glyph %d, %v: it was not asked for", i, err)
	}
	if name, err := got.Name(&buf, sfnt.NameIDFamily); name != "Liberation Sans" {
		t.Errorf("family %q, %v", name, err)
	}
	if sum := checksum(small); sum != 0xb1b0afba {
		t.Errorf("checksum of the file %#x", sum)
	}
}

func TestFontErrors(t *testing.T) {
	for _, in := range [][]byte{nil, []byte("OTTO"), liberationsansregular.TTF[:1000], liberationsansregular.TTF[:200_000]} {
		if out, err := Font(in, latin); err == nil || out != nil {
			t.Errorf("%d bytes: no error, or %d bytes of font", len(in), len(out))
		}
	}
}

func FuzzFont(f *testing.F) {
	small, err := Font(liberationsansregular.TTF, latin)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small)
	f.Fuzz(func(t *testing.T, data []byte) {
		if out, err := Font(data, latin); err != nil && out != nil {
			t.Error("an error and a font")
		}
	})
}

package figure

import (
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/gotestbed/gotestbed/reportgen/figure/internal/subset"
	"github.com/gotestbed/gotestbed/reportgen/render"
)

// Text in figures is in the character set of Windows-1252, the one that the writer of PDFs can embed a font for.
var charset = charmap.Windows1252

// sans is the font of all figures.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// fonts returns the handler that measures and draws text with the embedded font. The font is cut down once, to the
// characters of charset: it is part of every file.
var fonts = sync.OnceValue(func() text.Handler {
	var chars []rune
	for b := range 256 {
		if r := charset.DecodeByte(byte(b)); r >= ' ' && r != '\uFFFD' {
			chars = append(chars, r)
		}
	}
	ttf, err := subset.Font(liberationsansregular.TTF, chars)
	if err != nil {
		panic("figure: the font that is compiled in: " + err.Error())
	}
	face, err := opentype.Parse(ttf)
	if err != nil {
		panic("figure: the font that is compiled in: " + err.Error())
	}
	return text.Plain{Fonts: font.NewCache(font.Collection{{Font: sans, Face: face}})}
})

// maxLabel is how many characters of a name a figure shows.
const maxLabel = 32

// label makes a text that a figure can show: one line, harmless, short, and of characters that the font has.
func label(s string) string {
	s = drawable(render.Clean(s))
	if r := []rune(s); len(r) > maxLabel {
		s = string(r[:maxLabel-1]) + "…"
	}
	return s
}

// drawable replaces what charset does not have.
func drawable(s string) string {
	return strings.Map(func(r rune) rune {
		if _, ok := charset.EncodeRune(r); !ok || r < ' ' {
			return '?'
		}
		return r
	}, s)
}

// style is text of a size.
func style(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: ink, Font: font.From(sans, size), XAlign: x, YAlign: y, Handler: fonts()}
}

// cutText cuts a text to a width.
func cutText(sty text.Style, s string, width vg.Length) string {
	r := []rune(s)
	for n := len(r) - 1; n > 0 && sty.Width(s) > width; n-- {
		s = string(r[:n]) + "…"
	}
	return s
}

package figure

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func written(t testing.TB, f *Figure, format Format) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := f.Write(&out, format); err != nil {
		t.Fatalf("%s.%s: %v", f.Name, format, err)
	}
	return out.Bytes()
}

// TestDeterministic makes every figure twice, from two readings, and compares all files.
func TestDeterministic(t *testing.T) {
	run := wholeRun(t)
	dirs := []string{t.TempDir(), t.TempDir()}
	var names []string
	for _, dir := range dirs {
		set := figuresOf(t, run)
		var err error
		if names, err = WriteDir(dir, set.Figures); err != nil {
			t.Fatal(err)
		}
		if len(names) != 4*len(set.Figures) {
			t.Fatalf("%d files of %d figures", len(names), len(set.Figures))
		}
	}
	for _, name := range names {
		base := filepath.Base(name)
		a, errA := os.ReadFile(filepath.Join(dirs[0], base))
		b, errB := os.ReadFile(filepath.Join(dirs[1], base))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs, or is not there: %v, %v", base, errA, errB)
		}
	}
}

func TestTwoFiguresOfOneName(t *testing.T) {
	if _, err := WriteDir(t.TempDir(), []Figure{{Name: "a", Chart: &Bars{}}, {Name: "a", Chart: &Bars{}}}); err == nil {
		t.Error("no error")
	}
}

// TestSVG checks that every SVG is well-formed, carries its text, its font and its alternative, and names nothing outside.
func TestSVG(t *testing.T) {
	outside := regexp.MustCompile(`(?:href|src|url\()\s*=?\s*["']?(?:https?:)?//`)
	for _, f := range figuresOf(t, wholeRun(t)).Figures {
		svg := written(t, &f, SVG)
		texts, fonts := svgText(t, f.Name, svg)
		if !slices.Contains(texts, f.Title) || len(texts) < 6 || !strings.Contains(fonts, "base64,") || !strings.Contains(fonts, "Liberation Sans") {
			t.Errorf("%s: texts %q, style of %d bytes", f.Name, texts, len(fonts))
		}
		if outside.Match(svg) {
			t.Errorf("%s: refers to something outside", f.Name)
		}
		if len(svg) > 150<<10 {
			t.Errorf("%s: %d bytes", f.Name, len(svg))
		}
		inline, err := f.InlineSVG()
		if err != nil || !bytes.HasPrefix(inline, []byte(`<svg role="img" `)) || !bytes.HasSuffix(svg, inline) {
			t.Errorf("%s: %v, %.60q", f.Name, err, inline)
		}
	}
}

// svgText returns the texts of a document, and its style sheet.
func svgText(t *testing.T, name string, svg []byte) (texts []string, style string) {
	t.Helper()
	in := xml.NewDecoder(bytes.NewReader(svg))
	var at string
	for {
		token, err := in.Token()
		if err == io.EOF {
			return texts, style
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			at = token.Name.Local
		case xml.EndElement:
			at = ""
		case xml.CharData:
			switch at {
			case "text", "title":
				texts = append(texts, string(token))
			case "style":
				style += string(token)
			}
		}
	}
}

// TestPDF checks that every PDF has its font in it, no date of today, and the size of a column or of a page.
func TestPDF(t *testing.T) {
	for _, f := range figuresOf(t, wholeRun(t)).Figures {
		pdf := written(t, &f, PDF)
		for _, want := range []string{"%PDF-", "/FontFile2 ", "/BaseFont /LiberationSans", "D:20000101000000", "%%EOF"} {
			if !bytes.Contains(pdf, []byte(want)) {
				t.Errorf("%s: no %s", f.Name, want)
			}
		}
		width := "[0 0 239.76 "
		if f.Wide {
			width = "[0 0 504.00 "
		}
		if !bytes.Contains(pdf, []byte("/MediaBox "+width)) {
			t.Errorf("%s (wide %v): not %s", f.Name, f.Wide, width)
		}
	}
}

func TestPNG(t *testing.T) {
	for _, f := range figuresOf(t, wholeRun(t)).Figures[:4] {
		img, err := png.Decode(bytes.NewReader(written(t, &f, PNG)))
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		want := 999
		if f.Wide {
			want = 2100
		}
		if got := img.Bounds().Dx(); got != want {
			t.Errorf("%s: %d pixels wide, want %d", f.Name, got, want)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	if err := (&Figure{Chart: &Bars{}}).Write(io.Discard, "gif"); err == nil {
		t.Error("no error")
	}
}

// TestText keeps text to one harmless line of characters that every format has.
func TestText(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		if got := label(in); got != want {
			t.Errorf("label(%q) = %q, want %q", in, got, want)
		}
	}
	check("full_v27", "full_v27")
	check("µs × – …", "µs × – …")
	check("\x1b[31mred\x1b[0m\ntwo", "red two")
	check("Δ 漢", "? ?")
	check("</svg><script>", "</svg><script>") // escaped where it is written
	check(strings.Repeat("x", 100), strings.Repeat("x", maxLabel-1)+"…")
}

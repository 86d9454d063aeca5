package page

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gotestbed/gotestbed/reportgen/render"
)

const hostile = "<script>alert(1)</script>\x1b[31m |`$\\%_& ÷ ≥ \n# x"

func document() *Document {
	return &Document{Title: hostile, Intro: []string{hostile}, Sections: []Section{
		{Title: "list" + hostile, Items: []string{hostile, "b"}},
		{Title: "table", Items: []string{"before"}, Badges: map[string]Badge{"fine": Good},
			Grid: &render.Grid{Title: "table", Label: "t", Head: []string{"a", hostile}, Right: 1, Rows: [][]string{{hostile, "1"}, {"x", "fine"}}, Notes: []string{"after " + hostile}}},
		{Title: "narrow", Grid: &render.Grid{Title: "wide", Label: "w", Head: []string{"wide"}, Right: -1},
			Narrow: &render.Grid{Title: "narrow", Label: "n", Head: []string{"narrow"}, Right: -1, Rows: [][]string{{"y"}}}},
		{Title: "nothing"},
	}}
}

func write(t *testing.T, format string) string {
	t.Helper()
	var out bytes.Buffer
	if err := document().Write(&out, format); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\x00") {
		t.Errorf("%s: control characters", format)
	}
	return out.String()
}

func TestTextsAreEscaped(t *testing.T) {
	page := write(t, "html")
	if strings.Contains(page, "<script") || strings.Contains(page, "src=") || strings.Contains(page, "http:") || strings.Contains(page, "https:") {
		t.Errorf("the page runs or loads something:\n%s", page)
	}
	if !strings.Contains(page, `<span class="badge good">fine</span>`) || !strings.Contains(page, `<td class="r">1</td>`) || strings.Contains(page, "narrow</th>") {
		t.Errorf("cells:\n%s", page)
	}
	markdown := write(t, "markdown")
	for _, line := range strings.Split(markdown, "\n") {
		if strings.HasPrefix(line, "# x") || strings.Contains(line, "<script") && !strings.Contains(line, `\<script`) {
			t.Errorf("%q", line)
		}
	}
	// What stands before a table comes first, what stands after it last.
	if before, table := strings.Index(markdown, "- before"), strings.Index(markdown, "| x "); before < 0 || table < before || strings.Index(markdown, "- after") < table {
		t.Errorf("order:\n%s", markdown)
	}
}

func TestUnknownFormat(t *testing.T) {
	var out bytes.Buffer
	if err := document().Write(&out, "pdf"); err == nil || out.Len() > 0 {
		t.Errorf("error %v, %d bytes", err, out.Len())
	}
}

func TestLaTeXCompiles(t *testing.T) {
	text := write(t, "latex")
	if strings.Contains(text, "wide") && !strings.Contains(text, "narrow") {
		t.Error("the narrow table is not used")
	}
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex in PATH: apt-get install texlive-latex-recommended")
	}
	dir := t.TempDir()
	doc := "\\documentclass[twocolumn]{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{booktabs}\n\\begin{document}\n" + text + "\\end{document}\n"
	if err := os.WriteFile(filepath.Join(dir, "doc.tex"), []byte(doc), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(pdflatex, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "doc.tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

package report_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gotestbed/gotestbed/reportgen/report"
)

// TestPDFLaTeX sets a document that takes in everything that was written for LaTeX: macros, texts, tables and figures.
func TestPDFLaTeX(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: pdflatex takes seconds")
	}
	program, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex in PATH: install texlive-latex-base, texlive-latex-recommended to try the files")
	}
	for _, dir := range []string{demo, "testdata/full"} {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			r, err := report.New([]report.Source{source(t, dir, "")})
			if err != nil {
				t.Fatal(err)
			}
			out := t.TempDir()
			names, err := r.WriteDir(out)
			if err != nil {
				t.Fatal(err)
			}
			log := compile(t, program, out, document(t, out, names))
			if strings.Contains(log, "undefined") || strings.Contains(log, "Missing character") {
				t.Errorf("something is missing:\n%s", log)
			}
			if wide := regexp.MustCompile(`(?m)^Overfull \\hbox .*$`).FindString(log); wide != "" {
				t.Errorf("something is too wide: %s", wide)
			}
		})
	}
}

// document takes in every .tex file, and uses every macro.
func document(t *testing.T, dir string, names []string) string {
	t.Helper()
	slices.Sort(names)
	var body strings.Builder
	figures := 0
	for _, name := range slices.Compact(names) {
		name = strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(dir)+"/")
		if stem, ok := strings.CutSuffix(name, ".tex"); ok && stem != "macros" {
			body.WriteString("\\input{" + stem + "}\n\\clearpage\n")
		}
		if strings.HasSuffix(name, ".pdf") {
			figures++
		}
	}
	macros, err := os.ReadFile(filepath.Join(dir, "macros.tex"))
	if err != nil {
		t.Fatal(err)
	}
	used := regexp.MustCompile(`\\newcommand\{(\\[A-Za-z]+)\}`).FindAllStringSubmatch(string(macros), -1)
	if figures == 0 || len(used) == 0 {
		t.Fatalf("%d figures, %d macros", figures, len(used))
	}
	for _, m := range used {
		body.WriteString(m[1] + "{} ")
	}
	return "\\documentclass[twocolumn]{article}\n\\usepackage{booktabs}\n\\usepackage{graphicx}\n" +
		"\\setlength{\\textwidth}{7in}\n\\emergencystretch=3em\n\\input{macros}\n\\begin{document}\n" + body.String() + "\\end{document}\n"
}

// compile runs pdflatex on a document in dir and returns its log.
func compile(t *testing.T, program, dir, text string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "document.tex"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "document.tex")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "max_print_line=10000", "TEXMFVAR="+dir) // one long line a message
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "`booktabs.sty' not found") {
		t.Skip("no booktabs.sty: install texlive-latex-recommended to try the files")
	}
	if err != nil {
		t.Fatalf("pdflatex: %v\n%.4000s", err, out)
	}
	return string(out)
}

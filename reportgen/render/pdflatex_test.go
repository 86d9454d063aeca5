package render

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// compile sets the table of a run on a two-column page of the usual 7 inches, and returns pdflatex's log.
func compile(t *testing.T, run *results.Run) string {
	t.Helper()
	program, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex in PATH: install the packages texlive-latex-base and texlive-latex-recommended to try the tables")
	}
	dir := t.TempDir()
	const document = `\documentclass[twocolumn]{article}
\usepackage{booktabs}
\setlength{\textwidth}{7in}
\begin{document}
\input{table}
\end{document}
`
	for name, text := range map[string]string{"document.tex": document, "table.tex": string(write(t, LaTeX{}, run))} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "-draftmode", "document.tex")
	cmd.Dir = dir
	// One long line a message; fonts that are made on the way stay in the directory.
	cmd.Env = append(os.Environ(), "max_print_line=10000", "TEXMFVAR="+dir)
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "`booktabs.sty' not found") {
		t.Skip("no booktabs.sty: install the package texlive-latex-recommended to try the tables")
	}
	if err != nil {
		t.Fatalf("pdflatex: %v\n%s", err, out)
	}
	return string(out)
}

// lettersRun has, in its notes, every character that is set as it stands or has a command of its own.
func lettersRun() *results.Run {
	run := oldRun()
	a := &run.Experiments[0].Attempts[0]
	var all []rune
	for r := ' '; r < 0x7f; r++ {
		all = append(all, r)
	}
	for r := rune(0xc0); r < 0x100; r++ {
		all = append(all, r)
	}
	all = append(all, slices.Sorted(maps.Keys(latexSpecial))...)
	for chunk := range slices.Chunk(all, 40) {
		a.Warnings = append(a.Warnings, strings.Join(strings.Split(string(chunk), ""), " ")+" "+string(chunk))
	}
	return run
}

var overfull = regexp.MustCompile(`(?m)^Overfull .*$`)

// pdflatex takes every table, whatever the logs wrote, and the usual ones fit on the page.
func TestPDFLaTeX(t *testing.T) {
	for name, run := range map[string]*results.Run{"mixed": mixedRun(), "full": fullRun(), "empty": emptyRun(), "old": oldRun(), "hostile": hostileRun(), "letters": lettersRun(),
		"scaleout": scaleRun(), "drift": driftRun(), "dispatch": dispatchRun(), "bad": badRun(), "huge": hugeRun()} {
		t.Run(name, func(t *testing.T) {
			log := compile(t, run)
			if wide := overfull.FindString(log); wide != "" && name != "hostile" {
				t.Errorf("the table is too wide: %s", wide)
			}
			if strings.Contains(log, "undefined") || strings.Contains(log, "Missing character") {
				t.Errorf("something is missing:\n%s", log)
			}
		})
	}
}

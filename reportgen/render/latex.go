package render

import (
	"fmt"
	"io"
	"strings"
)

// LaTeX writes a floating booktabs table, set small enough for the 7 inches of a two-column page; the document needs
// \usepackage{booktabs}. Attempts that were not used are counted in a note and listed in comments, with what went wrong.
type LaTeX struct{}

// maxPageRows is how many rows of a table a page has room for, with its notes.
const maxPageRows = 40

// File returns <experiment>.tex.
func (LaTeX) File(experiment string) string { return experiment + ".tex" }

// Write writes the table with the label tab:<experiment>. That of a single cell is followed by one of its other metrics, with the
// label tab:<experiment>-metrics.
func (LaTeX) Write(w io.Writer, t *Table) error {
	p := &printer{w: w}
	p.printf("%% Made by reportgen from run %s. Needs \\usepackage{booktabs}.\n", latexComment(orUnknown(t.Run, "(no name)")))
	for _, row := range notUsedCells(t.NotUsed[:min(len(t.NotUsed), maxNotUsed)]) {
		p.printf("%% Not used: %s rep %s try %s: %s: %s\n", latexComment(row[0]), row[1], latexComment(row[2]), latexComment(row[3]), latexComment(row[4]))
	}
	for i := range t.Faults {
		f := &t.Faults[i]
		p.printf("%% Went wrong: %s: %s: %s\n", latexComment(f.attempts(t.severalTries)), latexComment(f.name()), latexComment(orAbsent(f.Cause)))
	}
	p.printf("\\begin{table*}[t]\n  \\centering\\footnotesize\n  \\setlength{\\tabcolsep}{3pt}\n  \\caption{%s}\n  \\label{tab:%s}\n", latexEscape(short(t.title())), FileName(t.Experiment))
	p.printf("  \\begin{tabular}{l%s}\n    \\toprule\n", strings.Repeat("r", len(t.columns)-1))
	p.printf("    %s \\\\\n    \\midrule\n", latexHeads(t.Header()))
	shown := t.Rows[:min(len(t.Rows), maxPageRows)]
	for i := range shown {
		p.printf("    %s \\\\\n", latexRow(t.texts(&shown[i])))
	}
	p.printf("    \\bottomrule\n  \\end{tabular}\n\n  \\smallskip\n  \\begin{minipage}{0.95\\textwidth}\\footnotesize\\raggedright\n")
	list := t.footnotes()
	if more := len(t.Rows) - len(shown); more > 0 {
		list = append([]string{fmt.Sprintf("The table shows %d of %d cells: a page has no room for the others. All are in the CSV file.", len(shown), len(t.Rows))}, list...)
	}
	for _, note := range list {
		p.printf("    %s\\par\n", latexEscape(Clean(note)))
	}
	p.printf("  \\end{minipage}\n\\end{table*}\n")
	if g := t.OtherMetrics(); g != nil && len(t.Rows) == 1 && p.err == nil { // one cell is not compared: its counters are the result
		p.printf("\n")
		return g.WriteLaTeX(w)
	}
	return p.err
}

// latexHeads sets heads of several words in two lines: the numbers below are narrower than the words.
func latexHeads(heads []string) string {
	out := make([]string, len(heads))
	for i, head := range heads {
		if first, second := halves(short(head)); second == "" {
			out[i] = latexEscape(first)
		} else {
			out[i] = `\shortstack[r]{` + latexEscape(first) + `\\` + latexEscape(second) + "}"
		}
	}
	return strings.Join(out, " & ")
}

// halves divides a text at the blank that leaves the shorter of two lines longest.
func halves(text string) (first, second string) {
	best, at := 0, -1
	for i, c := range text {
		if shorter := min(i, len(text)-i); c == ' ' && shorter > best {
			best, at = shorter, i
		}
	}
	if at < 0 {
		return text, ""
	}
	return text[:at], text[at+1:]
}

func latexRow(cells []string) string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = latexEscape(short(c))
	}
	return strings.Join(out, " & ")
}

// latexSpecial maps what LaTeX would interpret, and the signs outside ASCII that tables and notes use. Brackets and stars
// are in braces because they would be read as arguments of the \\ before them.
var latexSpecial = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '%': `\%`, '_': `\_`,
	'^': `\textasciicircum{}`, '~': `\textasciitilde{}`, '<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`,
	'"': `''`, '`': "\\`{}", '[': `{[}`, ']': `{]}`, '*': `{*}`,
	'—': `---`, '–': `--`, '…': `\dots{}`, 'Δ': `$\Delta$`, 'µ': `$\mu$`, 'μ': `$\mu$`, '×': `$\times$`, '÷': `$\div$`, '±': `$\pm$`,
	'≤': `$\leq$`, '≥': `$\geq$`, '−': `$-$`, '→': `$\rightarrow$`, '∞': `$\infty$`, '·': `$\cdot$`, '≈': `$\approx$`, 'τ': `$\tau$`,
	'‘': "`", '’': `'`, '“': "``", '”': `''`,
}

// latexEscape makes text that pdflatex sets as it stands. A character that it has no letter for becomes a question mark.
func latexEscape(s string) string {
	var b strings.Builder
	var prev rune
	for i, r := range s {
		special, ok := latexSpecial[r]
		switch {
		case ok:
			b.WriteString(special)
		case r == '-' && prev == '-': // two hyphens would become a dash
			b.WriteString("{}-")
		case r == '-' && i == 0 && len(s) > 1 && '0' <= s[1] && s[1] <= '9':
			b.WriteString("$-$")
		case r < 0x80, 0xc0 <= r && r < 0x100 && !strings.ContainsRune("ÐÞðþ×÷", r): // what every font encoding has
			b.WriteRune(r)
		default:
			b.WriteByte('?')
		}
		prev = r
	}
	return strings.ReplaceAll(b.String(), ` \%`, `\,\%`)
}

// latexComment keeps a text inside its comment line.
func latexComment(s string) string { return Clean(s) }

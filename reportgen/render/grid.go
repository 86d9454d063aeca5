package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Grid is a table of texts, for what a report shows besides the tables of experiments: checks, microbenchmarks.
type Grid struct {
	Title string // of the LaTeX table
	Label string // of the LaTeX table, safe in labels and file names
	Head  []string
	Rows  [][]string
	Right int // the first column that is set to the right; -1: none
	Wrap  int // without one, the first column that wraps in LaTeX; 0: the last
	Notes []string
}

// WriteMarkdown writes the table and its notes, without a heading.
func (g *Grid) WriteMarkdown(w io.Writer) error {
	p := &printer{w: w}
	p.grid(g.Head, g.Rows, g.Right)
	if len(g.Notes) > 0 {
		p.printf("\n")
	}
	for _, note := range g.Notes {
		p.item(note)
	}
	return p.err
}

// WriteCSV writes the table without its notes.
func (g *Grid) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	for _, row := range slices.Concat([][]string{g.Head}, g.Rows) {
		texts := make([]string, len(row))
		for i, text := range row {
			texts[i] = csvText(text)
		}
		out.Write(texts) // errors are kept until Error
	}
	out.Flush()
	return out.Error()
}

// WriteLaTeX writes a floating booktabs table of the width of a page.
func (g *Grid) WriteLaTeX(w io.Writer) error {
	p := &printer{w: w}
	p.printf("%% Made by reportgen. Needs \\usepackage{booktabs}.\n")
	p.printf("\\begin{table*}[t]\n  \\centering\\small\n  \\setlength{\\tabcolsep}{4pt}\n  \\caption{%s}\n  \\label{tab:%s}\n", latexEscape(short(g.Title)), g.Label)
	heads := latexRow(g.Head)
	if g.Right >= 0 {
		heads = latexHeads(g.Head)
	}
	p.printf("  \\begin{tabular}{%s}\n    \\toprule\n    %s \\\\\n    \\midrule\n", g.columns(), heads)
	for _, row := range g.Rows {
		p.printf("    %s \\\\\n", latexRow(row))
	}
	p.printf("    \\bottomrule\n  \\end{tabular}\n")
	if len(g.Notes) > 0 {
		p.printf("\n  \\smallskip\n  \\begin{minipage}{0.95\\textwidth}\\footnotesize\\raggedright\n")
		for _, note := range g.Notes {
			p.printf("    %s\\par\n", latexEscape(Clean(note)))
		}
		p.printf("  \\end{minipage}\n")
	}
	p.printf("\\end{table*}\n")
	return p.err
}

// columns are how LaTeX sets the columns: those that wrap share two fifths of the page, or three fifths if they are several.
func (g *Grid) columns() string {
	if g.Right >= 0 {
		return strings.Repeat("l", g.Right) + strings.Repeat("r", len(g.Head)-g.Right)
	}
	if g.Wrap == 0 || g.Wrap == len(g.Head)-1 {
		return strings.Repeat("l", len(g.Head)-1) + "p{0.4\\textwidth}"
	}
	n := len(g.Head) - g.Wrap
	return strings.Repeat("l", g.Wrap) + strings.Repeat(fmt.Sprintf("p{%.2f\\textwidth}", 0.5/float64(n)), n)
}

// WriteItems writes a list in Markdown.
func WriteItems(w io.Writer, items []string) error {
	p := &printer{w: w}
	for _, item := range items {
		p.item(item)
	}
	return p.err
}

// WriteParagraph writes running text in Markdown.
func WriteParagraph(w io.Writer, text string) error {
	p := &printer{w: w}
	p.printf("%s\n", wrap(blockEscape(markdownEscape(Clean(text))), lineWidth, ""))
	return p.err
}

// EscapeMarkdown makes text that GitHub shows as it stands, inside a line.
func EscapeMarkdown(s string) string { return markdownEscape(Clean(s)) }

// EscapeLaTeX makes text that pdflatex sets as it stands.
func EscapeLaTeX(s string) string { return latexEscape(Clean(s)) }

// FormatNumber writes v with that many significant digits and without an exponent, as long as that reads well.
func FormatNumber(v float64, digits int) string { return formatNumber(v, digits) }

// FormatFull writes v in the shortest form that reads back as v, and nothing if it is not finite.
func FormatFull(v float64) string { return formatFull(v) }

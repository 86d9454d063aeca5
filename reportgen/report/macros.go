package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// A Macro is one number of a table for the text of a paper: Part says what it is of the cell (Lo, Hi, Level; empty: the
// value itself).
type Macro struct {
	Of   string // commit_kops
	Part string
	Text string // as the table prints it
}

// WriteMacros writes a LaTeX macro for every number of every table, so that none has to be typed:
//
//	\stepSixFullVTwoSevenCommitKops       13.64
//	\stepSixFullVTwoSevenCommitKopsLo     13.58
//	\stepSixFullVTwoSevenCommitKopsHi     13.71
//	\stepSixFullVTwoSevenCommitKopsLevel  75 %
//
// The name is made of the section, the row and the column, see macroName. Committed throughput, the number that a text says
// most often, has a short name too, of the row without its version; of rows of that name the first one has it:
//
//	\fullKops  13.64
//
// Numbers of microbenchmarks have the unit that their table prints in a macro too: \microReadBW…BSUnit is MiB/s.
//
// \newcommand makes LaTeX complain, rather than print another number, if a document has such a macro already.
func (r *Report) WriteMacros(w io.Writer) error {
	var out strings.Builder
	out.WriteString("% Made by reportgen: every number of the tables. \\input{macros} in the preamble.\n")
	names := namer{}
	for i := range r.Sections {
		s := &r.Sections[i]
		for _, b := range s.Blocks {
			if b.Table != nil {
				b.Table.writeMacros(&out, names, s)
			}
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// version ends the name of a cell: full_v27.
var version = regexp.MustCompile(`_v[0-9]+$`)

func (t *Table) writeMacros(out *strings.Builder, names namer, s *Section) {
	headed := false
	for i, row := range t.Rows {
		for _, c := range row {
			for _, m := range c.Macros {
				if !headed {
					headed = true
					fmt.Fprintf(out, "\n%% %s\n", render.Clean(s.Heading()+" "+s.Source))
				}
				name := names.name(s.ID, t.Keys[i], m.Of, m.Part)
				fmt.Fprintf(out, "\\newcommand{\\%s}{%s}%% %s\n", name, render.EscapeLaTeX(m.Text),
					render.Clean(strings.TrimSpace(t.Keys[i]+" "+m.Of+" "+m.Part)))
				if short := macroName(version.ReplaceAllString(t.Keys[i], ""), "kops"); m.Of == "commit_kops" && m.Part == "" && !names[short] {
					fmt.Fprintf(out, "\\newcommand{\\%s}{\\%s}\n", names.name(short), name)
				}
			}
		}
	}
}

// summaryMacros are the value, its interval and its level.
func summaryMacros(of string, s stats.Summary, digits int) []Macro {
	if !s.HasValue() {
		return nil
	}
	list := []Macro{{Of: of, Text: render.FormatNumber(s.Median, digits)}}
	if s.HasInterval() {
		list = append(list, Macro{of, "lo", render.FormatNumber(s.Lo, digits)}, Macro{of, "hi", render.FormatNumber(s.Hi, digits)},
			Macro{of, "level", stats.FormatLevel(s.Level)})
	}
	return list
}

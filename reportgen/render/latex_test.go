package render

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

var latexPair = regexp.MustCompile(`\\[\\{}$&%#_,]`)

// Without running LaTeX: braces pair, environments nest, and every row has its columns, whatever the log wrote.
func TestLaTeXIsWellFormed(t *testing.T) {
	for name, run := range map[string]*results.Run{"mixed": mixedRun(), "hostile": hostileRun(), "scaleout": scaleRun(), "tuner": fullRun()} {
		text, columns := string(write(t, LaTeX{}, run)), len(NewTable(run, &run.Experiments[0]).Header())
		var open []string
		depth, rows := 0, 0
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "%") {
				continue
			}
			row := strings.HasSuffix(line, `\\`+"\n")
			bare := latexPair.ReplaceAllString(line, "")
			if marks := strings.Count(bare, "&"); row && marks != columns-1 {
				t.Errorf("%s: %d column marks in %s", name, marks, line)
			} else if row {
				rows++
			}
			if strings.Contains(bare, "%") {
				t.Errorf("%s: a comment in %s", name, line)
			}
			depth += strings.Count(bare, "{") - strings.Count(bare, "}")
			if what, ok := strings.CutPrefix(strings.TrimSpace(line), `\begin{`); ok {
				open = append(open, what[:strings.IndexByte(what, '}')])
			}
			if what, ok := strings.CutPrefix(strings.TrimSpace(line), `\end{`); ok {
				if len(open) == 0 || open[len(open)-1] != strings.TrimSuffix(what, "}") {
					t.Fatalf("%s: %s ends in %v", name, what, open)
				}
				open = open[:len(open)-1]
			}
		}
		if depth != 0 || len(open) != 0 || rows < 4 {
			t.Errorf("%s: %d braces and %v left open, %d rows", name, depth, open, rows)
		}
	}
}

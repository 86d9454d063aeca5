package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// FaultsCSV writes what went wrong in long form: one line per attempt and finding, with all evidence.
type FaultsCSV struct{}

// File returns <experiment>.faults.csv.
func (FaultsCSV) File(experiment string) string { return experiment + ".faults.csv" }

var faultsHeader = []string{"run", "experiment", "cell", "label", "rep", "try", "verdict", "rank", "fault", "title", "certain",
	"follows", "node", "process", "cause", "cure", "evidence"}

// Write writes the header and the lines: by cell in table order, rep, try, and rank of the finding in its attempt, from 1.
// Pieces of evidence are separated by " | ".
func (FaultsCSV) Write(w io.Writer, t *Table) error {
	out := csv.NewWriter(w)
	out.Write(faultsHeader) // errors are kept until Error
	for _, n := range t.NotUsed {
		for i, f := range n.Attempt.Findings {
			evidence := make([]string, 0, len(f.Evidence))
			for _, e := range f.Evidence {
				evidence = append(evidence, Clean(e.String()))
			}
			out.Write([]string{csvText(t.Run), csvText(t.Experiment), csvText(n.Cell.Name), csvText(labelOf(n.Cell)), n.reps(),
				fmt.Sprint(n.Try), csvText(string(n.Attempt.Verdict)), fmt.Sprint(i + 1), csvText(f.Fault), csvText(f.Title),
				fmt.Sprint(f.Certain), csvText(f.Follows), csvText(f.Node), csvText(f.Process), csvText(f.Cause), csvText(f.Cure),
				csvText(strings.Join(evidence, " | "))})
		}
	}
	out.Flush()
	return out.Error()
}

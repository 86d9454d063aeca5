package render

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// Any text and any number in any place: no format panics, prints a control character or loses its shape.
func FuzzFormats(f *testing.F) {
	f.Add("step6", "TestStep6", "+a1", nasty, 13.64, 0.957)
	f.Add("", "", "", "", 0.0, -1e300)
	f.Fuzz(func(t *testing.T, name, test, label, text string, x, y float64) {
		exp := results.Experiment{Name: name, Test: test, Question: text, Order: text, Reps: 2, Baseline: label,
			Cells: []results.Cell{{Name: label, Label: text}, {Name: text, Label: label}},
			Attempts: []results.Attempt{
				attempt(label, 0, 1, results.Pass, "", x, y, x, y), attempt(text, 0, 1, results.Pass, "", y, x, y, x),
				attempt(label, 1, 1, results.Verdict(text), text), attempt(text, 1, 1, results.NotRun, label)}}
		exp.Attempts[0].Warnings = []string{text}
		exp.Attempts[2].Findings = []results.Finding{
			{Fault: label, Title: text, Node: test, Process: name, Cause: text, Cure: text, Follows: test,
				Evidence: []results.Evidence{{File: text, Line: len(text), Text: label}, {Text: text}}},
			{Fault: test, Follows: label, Certain: true, Cause: text}}
		run := &results.Run{ID: text, System: label, Cluster: text, Tag: label, Experiments: []results.Experiment{exp}}
		for _, format := range Formats {
			got := write(t, format, run)
			if i := strings.IndexFunc(string(got), func(r rune) bool { return r != '\n' && r < ' ' || 0x7f <= r && r < 0xa0 }); i >= 0 {
				t.Errorf("%T: control character at %d", format, i)
			}
			switch format.(type) {
			case CSV, MetricsCSV, AttemptsCSV, FaultsCSV:
				if _, err := csv.NewReader(bytes.NewReader(got)).ReadAll(); err != nil {
					t.Errorf("%T: %v", format, err)
				}
			}
		}
	})
}

// Any benchmark text becomes runs that every format can write.
func FuzzFromBench(f *testing.F) {
	f.Add("system: x\nBenchmarkStep6/cell=full_v27 1 14320 tried-txn/s 13700 commit-txn/s\n")
	f.Add("Benchmark%/cell=%FF%00-8 1 NaN commit-txn/s\nBenchmark/cell= 1 1 x\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := benchfmt.NewReader(strings.NewReader(text), "x")
		var list []*benchfmt.Result
		for r.Scan() {
			if res, ok := r.Result().(*benchfmt.Result); ok {
				list = append(list, res.Clone())
			}
		}
		for _, run := range FromBench(list) {
			for _, format := range Formats {
				write(t, format, run)
			}
		}
	})
}

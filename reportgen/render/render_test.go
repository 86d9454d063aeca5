package render

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

var update = flag.Bool("update", false, "write the goldens instead of comparing with them")

// attempt makes one attempt; values are tried KOPS, commit KOPS, commit rate, atomics per txn and CN balance, as many as
// there are.
func attempt(cell string, rep, try int, verdict results.Verdict, reason string, values ...float64) results.Attempt {
	dir := cell + "_rep" + string(rune('0'+rep))
	a := results.Attempt{Cell: cell, Rep: rep, Try: try, Position: -1, Dir: "step6/" + dir, Verdict: verdict, Reason: reason,
		Metrics: map[string]results.Metric{}}
	units := []string{"KOPS", "KOPS", "ratio", "atomics/txn", "ratio"}
	for i, v := range values {
		name := metricColumns[i].metric
		a.Metrics[name] = results.Metric{Name: name, Value: v, Unit: units[i],
			Origins: []results.Origin{{File: a.Dir + "/m_client.log", Line: 40 + i}}}
	}
	return a
}

// mixedRun has everything that can happen to a rep. All its values but the three known reps of full_v27 are made up.
func mixedRun() *results.Run {
	crash := func(rep string) []results.Finding {
		return []results.Finding{
			{Fault: "process-crashed", Title: "A process crashed", Node: "cn1", Process: "cn1", Certain: true, Cause: "the process crashed: segmentation fault",
				Cure: "look at the core dump", Evidence: []results.Evidence{{File: "step6/a2_rep" + rep + "/m_cn1.log", Line: 12, Text: "Segmentation fault"}, {File: "cn1", Text: "exit status 139"}}},
			{Fault: "lost-cn", Title: "A compute node went away", Node: "mn", Process: "client", Cause: "a compute node ended", Cure: "see how it ended",
				Evidence: []results.Evidence{{File: "step6/a2_rep" + rep + "/m_client.log", Line: 3, Text: "CN1 left"}}, Follows: "process-crashed"},
		}
	}
	run := &results.Run{ID: "demo", System: "minidm", Cluster: "local", Tag: "local", Experiments: []results.Experiment{{
		Name: "step6", Baseline: "baseline", Test: "TestStep6", Question: "RQ1: what does each lever add while the others stand still?",
		Reps: 3, Order: "interleaved", Seed: 42,
		Cells: []results.Cell{{Name: "baseline"}, {Name: "a1", Label: "+a1"}, {Name: "a2", Label: "+a2"}, {Name: "a3", Label: "+a3"}, {Name: "full_v27"}},
		Attempts: []results.Attempt{
			attempt("baseline", 0, 1, results.Pass, "", 4.4, 4.2, 0.9545, 22.5, 0.97),
			attempt("a1", 0, 1, results.Infra, "cn2: connection lost: read tcp 127.9.4.4:50312: connection reset by peer"),
			attempt("a1", 0, 2, results.Pass, "", 6.21, 6.02, 0.969, 20.25, 0.982),
			attempt("a2", 0, 1, results.Fail, "cn1: minidm: exit status 139: no summary in m_client.log"),
			attempt("full_v27", 0, 1, results.Pass, "", 14.32, 13.64, 0.957, 12.1, 0.991),
			attempt("baseline", 1, 1, results.Pass, "", 4.5, 4.3, 0.9556, 22.6, 0.98),
			attempt("a1", 1, 1, results.Invalid, "binaries differ: cn0 3f1a, cn1 77b0", 6.3, 6.1, 0.968, 20.1, 0.98),
			attempt("a2", 1, 1, results.Fail, "cn1: minidm: exit status 139: no summary in m_client.log"),
			attempt("full_v27", 1, 1, results.Pass, "", 14.35, 13.71, 0.955, 12.2, 0.989),
			attempt("baseline", 2, 1, results.Pass, "", 4.45, 4.25, 0.9551, 22.55),
			attempt("a2", 2, 1, results.Unfinished, ""),
			attempt("full_v27", 2, 1, results.Pass, "", 14.3, 13.58, 0.95),
			attempt("a1", 2, 1, results.NotRun, ""),
			attempt("a3", 0, 1, results.NotRun, ""), attempt("a3", 1, 1, results.NotRun, ""), attempt("a3", 2, 1, results.NotRun, ""),
		},
	}}}
	run.Experiments[0].Attempts[3].Findings = crash("0")
	run.Experiments[0].Attempts[7].Findings = crash("1")
	return run
}

// fullRun has enough reps for a 95 % interval and a proved difference.
func fullRun() *results.Run {
	exp := results.Experiment{Name: "a1b", Baseline: "fixed", Test: "TestTuner", Reps: 6, Order: "random", Seed: 7,
		Cells: []results.Cell{{Name: "fixed"}, {Name: "rule"}, {Name: "sgd"}}}
	for i := range 6 {
		x := float64(i)
		exp.Attempts = append(exp.Attempts,
			attempt("fixed", i, 1, results.Pass, "", 110+x, 100+x),
			attempt("rule", i, 1, results.Pass, "", 109+x, 100.5+x),
			attempt("sgd", i, 1, results.Pass, "", 1310+x, 1204.5+x))
	}
	return &results.Run{ID: "tuner", System: "CREST", Cluster: "five", Tag: "cloudlab", Experiments: []results.Experiment{exp}}
}

const nasty = "a|b `c` <img src=x> *d* _e_ \\ $x$ ~~f~~ [l](http://h) {g}^2 50% #1 & &lt; \"q\" -- \x1b[31mred\x1b[0m\x1b]0;title\x07\x00\u202etxt\r\nend \xff"

// hostileRun carries hostile text in every place that a log or a test can write to.
func hostileRun() *results.Run {
	exp := results.Experiment{Name: "../../etc/x y", Baseline: "full-27", Test: "Test/../..", Question: nasty, Reps: 1, Order: nasty,
		Cells: []results.Cell{{Name: "=cmd|' /C calc'!A0", Label: "=HYPERLINK(\"http://h\")"}, {Name: "full-27", Label: "[x] *y*"}, {Name: nasty, Label: nasty}}}
	for _, c := range exp.Cells {
		a := attempt(c.Name, 0, 2, results.Pass, "", 2, 1)
		a.Warnings = []string{nasty}
		b := attempt(c.Name, 0, 1, results.Infra, "@"+nasty+strings.Repeat("long ", 100))
		b.Findings = []results.Finding{{Fault: "=1+1", Title: "+" + nasty, Node: "@n", Process: "-p", Cause: "=c", Cure: "- 1. " + nasty, Follows: nasty,
			Evidence: []results.Evidence{{File: "=f", Line: 1, Text: nasty}, {Text: nasty}, {File: nasty, Line: -1}}},
			{Fault: nasty, Title: nasty, Node: nasty, Process: nasty, Cause: nasty + strings.Repeat(" - = 1. * > #", 20), Cure: nasty}}
		exp.Attempts = append(exp.Attempts, b, a)
	}
	return &results.Run{ID: nasty, System: nasty, Cluster: nasty, Experiments: []results.Experiment{exp}}
}

// emptyRun was planned for two of its cells and killed in the first rep.
func emptyRun() *results.Run {
	return &results.Run{ID: "killed", Experiments: []results.Experiment{{Name: "step6", Baseline: "baseline", Reps: 3, Order: "sequential",
		Cells:    []results.Cell{{Name: "baseline"}, {Name: "a1", Label: "+a1"}, {Name: "a2", Label: "+a2"}},
		Attempts: []results.Attempt{attempt("baseline", 0, 1, results.Unfinished, ""), attempt("baseline", 1, 1, results.NotRun, ""), attempt("a1", 0, 1, results.NotRun, ""), attempt("a1", 1, 1, results.NotRun, "")}}}}
}

// oldRun is a directory of the shell scripts: no plan, no names, one rep.
func oldRun() *results.Run {
	return &results.Run{ID: "aura_v27_step6_1", System: "CREST", Experiments: []results.Experiment{{Name: "step6",
		Cells:    []results.Cell{{Name: "full_v27"}},
		Attempts: []results.Attempt{attempt("full_v27", 0, 1, results.Pass, "", 14.32, 13.7, 0.957, 12.1)}}}}
}

func TestGoldens(t *testing.T) {
	for name, run := range map[string]*results.Run{"mixed": mixedRun(), "full": fullRun(), "hostile": hostileRun(), "empty": emptyRun(), "old": oldRun(),
		"scaleout": scaleRun(), "drift": driftRun(), "dispatch": dispatchRun(), "bad": badRun()} {
		for _, f := range Formats {
			file := filepath.Join("testdata", name+"."+strings.TrimPrefix(f.File("x"), "x."))
			golden(t, file, write(t, f, run))
		}
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func write(t *testing.T, f Format, run *results.Run) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, NewTable(run, &run.Experiments[0])); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSameInputSameBytes(t *testing.T) {
	for _, f := range Formats {
		first := write(t, f, hostileRun())
		for range 20 {
			if diff := cmp.Diff(string(first), string(write(t, f, hostileRun()))); diff != "" {
				t.Fatalf("%T: two writings differ (-first +next):\n%s", f, diff)
			}
		}
	}
}

// Whatever a log holds, a terminal that shows a table gets printable text.
func TestNoControlBytes(t *testing.T) {
	for _, f := range Formats {
		for i, c := range string(write(t, f, hostileRun())) {
			if c != '\n' && (c < ' ' || c == 0x7f || 0x80 <= c && c < 0xa0 || c == '\u202e') {
				t.Errorf("%T: %U at byte %d", f, c, i)
			}
		}
	}
}

func TestMarkdownRowsHaveTheirColumns(t *testing.T) {
	for _, run := range []*results.Run{mixedRun(), hostileRun(), emptyRun()} {
		lengths, bars := map[int]bool{}, map[int]bool{}
		for line := range strings.Lines(string(write(t, Markdown{}, run))) {
			if strings.HasPrefix(line, "#") {
				lengths, bars = map[int]bool{}, map[int]bool{}
			}
			if !strings.HasPrefix(line, "|") {
				continue
			}
			if displayWidth(lastCell(line)) <= maxPadded {
				lengths[displayWidth(strings.TrimSpace(line))] = true
			}
			bars[strings.Count(strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, ""), "|")] = true
			if len(bars) != 1 {
				t.Errorf("columns differ in number at %s", line)
			}
			if len(lengths) != 1 {
				t.Errorf("columns are not aligned at %s", line)
			}
		}
	}
}

// lastCell returns the text of the last cell of a row.
func lastCell(row string) string {
	row = strings.TrimSuffix(strings.TrimRight(row, " \n"), "|")
	return strings.TrimSpace(row[strings.LastIndex(row, " | ")+2:])
}

func TestCSVReadsBackAndHoldsNoFormula(t *testing.T) {
	for _, f := range []Format{CSV{}, MetricsCSV{}, AttemptsCSV{}, FaultsCSV{}} {
		rows, err := csv.NewReader(bytes.NewReader(write(t, f, hostileRun()))).ReadAll()
		if err != nil {
			t.Fatalf("%T: %v", f, err)
		}
		if len(rows) < 4 {
			t.Errorf("%T: %d lines, want one per cell and a header at least", f, len(rows))
		}
		for _, row := range rows {
			for _, field := range row {
				if field != "" && strings.ContainsRune("=@+-", rune(field[0])) {
					t.Errorf("%T: a spreadsheet would evaluate %q", f, field)
				}
			}
		}
	}
}

func TestWriteDir(t *testing.T) {
	run := hostileRun()
	dir := filepath.Join(t.TempDir(), "a", "b")
	tables := []*Table{NewTable(run, &run.Experiments[0]), NewTable(mixedRun(), &mixedRun().Experiments[0])}
	files, err := WriteDir(dir, tables)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, filepath.Base(f))
		if filepath.Dir(f) != dir {
			t.Errorf("%s is not in %s", f, dir)
		}
	}
	want := []string{"_.._etc_x_y.md", "_.._etc_x_y.csv", "_.._etc_x_y.metrics.csv", "_.._etc_x_y.attempts.csv", "_.._etc_x_y.faults.csv", "_.._etc_x_y.tex", "results.txt",
		"step6.md", "step6.csv", "step6.metrics.csv", "step6.attempts.csv", "step6.faults.csv", "step6.tex"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if _, err := WriteDir(dir, append(tables, tables[1])); err == nil || !strings.Contains(err.Error(), "step6") {
		t.Errorf("two experiments of one name: error %v, want one that names step6", err)
	}
}

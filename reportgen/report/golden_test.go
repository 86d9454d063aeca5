package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/report"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

var update = flag.Bool("update", false, "write the goldens instead of comparing with them")

// full is a run with something of every section.
const full = "testdata/full"

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// newReport makes a report; it needs figures only where they are looked at.
func newReport(t *testing.T, sources ...report.Source) *report.Report {
	t.Helper()
	r, err := report.New(sources)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func readDir(t *testing.T, dir string) *results.Run {
	t.Helper()
	run, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestMarkdown(t *testing.T) {
	for name, dir := range map[string]string{"demo": demo, "full": full} {
		var out strings.Builder
		if err := newReport(t, source(t, dir, "")).WriteMarkdown(&out); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".report.md", out.String())
	}
}

func TestExplainFormats(t *testing.T) {
	explain := func(name, dir, experiment, cell, metric string) {
		t.Helper()
		e, err := report.Explain(readDir(t, dir), experiment, cell, metric)
		if err != nil {
			t.Fatal(err)
		}
		var text, object strings.Builder
		if err := e.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		if err := e.WriteJSON(&object); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".explain.txt", text.String())
		golden(t, name+".explain.json", object.String())
	}
	explain("full_v27", demo, "step6", "full_v27", "commit_kops") // a second try, and reps that are not used
	explain("a1", full, "step6", "a1", "commit_kops")
}

// What there is no number of is said, with what there is.
func TestExplainOfNothing(t *testing.T) {
	run := readDir(t, demo)
	test := func(experiment, cell, metric, want string) {
		t.Helper()
		if _, err := report.Explain(run, experiment, cell, metric); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s/%s %s: %v, want %q in it", experiment, cell, metric, err, want)
		}
	}
	test("step7", "a1", "commit_kops", "demo: no experiment step7; there is step6")
	test("step6", "a9", "commit_kops", "demo: step6 has no cell a9; it has baseline, a1")
	test("step6", "a1", "colour", "step6/a1 has no colour; it has ")
}

// The same run makes the same bytes in every file, whatever was written before.
func TestFilesAreReproducible(t *testing.T) {
	write := func() map[string]string {
		r := newReport(t, source(t, full, "../full"), source(t, demo, "../demo"))
		dir := t.TempDir()
		names, err := r.WriteDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(data) == 0 {
				t.Errorf("%s is empty", name)
			}
			rel, err := filepath.Rel(dir, name)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.ToSlash(rel)] = string(data)
		}
		return files
	}
	first, second := write(), write()
	if len(first) != len(second) {
		t.Errorf("%d files, then %d", len(first), len(second))
	}
	for name, text := range first {
		if second[name] != text {
			t.Errorf("%s differs from one time to the next", name)
		}
	}
	for _, name := range []string{"report.html", "report.md", "macros.tex", "setup.md", "setup.tex", "limits.tex", "sanity.csv", "micro.AtomicMlx5_2.csv", "ssd.RemoteSSDRead.tex",
		"ssd.sweep.csv", "step6.md", "step6.csv", "step6_commit.pdf", "demo/step6.csv", "demo/step6_commit.svg"} {
		if first[name] == "" {
			t.Errorf("no %s", name)
		}
	}
}

// Of several runs, every section says which one it is from; of one run, none does.
func TestLabels(t *testing.T) {
	text := func(sources ...report.Source) string {
		var out strings.Builder
		if err := newReport(t, sources...).WriteMarkdown(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	fullRun, demoRun := report.Source{Run: readDir(t, full)}, report.Source{Run: readDir(t, demo)}
	if one := text(fullRun); strings.Contains(one, "*From ") {
		t.Errorf("one run is labelled:\n%s", one)
	}
	both := text(fullRun, demoRun)
	headings := strings.Count(both, "\n## ")
	if labels := strings.Count(both, "\n*From full: AURA on utah, 2026-01-31.*\n") + strings.Count(both, "\n*From demo: "); labels != headings-1 { // all but the list of runs
		t.Errorf("%d labels under %d headings:\n%s", labels, headings, both)
	}
	if n := strings.Count(both, "\n## §6.2 "); n != 2 {
		t.Errorf("step6 of two runs has %d sections", n)
	}
}

// A run that is known from its stream alone has the same numbers, and the origins without links and quotes.
func TestStreamOnly(t *testing.T) {
	f, err := os.Open("../testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	events, err := results.ReadEvents("demo.jsonl", f)
	if err != nil {
		t.Fatal(err)
	}
	run := events.Runs[0]
	if run.Dir != "" {
		t.Fatalf("the stream has the directory %q", run.Dir)
	}
	var out strings.Builder
	if err := newReport(t, report.Source{Run: run}).WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"13.67", "step6/full_v27_rep0/m_client.log:3"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(out.String(), `href="step6`) || strings.Contains(out.String(), "Commit Troughput") {
		t.Error("there are links or quotes, and no files")
	}
	e, err := report.Explain(run, "step6", "full_v27", "commit_kops")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range e.Reps {
		if len(r.Origins) == 0 || r.Origins[0].Text != "" {
			t.Errorf("rep %d: %+v", r.Rep, r.Origins)
		}
	}
}

package results

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// caseOf is an entry of testdata/cases/cases.json.
type caseOf[W any] struct {
	File, Kind, Feature string
	Want                W
}

// casesOf returns the cases of a kind.
func casesOf[W any](t *testing.T, kind string) []caseOf[W] {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testdata, "cases/cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []caseOf[json.RawMessage]
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	var cases []caseOf[W]
	for _, c := range all {
		if c.Kind != kind {
			continue
		}
		var want W
		if err := json.Unmarshal(c.Want, &want); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, caseOf[W]{c.File, c.Kind, c.Feature, want})
	}
	return cases
}

// TestEventCases checks every case of kind go_test_json: each key of its answer.
func TestEventCases(t *testing.T) {
	cases := casesOf[map[string]any](t, "go_test_json")
	if len(cases) != 5 {
		t.Errorf("%d cases, want 5", len(cases))
	}
	for _, c := range cases {
		t.Run(filepath.Base(c.File), func(t *testing.T) {
			f, err := os.Open(filepath.Join(testdata, "cases", c.File))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			e, err := ReadEvents(c.File, f)
			if err != nil {
				t.Fatal(err)
			}
			all, got := eventAnswer(e.Tests), map[string]any{}
			for k := range c.Want {
				v, known := all[k]
				if !known {
					t.Errorf("no answer for key %q", k)
				}
				got[k] = v
			}
			if diff := cmp.Diff(c.Want, got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", c.Feature, diff)
			}
		})
	}
}

func eventAnswer(s TestSummary) map[string]any {
	names := func(list []TestOutput) []any {
		var out []any
		for _, t := range list {
			out = append(out, t.Test)
		}
		return out
	}
	var cause any
	if s.Cause != "" {
		cause = s.Cause
	}
	var invalid []any
	for _, n := range s.InvalidLines {
		invalid = append(invalid, float64(n))
	}
	return map[string]any{
		"tests": float64(s.Tests), "pass": float64(s.Pass), "fail": float64(s.Fail), "skip": float64(s.Skip), "incomplete": float64(s.Incomplete),
		"package_verdict": s.PackageVerdict, "cause": cause, "run_ok": s.RunOK, "consistent": s.Consistent, "invalid_lines": invalid,
		"incomplete_tests": names(s.IncompleteTests), "failed_tests": names(s.Failed),
	}
}

// stream writes events as go test -json does.
type stream struct{ strings.Builder }

func (s *stream) add(action, test string, more ...any) {
	e := map[string]any{"Action": action, "Package": "example.com/e2e", "Time": "2026-01-01T00:00:00Z"}
	if test != "" {
		e["Test"] = test
	}
	for i := 0; i < len(more); i += 2 {
		e[more[i].(string)] = more[i+1]
	}
	line, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	s.Write(append(line, '\n'))
}

func (s *stream) attr(test, k, v string) { s.add("attr", test, "Key", "gotestbed."+k, "Value", v) }

func readEvents(t *testing.T, in string) *Events {
	t.Helper()
	e, err := ReadEvents("events.json", iotest.HalfReader(strings.NewReader(in)))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestStreamEqualsDirectory: attributes alone give the run that the directory gives.
func TestStreamEqualsDirectory(t *testing.T) {
	files := cutShort()
	files["step6/baseline_rep0/m_client.log"] = goodLog
	want := readDir(t, write(t, "r1", files))
	var s stream
	s.add("start", "")
	s.add("run", "TestStep6")
	s.attr("TestStep6", "run", "/somewhere/out/r1")
	var info struct{ Experiments []json.RawMessage }
	if err := json.Unmarshal([]byte(runJSON), &info); err != nil {
		t.Fatal(err)
	}
	s.attr("TestStep6", "plan", string(info.Experiments[0]))
	s.attr("TestStep6", "selected", "baseline/rep0 a1/rep0 baseline/rep1 a1/rep1")
	s.attr("TestStep6", "system", "minidm")
	s.attr("TestStep6", "cluster", "five")
	s.attr("TestStep6", "tag", "local")
	attempts := want.Experiments[0].Attempts
	for _, i := range []int{2, 3, 0, 1} { // the order in which they ran
		a := attempts[i]
		name := fmt.Sprintf("TestStep6/%s/rep%d", a.Cell, a.Rep)
		if a.Try > 1 {
			name += fmt.Sprintf("/try%d", a.Try)
		}
		s.add("run", name)
		s.add("artifacts", name, "Path", "/x")
		for _, kv := range [][2]string{{"run", "/somewhere/out/r1"}, {"dir", a.Dir}, {"experiment", "step6"}, {"cell", a.Cell}, {"label", a.Cell}, {"rep", fmt.Sprint(a.Rep)}, {"try", fmt.Sprint(a.Try)}} {
			s.attr(name, kv[0], kv[1])
		}
		if a.Verdict == Unfinished {
			break
		}
		s.attr(name, "verdict", string(a.Verdict))
		if a.Reason != "" {
			s.attr(name, "reason", a.Reason)
		}
		for _, m := range a.Metrics {
			s.attr(name, "metric."+m.Name, fmt.Sprintf("%v %s %s:%d", m.Value, m.Unit, m.Origins[0].File, m.Origins[0].Line))
		}
		s.add(map[Verdict]string{Pass: "pass", Infra: "skip"}[a.Verdict], name)
	}
	e := readEvents(t, s.String())
	if len(e.Runs) != 1 {
		t.Fatalf("%d runs", len(e.Runs))
	}
	ignore := cmp.Options{cmpopts.IgnoreFields(Run{}, "Dir", "Warnings"), cmpopts.IgnoreFields(Attempt{}, "Tail", "Exits", "Warnings"), cmpopts.EquateEmpty()}
	if diff := cmp.Diff(want, e.Runs[0], ignore); diff != "" {
		t.Errorf("(-directory +stream)\n%s", diff)
	}
	if s := e.Tests; s.Tests != 5 || s.Pass != 2 || s.Skip != 1 || s.Incomplete != 2 || s.RunOK {
		t.Errorf("tests %+v", s)
	}
}

// TestLongAttribute reads a plan that go test did not make an event of, because its line is longer than 4 KiB.
func TestLongAttribute(t *testing.T) {
	data, err := os.ReadFile("testdata/long-attribute.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	e := readEvents(t, string(data))
	if len(e.Runs) != 1 || len(e.Runs[0].Warnings) > 0 {
		t.Fatalf("runs %+v", e.Runs)
	}
	step6 := e.Runs[0].Experiments[0]
	if n := len(step6.Question); n != len("long é ")*1500 {
		t.Errorf("the question has %d bytes", n)
	}
	if diff := cmp.Diff([]Cell{{Name: "a1", Label: "+a1"}}, step6.Cells); diff != "" {
		t.Errorf("cells (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]line{{"a1", 0, 1, Pass, "", 13.64}}, short(step6)); diff != "" || !e.Tests.RunOK {
		t.Errorf("run ok %v, attempts (-want +got)\n%s", e.Tests.RunOK, diff)
	}
}

// TestSeveralRuns keeps the runs of a concatenated stream apart.
func TestSeveralRuns(t *testing.T) {
	var s stream
	for _, run := range []string{"/out/r1", "/out/r2"} {
		s.add("start", "")
		s.add("run", "TestDrift")
		s.attr("TestDrift", "plan", `{"name":"drift","test":"TestDrift","cells":[{"name":"no_drift","label":"none"}]}`)
		s.add("run", "TestDrift/no_drift/rep0")
		s.attr("TestDrift/no_drift/rep0", "run", run)
		s.attr("TestDrift/no_drift/rep0", "cell", "no_drift")
		s.attr("TestDrift/no_drift/rep0", "rep", "0")
		s.attr("TestDrift/no_drift/rep0", "verdict", "pass")
		s.attr("TestDrift/no_drift/rep0", "metric.commit_kops", "13.64 KOPS")
		s.add("pass", "TestDrift/no_drift/rep0")
		s.add("pass", "TestDrift")
		s.add("pass", "")
	}
	e := readEvents(t, s.String())
	var got []string
	for _, r := range e.Runs {
		got = append(got, fmt.Sprintf("%s %s %v", r.ID, r.Experiments[0].Cells[0].Label, short(r.Experiments[0])))
	}
	want := []string{"r1 none [{no_drift 0 1 pass  13.64}]", "r2 none [{no_drift 0 1 pass  13.64}]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !e.Tests.RunOK || e.Tests.Pass != 4 {
		t.Errorf("tests %+v", e.Tests)
	}
}

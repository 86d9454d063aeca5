package results

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The same run has the same findings, whether it is read from its directory or from its stream.
func TestFindingsOfDirectoryAndStream(t *testing.T) {
	dir := readDir(t, "../testdata/demo")
	f, err := os.Open("../testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	events, err := ReadEvents("demo.jsonl", f)
	if err != nil || len(events.Runs) != 1 {
		t.Fatalf("%d runs, error %v", len(events.Runs), err)
	}
	findings := func(r *Run) map[string][]Finding {
		m := map[string][]Finding{}
		for _, a := range r.Experiments[0].Attempts {
			if len(a.Findings) > 0 {
				m[a.Dir] = a.Findings
			}
		}
		return m
	}
	want := findings(dir)
	if diff := cmp.Diff(want, findings(events.Runs[0])); diff != "" {
		t.Errorf("(-directory +stream)\n%s", diff)
	}
	crash := want["step6/a2_rep0"]
	if len(want) != 4 || len(crash) != 2 {
		t.Fatalf("findings of %d attempts: %v", len(want), want)
	}
	wantFirst := Finding{Fault: "process-crashed", Title: "A process crashed", Node: "cn1", Process: "cn1",
		Cause: "the process crashed: segmentation fault",
		Cure:  "run it again with ulimit -c unlimited and look at the core dump in a debugger",
		Evidence: []Evidence{{File: "step6/a2_rep0/m_cn1.log", Line: 2, Text: "Segmentation fault"},
			{File: "cn1", Text: "exit status 139"}},
		Certain: true}
	if diff := cmp.Diff(wantFirst, crash[0]); diff != "" {
		t.Errorf("first (-want +got)\n%s", diff)
	}
	if crash[1].Follows != "process-crashed" || crash[1].Process != "client" {
		t.Errorf("second: %+v", crash[1])
	}
}

func TestTakeFindings(t *testing.T) {
	const good = `{"fault":"memlock","certain":true}`
	test := func(name string, verdict Verdict, in []string, faults, warnings string) {
		t.Helper()
		a := Attempt{Verdict: verdict}
		var list []json.RawMessage
		for _, text := range in {
			list = append(list, json.RawMessage(text))
		}
		a.takeFindings(list, "x")
		var got []string
		for _, f := range a.Findings {
			got = append(got, f.Fault)
		}
		if text := strings.Join(got, " "); text != faults {
			t.Errorf("%s: faults %q, want %q", name, text, faults)
		}
		if text := strings.Join(a.Warnings, "\n"); !strings.Contains(text, warnings) || warnings == "" && text != "" {
			t.Errorf("%s: warnings %q, want %q", name, text, warnings)
		}
	}
	test("none", Fail, nil, "", "")
	test("failed", Fail, []string{good, `{"fault":"bad-gid","follows":"memlock"}`}, "memlock bad-gid", "")
	test("infra", Infra, []string{good}, "memlock", "")
	test("invalid", Invalid, []string{good}, "memlock", "")
	test("passed", Pass, []string{good}, "", "")
	test("unfinished", Unfinished, []string{good}, "", "")
	test("no fault", Fail, []string{`{"cause":"x"}`, good}, "memlock", "x: finding 1: it names no fault")
	test("null", Fail, []string{"null"}, "", "it names no fault")
	test("other type", Fail, []string{good, `{"fault":7}`}, "memlock", "x: finding 2: json: cannot unmarshal number")
	test("no JSON", Fail, []string{"{"}, "", "unexpected end")
	test("too many", Fail, strings.Fields(strings.Repeat(good+" ", maxFindings+3)),
		strings.TrimSpace(strings.Repeat("memlock ", maxFindings)), "x: 3 more findings were dropped")
}

func TestEvidenceIsBounded(t *testing.T) {
	data, err := json.Marshal(Finding{Fault: "f", Evidence: make([]Evidence, 10*maxEvidence)})
	if err != nil {
		t.Fatal(err)
	}
	a := Attempt{Verdict: Fail}
	a.takeFindings([]json.RawMessage{data}, "x")
	if n := len(a.Findings[0].Evidence); n != maxEvidence {
		t.Errorf("%d pieces of evidence, want %d", n, maxEvidence)
	}
}

// A cell.json whose findings are odd is still read for the rest.
func TestReadDirOddFindings(t *testing.T) {
	files := cutShort()
	files["step6/a1_rep0/cell.json"] = `{"verdict":"infra","exits":{"mn":"signal KILL"},"findings":["x",{"fault":"link-down","evidence":null}]}`
	a := readDir(t, write(t, "r1", files)).Experiments[0].Attempts[2]
	if len(a.Findings) != 1 || a.Findings[0].Fault != "link-down" || a.Exits["mn"] != "signal KILL" {
		t.Errorf("%+v", a)
	}
	if got := strings.Join(a.Warnings, "\n"); !strings.Contains(got, "step6/a1_rep0/cell.json: finding 1: json: cannot unmarshal string") {
		t.Errorf("warnings %q", got)
	}
}

func TestEvidenceString(t *testing.T) {
	test := func(e Evidence, want string) {
		t.Helper()
		if got := e.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	test(Evidence{"m_mn.log", 12, "Aborted"}, "m_mn.log:12: Aborted")
	test(Evidence{"mn: ss -tlnp", 0, "127.0.0.1:11211"}, "mn: ss -tlnp: 127.0.0.1:11211")
	test(Evidence{"", 3, "Aborted"}, "Aborted")
}

func TestBaseline(t *testing.T) {
	test := func(name, want string, run *Run) {
		t.Helper()
		if got := run.Experiments[0].Baseline; got != want {
			t.Errorf("%s: baseline %q, want %q", name, got, want)
		}
	}
	scripts := func(cells ...string) *Run {
		files := map[string]string{}
		for _, c := range cells {
			files[c+"_rep0/m_client.log"] = goodLog
		}
		return readDir(t, write(t, "aura_v27_x_20260101_000000", files))
	}
	test("the plan's first cell", "baseline", readDir(t, write(t, "r1", cutShort())))
	other := cutShort()
	other[runFile] = strings.ReplaceAll(runJSON, `"name": "baseline"`, `"name": "control"`)
	test("a plan, its first cell without an attempt", "control", readDir(t, write(t, "r1", other)))
	lost := cutShort()
	delete(lost, runFile)
	test("the plan is lost", "baseline", readDir(t, write(t, "r1", lost)))
	test("scripts", "baseline", scripts("full_v27", "baseline", "+a1"))
	test("scripts, tuner", "fixed", scripts("rule", "fixed"))
	test("scripts, drift", "no_drift", scripts("drift_5sec", "no_drift"))
	test("scripts without it", "", scripts("full_v27", "+a1"))
	var s stream
	s.add("run", "TestX")
	s.attr("TestX", "plan", `{"name":"x","cells":[{"name":"first"},{"name":"baseline"}]}`)
	s.add("pass", "TestX")
	test("stream", "first", readEvents(t, s.String()).Runs[0])
}

package claims

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const head = "claims:\n- {claim: c, experiment: step6, metric: m, "

func parse(text string) (*File, error) { return Parse("c.yaml", strings.NewReader(text)) }

func TestParse(t *testing.T) {
	f, err := parse(`system: minidm
recorded: {hardware: c6525-25g, nic: ConnectX-6 Dx}
claims:
  - claim: >
      Two lines
      of text.
    paper: §6.2
    experiment: step6
    metric: commit_kops
    ratio: {cell: full_v27, to: baseline, at_least: 1.5, at_most: 2e0}
    tolerance: 5 %
    level: 0.9
  - {claim: o, experiment: step6, metric: atomic_per_txn, order: "b > a  > c"}
  - {claim: v, experiment: drift, metric: commit_kops, value: {cell: no_drift, is: 13.64}, tolerance: 0.1}
`)
	if err != nil {
		t.Fatal(err)
	}
	num := func(v float64) *float64 { return &v }
	want := &File{Name: "c.yaml", System: "minidm", Recorded: map[string]string{"hardware": "c6525-25g", "nic": "ConnectX-6 Dx"}, Claims: []Claim{
		{Line: 4, Text: "Two lines of text.", Paper: "§6.2", Experiment: "step6", Metric: "commit_kops", Cell: "full_v27", To: "baseline",
			AtLeast: num(1.5), AtMost: num(2), Tolerance: Tolerance{0.05, true}, Level: 0.9},
		{Line: 13, Text: "o", Experiment: "step6", Metric: "atomic_per_txn", Order: []string{"c", "a", "b"}, Level: DefaultLevel},
		{Line: 14, Text: "v", Experiment: "drift", Metric: "commit_kops", Cell: "no_drift", Is: num(13.64), Tolerance: Tolerance{Amount: 0.1}, Level: DefaultLevel},
	}}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var statements []string
	for _, c := range f.Claims {
		statements = append(statements, c.Statement())
	}
	if diff := cmp.Diff([]string{"commit_kops: full_v27 ÷ baseline ≥ 1.5 ≤ 2 ± 5 % at 90 %", "atomic_per_txn: c < a < b", "commit_kops: no_drift = 13.64 ± 0.1"}, statements); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestErrorsHaveTheirLine(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		f, err := parse(text)
		var syntax *SyntaxError
		switch {
		case !errors.As(err, &syntax) || f != nil:
			t.Errorf("%q: file %v, error %v; want a SyntaxError and no file", text, f, err)
		case !strings.HasPrefix(err.Error(), want):
			t.Errorf("%q: error %q, want %q", text, err, want)
		}
	}
	check("", "c.yaml: empty")
	check("# nothing\n", "c.yaml: empty")
	check("- a\n", "c.yaml:1: the file: not a mapping")
	check("system: x\n", "c.yaml:1: claims: a list of claims is missing")
	check("claims: []\n", "c.yaml:1: claims: a list")
	check("claims:\n- x: [\n", "c.yaml:")
	check("sytem: x\nclaims: []\n", `c.yaml:1: the file: unknown key "sytem"; it may have system, recorded, claims`)
	check("system: a\nsystem: b\n", "c.yaml:2: the file: system stands there twice")
	check("recorded: {colour: red}\nclaims: []\n", `c.yaml:1: recorded: unknown key "colour"`)
	check("claims:\n- claim: a\n  metrik: b\n", `c.yaml:3: a claim: unknown key "metrik"`)
	check("claims:\n- claim: a\n", "c.yaml:2: the claim has no experiment")
	check("claims:\n- {claim: a, experiment: e, metric: ''}\n", "c.yaml:2: metric: empty")
	check("claims:\n- {claim: [a], experiment: e, metric: m}\n", "c.yaml:2: claim: not a text")
	check("claims:\n- &x {claim: a}\n- *x\n", "c.yaml:2: the claim has no experiment")
	check("claims:\n- {claim: &x a, experiment: *x, metric: m}\n", "c.yaml:2: experiment: not a text")
	check(head+"}\n", "c.yaml:2: the claim needs one of ratio, order and value; it has 0")
	check(head+"order: a < b, value: {cell: a, at_least: 1}}\n", "c.yaml:2: the claim needs one of ratio, order and value; it has 2")
	for _, order := range []string{"a", "a <", "a < b > c", "a << b", "a < a", "<"} {
		check(head+"order: '"+order+"'}\n", "c.yaml:2: order: ")
	}
	check(head+"order: a < b, tolerance: 3}\n", "c.yaml:2: order: its tolerance is a percentage")
	check(head+"ratio: {cell: a, at_least: 1}}\n", "c.yaml:2: ratio: no cell that it is to")
	check(head+"ratio: {to: a, at_least: 1}}\n", "c.yaml:2: ratio: no cell")
	check(head+"ratio: {cell: a, to: a, at_least: 1}}\n", "c.yaml:2: ratio: of a to itself")
	check(head+"ratio: {cell: a, to: b}}\n", "c.yaml:2: ratio: needs is, at_least or at_most")
	check(head+"value: {cell: a, to: b, is: 1}}\n", `c.yaml:2: value: unknown key "to"`)
	check(head+"value: {cell: a, is: 1}}\n", "c.yaml:2: value: is needs a tolerance")
	check(head+"value: {cell: a, is: 1, at_most: 2}, tolerance: 1}\n", "c.yaml:2: value: is, and bounds besides")
	check(head+"value: {cell: a, at_least: 3, at_most: 2}}\n", "c.yaml:2: value: at_least is more than at_most")
	for _, bad := range []string{"x", "nan", ".inf", "1e999", "5 %", "[1]"} {
		check(head+"value: {cell: a, at_least: "+bad+"}}\n", "c.yaml:2: at_least: ")
	}
	for _, bad := range []string{"-1", "100 %", "x %", "NaN"} {
		check(head+"order: a < b, tolerance: "+bad+"}\n", "c.yaml:2: tolerance: ")
	}
	for _, bad := range []string{"0", "1", "100 %", "-5 %", "x"} {
		check(head+"order: a < b, level: "+bad+"}\n", "c.yaml:2: level: ")
	}
	check(head+"order: a < b}\n---\na: b\n", "c.yaml:3: a second document")
	check("system: "+strings.Repeat("x", maxFile), "c.yaml: longer than")
	check("claims:\n"+strings.Repeat("- {claim: a}\n", maxClaims+1), "c.yaml:2: more than 1000 claims")
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"minidm.yaml", "aura.yaml"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add(head + "value: {cell: a, at_least: 1e-300, at_most: 2}, tolerance: 99 %, level: 1e-9}\n")
	f.Add("a: &a [*a]\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parse(text)
		if err != nil {
			if file != nil {
				t.Fatal("an error, and a file")
			}
			return
		}
		for _, c := range file.Claims {
			if lo, hi := c.bounds(); !(lo <= hi) || c.Level <= 0 || c.Level >= 1 || c.Text == "" || c.Line < 1 {
				t.Fatalf("%+v", c)
			}
			if (c.Order == nil) == (c.Cell == "") || c.Statement() == "" {
				t.Fatalf("%+v says two things or none", c)
			}
		}
	})
}

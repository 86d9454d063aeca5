package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/render"
)

func TestMacroName(t *testing.T) {
	test := func(want string, parts ...string) {
		t.Helper()
		if got := macroName(parts...); got != want {
			t.Errorf("%q: %s, want %s", parts, got, want)
		}
	}
	test("stepSixFullVTwoSevenCommitKops", "step6", "full_v27", "commit_kops")
	test("stepSixFullVTwoSevenCommitKopsLo", "step6", "full_v27", "commit_kops", "lo")
	test("driftDriftFiveSecN", "drift", "drift_5sec", "n")
	test("microReadBWPairMnCnZeroSizeSixFourBS", "micro", "ReadBW", "pair=mn-cn0 size=64", "B/s")
	test("zeroA", "0a")
	test("x", "é", "x")
	test("number")
	test("number", "—", "")
}

func TestSuffixesNeverRepeat(t *testing.T) {
	seen := map[string]int{}
	for i := 1; i < 1000; i++ {
		if j, ok := seen[suffix(i)]; ok {
			t.Fatalf("%d and %d: %s", i, j, suffix(i))
		}
		seen[suffix(i)] = i
	}
	if suffix(1) != "B" || suffix(25) != "Z" || suffix(26) != "ZB" {
		t.Errorf("%s %s %s", suffix(1), suffix(25), suffix(26))
	}
}

// Whatever cells are called, every number has a macro of its own, with a name that LaTeX takes.
func FuzzMacroNames(f *testing.F) {
	f.Add("step6", "a_1", "a1")
	f.Add("", "é", "\\")
	valid := regexp.MustCompile(`^[a-zA-Z]+$`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		n := namer{}
		taken := map[string]bool{}
		for _, parts := range [][]string{{a, b, c}, {a, b, c}, {a, c, b}, {a + b, c}, {b}, {c}, {macroName(a, b, c) + "B"}} {
			name := n.name(parts...)
			if !valid.MatchString(name) || taken[name] {
				t.Fatalf("%q: %q, taken %v", parts, name, taken)
			}
			taken[name] = true
		}
	})
}

func TestMacros(t *testing.T) {
	r, err := New([]Source{{Run: readRun(t, "testdata/full")}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.WriteMacros(&b); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"stepSixBaselineCommitKops": "4.600", "stepSixBaselineCommitKopsLo": "4.500", "stepSixBaselineCommitKopsHi": "4.700", "stepSixBaselineCommitKopsLevel": `75\,\%`,
		"stepSixBaselineN": "3", "stepSixAOneTriedKops": "7.100", "ssdPinnedFourKiBBandwidth": "510.0",
		"microAtomicMlxFiveTwoOpFetchAddPairMnCnZeroOpsS": "5.100", "microAtomicMlxFiveTwoOpFetchAddPairMnCnZeroOpsSUnit": "Mops/s",
	} {
		if line := fmt.Sprintf("\\newcommand{\\%s}{%s}%%", name, want); !strings.Contains(b.String(), line) {
			t.Errorf("no %s in\n%s", line, b.String())
		}
	}
}

// Every macro says what its table prints, no name is given twice, and short names stand for long ones.
func TestMacrosSayWhatTablesSay(t *testing.T) {
	for _, dir := range []string{"testdata/full", "../testdata/demo"} {
		r, err := New([]Source{{Run: readRun(t, dir)}})
		if err != nil {
			t.Fatal(err)
		}
		macros := definitions(t, r)
		n := 0
		for _, s := range r.Sections {
			for _, b := range s.Blocks {
				if b.Table == nil {
					continue
				}
				for i, row := range b.Table.Rows {
					for _, c := range row {
						if len(c.Macros) == 0 {
							continue
						}
						m := c.Macros[0]
						name := macroName(s.ID, b.Table.Keys[i], m.Of, m.Part)
						if got := macros[name]; got != render.EscapeLaTeX(m.Text) || !strings.HasPrefix(c.Text, m.Text) {
							t.Errorf("%s: \\%s is %q, the table has %q", dir, name, got, c.Text)
						}
						n++
					}
				}
			}
		}
		if n < 10 {
			t.Errorf("%s: %d macros were looked at", dir, n)
		}
	}
}

func TestShortMacros(t *testing.T) {
	r, err := New([]Source{{Run: readRun(t, "../testdata/demo")}})
	if err != nil {
		t.Fatal(err)
	}
	macros := definitions(t, r)
	if got := macros["fullKops"]; got != `\stepSixFullVTwoSevenCommitKops` || macros["stepSixFullVTwoSevenCommitKops"] != "13.68" {
		t.Errorf("fullKops is %q, which is %q", got, macros["stepSixFullVTwoSevenCommitKops"])
	}
}

// Cells whose names make the same macro get macros of their own; the first one keeps the short name.
func TestMacrosOfLikeNames(t *testing.T) {
	row := func(text string) []Cell {
		return []Cell{{Text: text, Macros: []Macro{{Of: "commit_kops", Text: text}}}}
	}
	r := &Report{Sections: []Section{{ID: "step6", Title: "t", Blocks: []Block{{Table: &Table{
		Keys: []string{"a_1", "a1", "full_v26", "full_v27"}, Rows: [][]Cell{row("1"), row("2"), row("3"), row("4")}}}}}}}
	want := map[string]string{
		"stepSixAOneCommitKops": "1", "aOneKops": `\stepSixAOneCommitKops`, "stepSixAOneCommitKopsB": "2",
		"stepSixFullVTwoSixCommitKops": "3", "fullKops": `\stepSixFullVTwoSixCommitKops`, "stepSixFullVTwoSevenCommitKops": "4",
	}
	if diff := cmp.Diff(want, definitions(t, r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

var definition = regexp.MustCompile(`(?m)^\\newcommand\{\\([A-Za-z]+)\}\{(.*?)\}(%.*)?$`)

// definitions reads the macros of a report back.
func definitions(t *testing.T, r *Report) map[string]string {
	t.Helper()
	var b strings.Builder
	if err := r.WriteMacros(&b); err != nil {
		t.Fatal(err)
	}
	macros := map[string]string{}
	for _, m := range definition.FindAllStringSubmatch(b.String(), -1) {
		if _, ok := macros[m[1]]; ok {
			t.Errorf("\\%s is defined twice", m[1])
		}
		macros[m[1]] = m[2]
	}
	if n := strings.Count(b.String(), `\newcommand`); n != len(macros) {
		t.Errorf("%d definitions, %d could be read", n, len(macros))
	}
	return macros
}

package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
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

package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

func TestReadQuotes(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "run")
	long, tooLong := strings.Repeat("x", 50_000), strings.Repeat("y", 4<<20)
	for name, text := range map[string]string{
		"run/m.log":  "one\r\n\x1b[32mtwo\x1b[0m\n" + long + "\nfour\n" + tooLong + "\nlast without an end",
		"secret.log": "secret\n",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	at := func(file string, line int) results.Origin { return results.Origin{File: file, Line: line} }
	got, err := ReadQuotes(dir, []results.Origin{
		at("m.log", 6), at("m.log", 5), at("m.log", 2), at("m.log", 2), at("m.log", 3), at("m.log", 4), at("m.log", 1), // in any order, twice
		at("m.log", 7), at("m.log", 1<<40), at("m.log", 0), at("m.log", -1), // no such lines
		at("missing.log", 1), at("missing/x.log", 1), // no such files
		at("../secret.log", 1), at(filepath.Join(root, "secret.log"), 1), at("a/../../secret.log", 1), at("", 1), // not of the run
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Quotes{
		at("m.log", 1): "one", at("m.log", 2): "two", at("m.log", 3): long[:quoteChars-1] + "…",
		at("m.log", 4): "four", at("m.log", 6): "last without an end",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := ReadQuotes("", []results.Origin{at("m.log", 1)}); err != nil || len(got) != 0 {
		t.Errorf("without a directory: %v, %v", got, err)
	}
}

// Links stay inside the run's directory, whatever a file is called.
func TestLineLinks(t *testing.T) {
	test := func(base, file, want string) {
		t.Helper()
		if got := (Quotes{}).line(results.Origin{File: file, Line: 1}, base).Href; got != want {
			t.Errorf("%q, %q: %q, want %q", base, file, got, want)
		}
	}
	test("", "m.log", "")
	test("../run", "step6/m.log", "../run/step6/m.log")
	test(".", "javascript:alert(1)", "./javascript:alert%281%29")
	test("../run", "a b#c?d.log", "../run/a%20b%23c%3Fd.log")
	test("../run", "../secret.log", "")
	test("../run", "/etc/passwd", "")
	line := Quotes{{File: "m.log", Line: 1}: "a&b -> c-d, e"}.line(results.Origin{File: "m.log", Line: 1}, "r")
	if want := "r/m.log#:~:text=a%26b%20%2D%3E%20c%2Dd%2C%20e"; line.Href != want {
		t.Errorf("with a quote: %q", line.Href)
	}
}

package verbs

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

const (
	casesDir = "../testdata/cases"
	toolsDir = "../testdata/tools"
)

// A toolCase is one entry of testdata/cases/cases.json.
type toolCase struct {
	File, Kind, Command, Feature string
	Given                        map[string]any
	Want                         map[string]any
}

// input returns the bytes of the case.
func (c toolCase) input(tb testing.TB) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(casesDir, c.File))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// loadCases returns the cases of a kind; that there are none is a failure.
func loadCases(tb testing.TB, kind string) []toolCase {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(casesDir, "cases.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var all, cases []toolCase
	if err := json.Unmarshal(data, &all); err != nil {
		tb.Fatal(err)
	}
	for _, c := range all {
		if c.Kind == kind {
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		tb.Fatalf("no case of kind %s in %s", kind, casesDir)
	}
	return cases
}

// object is a JSON object with the keys of cases.json.
type object = map[string]any

// sets are the keys whose lists have no order.
var sets = []string{"usable", "events", "flags", "warnings", "down"}

// runCases compares what answer makes of each case with the right answer: every key that the
// right answer has must be in ours with that value.
func runCases(t *testing.T, kind string, answer func(t *testing.T, c toolCase, in io.Reader) object) {
	t.Helper()
	for _, c := range loadCases(t, kind) {
		t.Run(filepath.Base(c.File), func(t *testing.T) {
			ours, err := json.Marshal(answer(t, c, bytes.NewReader(c.input(t))))
			if err != nil {
				t.Fatal(err)
			}
			var got any
			if err := json.Unmarshal(ours, &got); err != nil {
				t.Fatal(err)
			}
			want := any(c.Want)
			sortSets(want)
			sortSets(got)
			if diff := cmp.Diff(want, prune(got, want)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.Feature, diff)
			}
		})
	}
}

// prune removes from got the keys that want does not have.
func prune(got, want any) any {
	switch w := want.(type) {
	case object:
		g, ok := got.(object)
		if !ok {
			return got
		}
		out := object{}
		for k, v := range w {
			if ours, ok := g[k]; ok {
				out[k] = prune(ours, v)
			}
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return got
		}
		out := make([]any, len(g))
		for i := range g {
			out[i] = prune(g[i], w[i])
		}
		return out
	}
	return got
}

func sortSets(v any) {
	o, ok := v.(object)
	if !ok {
		return
	}
	for k, v := range o {
		if list, ok := v.([]any); ok && slices.Contains(sets, k) {
			sort.Slice(list, func(i, j int) bool { return text(list[i]) < text(list[j]) })
		}
	}
}

func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// list makes a JSON list, [] instead of null when it is empty.
func list[T any](in []T, f func(T) any) []any {
	out := make([]any, 0, len(in))
	for _, v := range in {
		out = append(out, f(v))
	}
	return out
}

// orNull gives null for an empty string.
func orNull[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// golden compares the parsed value, as JSON, with a file beside the input.
func golden(t *testing.T, input string, got any) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(got); err != nil {
		t.Fatal(err)
	}
	file := strings.TrimSuffix(input, filepath.Ext(input)) + ".golden"
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test ./verbs -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// goldens parses every real output of a tool. An error is part of the golden.
func goldens[T any](t *testing.T, pattern string, parse func(io.Reader) (T, error)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(toolsDir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no file matches %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			in, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			v, err := parse(in)
			if err != nil {
				golden(t, file, object{"error": err.Error()})
				return
			}
			golden(t, file, v)
		})
	}
}

// fuzzParser looks for panics, for values beside an error and for values that JSON cannot hold
// (NaN and infinity among them).
func fuzzParser[T any](f *testing.F, kind string, parse func(io.Reader) (T, error)) {
	f.Helper()
	for _, c := range loadCases(f, kind) {
		f.Add(c.input(f))
	}
	f.Add([]byte(nil))
	f.Add([]byte("\x00\xff\x1b[31m\r\n\xef\xbb\xbf"))
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := parse(bytes.NewReader(in))
		if rv := reflect.ValueOf(&v).Elem(); err != nil && !rv.IsZero() {
			t.Errorf("a value beside the error %v: %+v", err, v)
		}
		if _, err := json.Marshal(v); err != nil {
			t.Error(err)
		}
	})
}

func parseAddr(t *testing.T, s string) netip.Addr {
	t.Helper()
	a, err := netip.ParseAddr(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

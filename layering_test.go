package gotestbed

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/gotestbed/gotestbed"

// mayImport says, for each room, which other rooms it may know. Rooms import only downwards:
//
//	               e2e
//	             /     \
//	      fixtures     reportgen
//	       /    \
//	clusterenv   verbs
var mayImport = map[string][]string{
	"e2e":        {"fixtures", "reportgen", "clusterenv", "verbs"},
	"fixtures":   {"clusterenv", "verbs"},
	"reportgen":  {},
	"clusterenv": {},
	"verbs":      {},
}

// forbidden are standard packages that may not be used outside of tests: in a room, with all below it, or, where the name
// ends in a dot, in that one package. verbs is pure; verbs/rc and its programs touch hardware.
var forbidden = map[string][]string{
	"reportgen": {"testing", "os/exec", "net"},
	"verbs":     {"testing", "os/exec"},
	"verbs/.":   {"net", "os", "time"},
}

// TestRoomsImportOnlyDownwards parses every Go file of the module, whatever its build tags, and compares its imports with
// the table above.
func TestRoomsImportOnlyDownwards(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || entry.Name() == "out") {
			return filepath.SkipDir
		}
		if entry.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		files++
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, problem := range violations(filepath.ToSlash(path), source) {
			t.Error(problem)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Fatalf("only %d Go files found: the walk is broken", files)
	}
}

// violations are the imports of a file that its room may not have.
func violations(path string, source []byte) []string {
	room, _, inRoom := strings.Cut(path, "/")
	if !inRoom {
		return nil // the root package has tests only
	}
	allowed, known := mayImport[room]
	if !known {
		return []string{path + ": " + room + " is not a room"}
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ImportsOnly)
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	for _, spec := range f.Imports {
		name := strings.Trim(spec.Path.Value, "`\"")
		inside, ok := strings.CutPrefix(name, module+"/")
		other, _, _ := strings.Cut(inside, "/")
		switch {
		case ok && other != room && !slices.Contains(allowed, other):
			found = append(found, fmt.Sprintf("%s imports %s: %s may not know %s", path, name, room, other))
		case banned(path, room, name):
			found = append(found, fmt.Sprintf("%s imports %s: not in %s", path, name, room))
		}
	}
	return found
}

// banned reports whether a file may not use a standard package.
func banned(path, room, name string) bool {
	if strings.HasSuffix(path, "_test.go") {
		return false
	}
	return slices.Contains(forbidden[room], name) || slices.Contains(forbidden[filepath.ToSlash(filepath.Dir(path))+"/."], name)
}

func TestViolationsAreFound(t *testing.T) {
	check := func(path, imports string, want int) {
		t.Helper()
		if got := violations(path, []byte("package p\nimport "+imports)); len(got) != want {
			t.Errorf("%s importing %s: %d violations %v, want %d", path, imports, len(got), got, want)
		}
	}
	check("verbs/x.go", `"io"`, 0)
	check("verbs/x.go", `"os"`, 1)
	check("verbs/x_test.go", `"os"`, 0)
	check("verbs/rc/x.go", `"os"`, 0)
	check("verbs/rc/x.go", `"os/exec"`, 1)
	check("verbs/x.go", `"`+module+`/clusterenv"`, 1)
	check("clusterenv/x.go", `"`+module+`/clusterenv/sshtest"`, 0)
	check("fixtures/minidm/x.go", `("`+module+`/clusterenv"; "`+module+`/reportgen/results")`, 1)
	check("reportgen/stats/x.go", `("testing"; "`+module+`/fixtures")`, 2)
	check("e2e/x_test.go", `("`+module+`/fixtures"; "`+module+`/reportgen/crestlog")`, 0)
	check("helpers/x.go", `"io"`, 1)
}

// TestExperimentsAreTestsOnly keeps production code out of e2e: if a test needs some, a fixture or a parser is missing.
func TestExperimentsAreTestsOnly(t *testing.T) {
	files, err := filepath.Glob("e2e/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if filepath.Base(path) != "doc.go" && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s: e2e holds _test.go files and doc.go only", path)
		}
	}
}

package gotestbed

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
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

// forbidden are standard packages that a room may not use outside its tests.
var forbidden = map[string][]string{
	"reportgen": {"testing", "os/exec", "net"},
	"verbs":     {"testing", "os/exec", "net", "os", "time"},
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
		checkImports(t, filepath.ToSlash(path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Fatalf("only %d Go files found: the walk is broken", files)
	}
}

func checkImports(t *testing.T, path string) {
	t.Helper()
	room, rest, inRoom := strings.Cut(path, "/")
	if !inRoom {
		return // the root package has tests only
	}
	allowed, known := mayImport[room]
	if !known {
		t.Errorf("%s: %s is not a room (%s)", path, room, rest)
		return
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	for _, spec := range f.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if inside, ok := strings.CutPrefix(name, module+"/"); ok {
			other, _, _ := strings.Cut(inside, "/")
			if other != room && !slices.Contains(allowed, other) {
				t.Errorf("%s imports %s: %s may not know %s", path, name, room, other)
			}
		} else if slices.Contains(forbidden[room], name) && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s imports %s: not in %s", path, name, room)
		}
	}
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

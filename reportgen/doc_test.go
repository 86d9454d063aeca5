package main

import (
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// example matches a command of the package comment and the indented lines below it.
var example = regexp.MustCompile(`(?m)^\t\$ reportgen (.+)\n((?:(?:\t.*)?\n)+)`)

// The examples of the package comment print what the comment says.
func TestDoc(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	examples := example.FindAllStringSubmatch(f.Doc.Text(), -1)
	if len(examples) == 0 {
		t.Fatal("no example in the package comment")
	}
	t.Chdir("..") // the comment speaks from the root of the repository
	for _, m := range examples {
		stdout, _, status := runMain("", strings.Fields(m[1])...)
		if status != statusOK {
			t.Errorf("reportgen %s: status %d", m[1], status)
		}
		want := strings.TrimSpace(strings.ReplaceAll("\n"+m[2], "\n\t", "\n"))
		if diff := cmp.Diff(want, strings.TrimSpace(stdout)); diff != "" {
			t.Errorf("reportgen %s (-comment +output):\n%s", m[1], diff)
		}
	}
}

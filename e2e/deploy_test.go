package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/fixtures"
)

// TestDeploy asks: does a source tree arrive whole on every node, and does only what has changed travel?
//
//	driver ── files that differ, compressed ──▶ every node: a new tree beside the old one, verified, then a link changes
func TestDeploy(t *testing.T) {
	c := fixtures.NewCluster(t)
	source := fixtures.HelloSource(t)
	expect := func(what string, sent, removed int) {
		t.Helper()
		updates := fixtures.Deploy(t, c, source)
		require.Len(t, updates, len(c.Nodes()))
		for _, u := range updates {
			require.Equal(t, [2]int{sent, removed}, [2]int{u.Sent, u.Removed}, "%s: %s: entries sent and removed", u.Node, what)
		}
	}
	fixtures.Deploy(t, c, source) // all of it, or what an earlier run has changed below
	expect("nothing has changed", 0, 0)

	file := filepath.Join(source.Dir, "src", "sum.c")
	require.NoError(t, os.WriteFile(file, []byte("#include \"sum.h\"\n"), 0o644))
	expect("one file has changed", 1, 0)
	require.NoError(t, os.Chmod(file, 0o600))
	require.NoError(t, os.Remove(filepath.Join(source.Dir, "Makefile")))
	expect("a mode has changed, a file is gone", 1, 1)
	require.NoError(t, os.RemoveAll(filepath.Join(source.Dir, "include")))
	expect("a directory is gone", 0, 2)
}

// TestBuild asks: do all nodes build the same program from the same source? It builds the one of -system, if its file says how, and else a
// small one.
func TestBuild(t *testing.T) {
	c := fixtures.NewCluster(t)
	system := program(t, c)
	if system.Source != nil {
		fixtures.NewDeployment(t, c, system)
		return
	}
	hello := fixtures.NewDeployment(t, c, fixtures.Hello(t, c, fixtures.HelloSource(t)))
	require.Len(t, hello.Hashes["hello"], 64, "one hash on all nodes")
	for node, printed := range hello.Output(t, "hello") {
		require.Equal(t, "hello 5050\n", printed, node)
	}
}

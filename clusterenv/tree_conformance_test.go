package clusterenv

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// oddTree are files whose names and contents a deployment must not trip over.
var oddTree = map[string]string{
	"Makefile":                              "all:\n",
	"src/main.c":                            "int main() {}\n",
	"src/empty":                             "",
	"-rf":                                   "dash",
	"--":                                    "dashes",
	"new\nline":                             "x",
	"new\nline\n" + strings.Repeat("a", 64): "like a digest",
	"back\\slash":                           "x",
	"it's \"odd\" $(id) `x` *":              "x",
	" blank ":                               "x",
	"\x80\xff":                              "not UTF-8",
	"ünïcode 漢":                             "x",
	"src/" + strings.Repeat("n", 255):       "long",
	strings.Repeat("deep/", 60) + "f":       "deep",
	"meta/id":                               "named as our own",
}

// writeTree makes the files in a new directory.
func writeTree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	return dir
}

func writeFile(t testing.TB, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
}

// snapshot is all below a directory: name → kind, mode and content.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	all := map[string]string{}
	err = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || file == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		switch info.Mode().Type() {
		case 0:
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			text = string(data)
		case fs.ModeSymlink:
			text, err = os.Readlink(file)
		}
		name, _ := filepath.Rel(dir, file)
		all[name] = info.Mode().String() + " " + text
		return err
	})
	require.NoError(t, err)
	return all
}

func requireSame(t testing.TB, want, got string) {
	t.Helper()
	if diff := cmp.Diff(snapshot(t, want), snapshot(t, got)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

// sync puts the directory on the node, as a person who has edited it does.
func syncDir(t testing.TB, n *Node, src, dest string, opt SyncOptions) (SyncResult, error) {
	t.Helper()
	tree, err := ReadTree(within(t), src, TreeOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, tree.Close()) }()
	return n.SyncTree(within(t), tree, dest, opt)
}

func mustSync(t testing.TB, n *Node, src, dest string, opt SyncOptions) SyncResult {
	t.Helper()
	r, err := syncDir(t, n, src, dest, opt)
	require.NoError(t, err)
	return r
}

func testTreeSync(t *testing.T, s *testServer) {
	n := s.node(t)
	src, dest := writeTree(t, oddTree), filepath.Join(t.TempDir(), "new dir", "-tree 'x'")
	require.NoError(t, os.Chmod(src+"/src/main.c", 0o4751))
	require.NoError(t, os.Chmod(src+"/src/empty", 0o400))
	require.NoError(t, os.Mkdir(src+"/hollow", 0o700))
	require.NoError(t, os.Symlink("src/main.c", src+"/link"))
	require.NoError(t, os.Symlink("/no\nwhere/"+strings.Repeat("long", 100), src+"/astray"))
	require.NoError(t, os.Symlink("src", src+"/linked dir"))

	mustSync(t, n, src, dest, SyncOptions{})
	require.NoError(t, os.Chmod(src+"/src/main.c", 0o751), "set-user-ID bits do not travel")
	requireSame(t, src, dest)
	require.Zero(t, mustSync(t, n, src, dest, SyncOptions{}), "nothing has changed")

	first, err := filepath.EvalSymlinks(dest)
	require.NoError(t, err)
	for i, name := range []string{"-rf", "src/main.c", "it's \"odd\" $(id) `x` *", "back\\slash", "\x80\xff", " blank "} {
		writeFile(t, filepath.Join(src, name), fmt.Sprint("edit ", i))
		require.Equal(t, 1, mustSync(t, n, src, dest, SyncOptions{}).Sent, "%q", name)
		requireSame(t, src, dest)
		require.Zero(t, mustSync(t, n, src, dest, SyncOptions{}), "after %q", name)
	}
	now, err := filepath.EvalSymlinks(dest)
	require.NoError(t, err)
	require.Equal(t, first, now, "a single file is put in place")
	for _, name := range []string{"new\nline", "fresh", "src/fresh"} {
		writeFile(t, src+"/"+name, "edited")
		require.Equal(t, 1, mustSync(t, n, src, dest, SyncOptions{}).Sent)
		requireSame(t, src, dest)
	}
	require.Zero(t, mustSync(t, n, src, dest, SyncOptions{}), "nothing has changed")
}

func testTreeChanges(t *testing.T, s *testServer) {
	n := s.node(t)
	src, dest := writeTree(t, oddTree), filepath.Join(t.TempDir(), "tree")
	mustSync(t, n, src, dest, SyncOptions{})
	before, err := filepath.EvalSymlinks(dest)
	require.NoError(t, err)
	kept := snapshot(t, before)
	writeFile(t, dest+"/build/main.o", "object")

	// A file, a directory and a link change places; files change, come and go.
	require.NoError(t, os.Remove(src+"/--"))
	writeFile(t, src+"/--/inside", "x")
	require.NoError(t, os.RemoveAll(src+"/deep"))
	writeFile(t, src+"/deep", "a file now")
	require.NoError(t, os.Remove(src+"/ blank "))
	require.NoError(t, os.Symlink("src", src+"/ blank "))
	require.NoError(t, os.Remove(src+"/src/empty"))
	require.NoError(t, os.RemoveAll(src+"/meta"))
	require.NoError(t, os.Chmod(src+"/Makefile", 0o600))
	writeFile(t, src+"/src/main.c", "int main() { return 1; }\n")

	mustSync(t, n, src, dest, SyncOptions{})
	require.FileExists(t, dest+"/src/empty", "deleted without being asked")
	require.FileExists(t, dest+"/meta/id")
	require.Zero(t, mustSync(t, n, src, dest, SyncOptions{}))
	if diff := cmp.Diff(kept["src/main.c"], snapshot(t, before)["src/main.c"]); diff != "" {
		t.Errorf("the tree before (-want +got):\n%s", diff)
	}
	require.Equal(t, 3, mustSync(t, n, src, dest, SyncOptions{Delete: true}).Removed, "src/empty, meta, meta/id")
	require.FileExists(t, dest+"/build/main.o", "what a build has made stays")
	require.NoError(t, os.RemoveAll(dest+"/build"))
	requireSame(t, src, dest)
}

// testTreeAllChanges: where no file stays, what others have put there does, even an empty directory.
func testTreeAllChanges(t *testing.T, s *testServer) {
	n := s.node(t)
	src, dest := writeTree(t, oddTree), filepath.Join(t.TempDir(), "tree")
	require.NoError(t, os.Chmod(src+"/src", 0o700))
	mustSync(t, n, src, dest, SyncOptions{})
	for round, others := range []string{"", "/build", "/src/a.o"} {
		if others != "" {
			require.NoError(t, os.Mkdir(dest+others, 0o755))
		}
		for name := range oddTree {
			writeFile(t, filepath.Join(src, name), fmt.Sprint("changed ", round))
		}
		mustSync(t, n, src, dest, SyncOptions{Delete: true})
		if others != "" {
			require.DirExists(t, dest+others)
			require.NoError(t, os.Remove(dest+others))
		}
		requireSame(t, src, dest)
		require.Zero(t, mustSync(t, n, src, dest, SyncOptions{}))
	}
}

// testTreeRepairs lets others change what was deployed: the next deployment finds it, whatever the times of the files say.
func testTreeRepairs(t *testing.T, s *testServer) {
	n := s.node(t)
	src, dest := writeTree(t, oddTree), filepath.Join(t.TempDir(), "tree")
	require.NoError(t, os.Symlink("src", src+"/link"))
	outside := t.TempDir()
	for name, harm := range map[string]func(dest string) error{
		"same size and time": func(dest string) error {
			info, err := os.Stat(dest + "/Makefile")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(dest+"/Makefile", []byte("ALL:\n"), 0o644))
			return os.Chtimes(dest+"/Makefile", info.ModTime(), info.ModTime())
		},
		"mode":     func(dest string) error { return os.Chmod(dest+"/-rf", 0o755) },
		"missing":  func(dest string) error { return os.Remove(dest + "/new\nline") },
		"the link": func(dest string) error { os.Remove(dest + "/link"); return os.Symlink("deep", dest+"/link") },
		"a directory elsewhere": func(dest string) error {
			require.NoError(t, os.Rename(dest+"/src", outside+"/src"))
			return os.Symlink(outside+"/src", dest+"/src")
		},
		"a reboot in the middle": func(dest string) error {
			store := filepath.Dir(realDir(t, dest))
			half := map[string]string{"a": "b", "b": "a"}[filepath.Base(realDir(t, dest))]
			require.NoError(t, os.RemoveAll(store+"/"+half))
			writeFile(t, store+"/"+half+"/src/main.c", "ha")
			writeFile(t, filepath.Join(store, "work", "meta", "id"), "ha")
			return os.Remove(dest + "/src/main.c") // so that there is something to do
		},
		"the index":   func(dest string) error { return os.Remove(realDir(t, dest) + ".meta/stat") },
		"all of meta": func(dest string) error { return os.RemoveAll(realDir(t, dest) + ".meta") },
		"a crash": func(dest string) error {
			require.NoError(t, os.Truncate(dest+"/src/main.c", 0))
			return os.WriteFile(realDir(t, dest)+".meta/boot", []byte("another boot"), 0o644)
		},
	} {
		mustSync(t, n, src, dest, SyncOptions{})
		require.NoError(t, harm(dest), name)
		var far map[string]string
		if name == "a directory elsewhere" {
			far = snapshot(t, outside)
			writeFile(t, src+"/src/main.c", "changed, too")
		}
		mustSync(t, n, src, dest, SyncOptions{})
		requireSame(t, src, dest)
		if far != nil {
			require.Equal(t, far, snapshot(t, outside), "written outside of the tree")
		}
		require.Zero(t, mustSync(t, n, src, dest, SyncOptions{}), name)
	}
}

func realDir(t testing.TB, dest string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dest)
	require.NoError(t, err)
	return dir
}

// testTreeAtomic reads the tree all the time: whoever opens it sees files of one version only.
func testTreeAtomic(t *testing.T, s *testServer) {
	n := s.node(t)
	dest := filepath.Join(t.TempDir(), "tree")
	version := func(v int) string {
		files := map[string]string{}
		for i := range 50 {
			files[fmt.Sprintf("d%d/f%d", i%5, i)] = fmt.Sprint("version ", v)
		}
		return writeTree(t, files)
	}
	mustSync(t, n, version(0), dest, SyncOptions{})
	stop, reads := make(chan struct{}), 0
	var reader sync.WaitGroup
	reader.Go(func() {
		for ; ; reads++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := readVersion(dest); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for v := range 6 {
		mustSync(t, n, version(v+1), dest, SyncOptions{})
	}
	close(stop)
	reader.Wait()
	require.Positive(t, reads)
}

// readVersion opens the tree once and reads all its files, which must be of one version.
func readVersion(dest string) error {
	root, err := os.OpenRoot(dest)
	if err != nil {
		return err
	}
	defer root.Close()
	first := ""
	for i := range 50 {
		data, err := root.ReadFile(fmt.Sprintf("d%d/f%d", i%5, i))
		if err != nil {
			return err
		}
		if first == "" {
			first = string(data)
		}
		if string(data) != first || first == "" {
			return fmt.Errorf("%q beside %q", data, first)
		}
	}
	return nil
}

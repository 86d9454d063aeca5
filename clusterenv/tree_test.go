package clusterenv

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func entryNames(entries []treeEntry) []string {
	var list []string
	for _, e := range entries {
		list = append(list, e.name)
	}
	return list
}

func TestReadTreeExcludes(t *testing.T) {
	dir := writeTree(t, map[string]string{
		"a.c": "", "a.o": "", "core": "", "sub/core": "", "sub/b.o": "", "build/x": "", "sub/build/y": "", ".git/HEAD": "", "core.h": "", "doc/out/z": "", "out/z": "",
	})
	for _, tt := range []struct{ exclude, want string }{
		{".git build core *.o", "a.c core.h doc doc/out doc/out/z out out/z sub"},
		{".git /build /core *.o doc/out", "a.c core.h doc out out/z sub sub/build sub/build/y sub/core"},
		{"* ?*", ""},
	} {
		tree, err := ReadTree(t.Context(), dir, TreeOptions{Exclude: strings.Fields(tt.exclude)})
		require.NoError(t, err)
		require.Equal(t, tt.want, strings.Join(entryNames(tree.entries), " "), tt.exclude)
	}
	for _, bad := range []string{"[", ""} {
		_, err := ReadTree(t.Context(), dir, TreeOptions{Exclude: []string{bad}})
		require.ErrorContains(t, err, "syntax error in pattern")
	}
}

func TestReadTreeRefuses(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadTree(t.Context(), dir+"/none", TreeOptions{})
	require.ErrorIs(t, err, os.ErrNotExist)
	writeFile(t, dir+"/file", "x")
	_, err = ReadTree(t.Context(), dir+"/file", TreeOptions{})
	require.ErrorContains(t, err, "not a directory")
	ln, err := net.Listen("unix", dir+"/socket")
	require.NoError(t, err)
	defer ln.Close()
	_, err = ReadTree(t.Context(), dir, TreeOptions{})
	require.ErrorContains(t, err, "socket is neither file, directory nor symbolic link")
}

// TestReadTreeGit takes what git takes, also of a submodule and of names that git would quote.
func TestReadTreeGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skipf("NOT TESTED with git: %v", err)
	}
	dir := writeTree(t, map[string]string{
		".gitignore": "*.o\n/build/\n!keep.o\n", "a.c": "", "a.o": "", "keep.o": "", "build/x": "", "sub/build/y": "", "new\nline": "", "gone": "",
		"sub/.gitignore": "z\n", "sub/z": "", "sub/big.bin": "", "module/m.c": "", "module/m.o": "", "module/.gitignore": "*.o",
	})
	git := func(in string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", filepath.Join(dir, in), "-c", "user.name=n", "-c", "user.email=e@example.net"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	git("module", "init", "-q")
	git("module", "add", ".")
	git("module", "commit", "-q", "-m", "m")
	git("", "init", "-q")
	git("", "add", ".gitignore", "a.c", "gone", "module")
	require.NoError(t, os.Remove(dir+"/gone"))
	tree, err := ReadTree(t.Context(), dir, TreeOptions{Git: true, Exclude: []string{"*.bin"}})
	require.NoError(t, err)
	want := []string{".gitignore", "a.c", "keep.o", "module", "module/.gitignore", "module/m.c", "new\nline", "sub", "sub/.gitignore", "sub/build", "sub/build/y"}
	if diff := cmp.Diff(want, entryNames(tree.entries)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = ReadTree(t.Context(), t.TempDir(), TreeOptions{Git: true})
	require.ErrorContains(t, err, "git ls-files: exit status 128: ")
}

// TestTreeChangesMeanwhile: what is sent is what was read, or nothing.
func TestTreeChangesMeanwhile(t *testing.T) {
	dir := writeTree(t, map[string]string{"a": "1", "b": "2"})
	for _, text := range []string{"3", "longer", ""} {
		tree, err := ReadTree(t.Context(), dir, TreeOptions{})
		require.NoError(t, err)
		writeFile(t, dir+"/b", text)
		_, err = tree.stream(t.Context(), &treeState{word: stateNone, id: stateNone}, false)
		require.ErrorIs(t, err, errTreeChanged)
		require.ErrorContains(t, err, "b: changed on this machine")
		require.NoError(t, tree.Close())
	}
}

func TestTreeID(t *testing.T) {
	files := map[string]string{"a": "1", "sub/b": "2"}
	id := func(change func(dir string) error) string {
		t.Helper()
		dir := writeTree(t, files)
		if change != nil {
			require.NoError(t, change(dir))
		}
		tree, err := ReadTree(t.Context(), dir, TreeOptions{})
		require.NoError(t, err)
		return tree.ID
	}
	all := []string{id(nil)}
	linked := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(writeTree(t, files), linked))
	tree, err := ReadTree(t.Context(), linked, TreeOptions{})
	require.NoError(t, err)
	require.Equal(t, all[0], tree.ID, "a link to a directory")
	require.Equal(t, all[0], id(nil), "another directory")
	for _, change := range []func(dir string) error{
		func(dir string) error { return os.Chmod(dir+"/a", 0o600) },
		func(dir string) error { return os.WriteFile(dir+"/a", []byte("2"), 0) },
		func(dir string) error { return os.Rename(dir+"/a", dir+"/b") },
		func(dir string) error { return os.Mkdir(dir+"/c", 0o755) },
		func(dir string) error { os.Remove(dir + "/a"); return os.Symlink("1", dir+"/a") },
		func(dir string) error { os.Remove(dir + "/a"); return os.Symlink("2", dir+"/a") },
	} {
		got := id(change)
		require.NotContains(t, all, got)
		all = append(all, got)
	}
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.String()
}

var (
	sumA = strings.Repeat("a", 64)
	sumB = strings.Repeat("b", 64)
)

// exampleManifest has a file, a directory with a file, and a link.
var exampleManifest = treeHeader + "f 644 " + sumA + " a\x00d 755 - d\x00f 755 " + sumB + " d/b\x00l 777 " + sumA + " l\x00"

func answer(word, manifest, listing string) string {
	packed := zipped(manifest)
	return fmt.Sprintf("%s %s %d\n%s%s", word, sumA, len(packed), packed, listing)
}

// readTreeState reads all of an answer.
func readTreeState(in []byte) (*treeState, error) {
	s, err := parseTreeState(in)
	if err == nil && s.word != stateSame {
		err = s.read()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func TestParseTreeState(t *testing.T) {
	listing := "ffl\nd\n644\n755\n" + sumA + "\n" + sumB + "\n"
	for _, tt := range []struct{ in, held string }{
		{"none none 0\n", ""},
		{"lost lost 0\n", ""},
		{"same " + sumA + " 0\n", ""},
		{answer("intact", exampleManifest, ""), "a=aa d/b=bb d=- l=aa"},
		{answer("changed", exampleManifest, listing), "a=aa d/b=bb d=- l="},
		{answer("changed", exampleManifest, "-f-\nd\n755\n"+sumA+"\n"), "d/b=aa d=-"},
		{answer("changed", exampleManifest, "fll\n-\n644\n"+sumA+"\n"), "a=aa l="},
		{answer("changed", exampleManifest, "ffl\n-\n644\n755\n"+sumA+"\n"+sumB+"\n"), "a=aa l="},
		{answer("changed", exampleManifest, "ffl\nd\n644\n"+sumA+"\n"+sumB+"\n"), "d=-"}, // one could not be read
		{answer("changed", treeHeader, "\n\n"), ""},
	} {
		s, err := readTreeState([]byte(tt.in))
		require.NoError(t, err, "%q", tt.in)
		var held []string
		for name, e := range s.held {
			held = append(held, name+"="+e.sum[:min(2, len(e.sum))])
		}
		slices.Sort(held)
		require.Equal(t, tt.held, strings.Join(held, " "), "%q", tt.in)
	}
}

func TestParseTreeStateMistakes(t *testing.T) {
	good := "ffl\nd\n644\n755\n" + sumA + "\n" + sumB + "\n"
	for in, problem := range map[string]string{
		"":                            "unexpected answer",
		"none":                        "unexpected answer",
		"none none 1\n":               "unexpected answer",
		"none lost 0\n":               "unexpected answer",
		"some none 0\n":               "unexpected answer",
		"same short 0\n":              "unexpected answer",
		"intact " + sumA + " -1\n":    "unexpected answer",
		"intact " + sumA + " 0\n":     "damaged manifest: EOF",
		answer("intact", "other", ""): "begins with",
		answer("intact", treeHeader+"f 644 "+sumA+" a", ""):                                       "cut short",
		answer("intact", treeHeader+"f 644 "+sumA+" ../a\x00", ""):                                "not the path of a file",
		answer("intact", treeHeader+"f 644 "+sumA+" /a\x00", ""):                                  "not the path of a file",
		answer("intact", treeHeader+"f 644 "+sumA+" \x00", ""):                                    "not the path of a file",
		answer("intact", treeHeader+"f 644 "+sumA+" b\x00f 644 "+sumA+" a\x00", ""):               "follows",
		answer("intact", treeHeader+"f 644 "+sumA+" a\x00f 644 "+sumA+" a\x00", ""):               "follows",
		answer("intact", treeHeader+"f 4755 "+sumA+" a\x00", ""):                                  "mode",
		answer("intact", treeHeader+"f 9 "+sumA+" a\x00", ""):                                     "mode",
		answer("intact", treeHeader+"x 644 "+sumA+" a\x00", ""):                                   "kind",
		answer("intact", treeHeader+"f 644 - a\x00", ""):                                          "sum",
		answer("intact", treeHeader+"d 644 "+sumA+" a\x00", ""):                                   "sum",
		answer("intact", treeHeader+"f 644\x00", ""):                                              "not an entry",
		answer("changed", exampleManifest, ""):                                                    "listing cut short",
		answer("changed", exampleManifest, strings.TrimSuffix(good, "\n")):                        "listing cut short",
		answer("changed", exampleManifest, "ff\nd\n"):                                             "listing of 2 files",
		answer("changed", exampleManifest, strings.Replace(good, "755", "rwx", 1)):                "listing: unexpected",
		answer("changed", exampleManifest, strings.Replace(good, sumB, strings.ToUpper(sumB), 1)): "listing: unexpected",
	} {
		s, err := readTreeState([]byte(in))
		require.ErrorContains(t, err, problem, "%q", in)
		require.Nil(t, s)
	}
}

func FuzzParseTreeState(f *testing.F) {
	f.Add([]byte("none none 0\n"))
	f.Add([]byte(answer("intact", exampleManifest, "")))
	f.Add([]byte(answer("changed", exampleManifest, "ffl\nd\n644\n755\n"+sumA+"\n"+sumB+"\n")))
	f.Fuzz(func(t *testing.T, in []byte) {
		s, err := readTreeState(in)
		if (s == nil) == (err == nil) {
			t.Fatalf("state %v and error %v", s, err)
		}
		if s != nil {
			for name := range s.held {
				if !filepath.IsLocal(name) {
					t.Errorf("%q is outside", name)
				}
			}
		}
	})
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(exampleManifest))
	f.Fuzz(func(t *testing.T, in []byte) {
		entries, err := parseManifest(in)
		if err != nil {
			if entries != nil {
				t.Fatal("entries and an error")
			}
			return
		}
		again, err := parseManifest(encodeManifest(entries))
		if err != nil || !slices.Equal(entries, again) {
			t.Errorf("%v became %v: %v", entries, again, err)
		}
	})
}

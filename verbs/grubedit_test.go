package verbs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

const grubCorpus = "testdata/grub"

// grubConfig is a configuration of the corpus, with the names that the files have on a node.
func grubConfig(t testing.TB, name string) []GrubFile {
	t.Helper()
	root := filepath.Join(grubCorpus, name)
	var files []GrubFile
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files = append(files, GrubFile{strings.TrimPrefix(path, root), strings.NewReader(string(data))})
		return err
	}))
	return files
}

// TestAskPassthrough edits what distributions ship and people write. An edit inserts bytes at one place and leaves all others, and what a
// real shell makes of the files, read as grub-mkconfig reads them, is what it was with iommu=pt behind.
func TestAskPassthrough(t *testing.T) {
	dirs, err := os.ReadDir(grubCorpus)
	require.NoError(t, err)
	var got strings.Builder
	for _, dir := range dirs {
		if !dir.IsDir() {
			continue
		}
		fmt.Fprintf(&got, "%s: ", dir.Name())
		edit, err := AskPassthrough("iommu=pt", grubConfig(t, dir.Name())...)
		require.NoError(t, err, dir.Name())
		if edit.Name == "" {
			fmt.Fprintln(&got, "as it is")
			continue
		}
		at, text := insertion(t, edit)
		fmt.Fprintf(&got, "%s:%d: %q inserted: %q\n", edit.Name, 1+strings.Count(edit.Old[:at], "\n"), text, lineAround(edit.New, at))
		before, after := shellCmdline(t, dir.Name(), GrubEdit{}), shellCmdline(t, dir.Name(), edit)
		require.Equal(t, strings.Join(append(strings.Fields(before), "iommu=pt"), " "), strings.Join(strings.Fields(after), " "), dir.Name())

		again, err := AskPassthrough("iommu=pt", edited(grubConfig(t, dir.Name()), edit)...)
		require.NoError(t, err)
		require.Zero(t, again, "a second edit of %s", dir.Name())
	}
	golden := grubCorpus + "/edits.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("edits (-want +got):\n%s", diff)
	}
}

// insertion is the one place where bytes were inserted, and these.
func insertion(t testing.TB, e GrubEdit) (at int, text string) {
	t.Helper()
	for at < len(e.Old) && e.Old[at] == e.New[at] {
		at++
	}
	n := len(e.New) - len(e.Old)
	require.Positive(t, n)
	require.Equal(t, e.Old, e.New[:at]+e.New[at+n:], "not one insertion")
	return at, e.New[at : at+n]
}

// lineAround is the line of the text at an offset, or the one that begins there.
func lineAround(text string, at int) string {
	if text[at] == '\n' {
		at++
	}
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	return line
}

func edited(files []GrubFile, e GrubEdit) []GrubFile {
	for i, f := range files {
		if f.Name == e.Name {
			files[i].R = strings.NewReader(e.New)
		}
	}
	return files
}

// shellCmdline has /bin/sh read the files as grub-mkconfig does. Line ends of another system are no part of values there either, for
// the kernel takes them for blanks.
func shellCmdline(t *testing.T, name string, e GrubEdit) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, os.DirFS(filepath.Join(grubCorpus, name))))
	if e.Name != "" {
		require.NoError(t, os.WriteFile(root+e.Name, []byte(e.New), 0o600))
	}
	out, err := exec.Command("sh", "-c", `. "$1/etc/default/grub" && for f in "$1"/etc/default/grub.d/*.cfg; do [ ! -e "$f" ] || . "$f"; done
		echo "$GRUB_CMDLINE_LINUX $GRUB_CMDLINE_LINUX_DEFAULT"`, "sh", root).Output()
	require.NoError(t, err)
	return string(out)
}

func TestAskPassthroughOfArm(t *testing.T) {
	edit, err := AskPassthrough("iommu.passthrough=1", GrubFile{grubMain, strings.NewReader("GRUB_CMDLINE_LINUX_DEFAULT=\"quiet\"\n")})
	require.NoError(t, err)
	require.Equal(t, "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet iommu.passthrough=1\"\n", edit.New)
}

// TestAskPassthroughLeavesToAPerson: the message says where.
func TestAskPassthroughLeavesToAPerson(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unbalanced quotes", "GRUB_TIMEOUT=1\nGRUB_CMDLINE_LINUX_DEFAULT=\"quiet\n", "/etc/default/grub: line 2: "},
		{"condition", "GRUB_TIMEOUT=1\nif true; then GRUB_CMDLINE_LINUX_DEFAULT=quiet; fi\n", "GRUB_CMDLINE_LINUX_DEFAULT (/etc/default/grub:2): assigned in a condition"},
		{"command", "GRUB_CMDLINE_LINUX_DEFAULT=\"$(cat /etc/cmdline)\"\n", "(/etc/default/grub:1): a command would have to run"},
		{"append", "GRUB_CMDLINE_LINUX_DEFAULT+=\" quiet\"\n", "+= works only where /bin/sh is bash"},
		{"sourced", ". /etc/default/more\n", `/etc/default/grub:1 runs "."`},
		{"for init", "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet -- single\"\n", "(/etc/default/grub:1) would not be heard"},
		{"of one command", "GRUB_CMDLINE_LINUX_DEFAULT=quiet echo\n", "would not be heard"},
		{"nothing", "", "no configuration"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var files []GrubFile
			if c.text != "" {
				files = append(files, GrubFile{grubMain, strings.NewReader(c.text)})
			}
			edit, err := AskPassthrough("iommu=pt", files...)
			require.ErrorContains(t, err, c.want)
			require.Zero(t, edit)
		})
	}
	_, err := AskPassthrough("iommu=pt", GrubFile{grubMain + ".d/50.cfg", strings.NewReader("GRUB_TIMEOUT=1\n")})
	require.ErrorContains(t, err, "there is no /etc/default/grub")
	var syntax *SyntaxError
	_, err = AskPassthrough("iommu=pt", GrubFile{grubMain, strings.NewReader("A='\n")})
	require.True(t, errors.As(err, &syntax))
}

func FuzzAskPassthrough(f *testing.F) {
	dirs, err := os.ReadDir(grubCorpus)
	require.NoError(f, err)
	for _, dir := range dirs {
		if data, err := os.ReadFile(filepath.Join(grubCorpus, dir.Name(), grubMain)); err == nil {
			f.Add(string(data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		edit, err := AskPassthrough("iommu=pt", GrubFile{grubMain, strings.NewReader(text)})
		if err != nil {
			require.Zero(t, edit)
			return
		}
		if edit.Name == "" {
			return
		}
		insertion(t, edit)
		g, err := ParseGrub(GrubFile{grubMain, strings.NewReader(edit.New)})
		require.NoError(t, err)
		require.Equal(t, Yes, g.Passthrough().Answer)
	})
}

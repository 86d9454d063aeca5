package clusterenv

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A Tree is the files, directories and symbolic links below a directory of the driver, with the hashes of their content at the
// moment when it was read. Node.SyncTree puts it on a node. One Tree serves any number of nodes, at the same time.
type Tree struct {
	Dir string // on the driver, absolute, without symbolic links
	ID  string // SHA-256 of all names, modes and contents, in hexadecimal: equal trees have equal IDs

	entries []treeEntry // in the order of their names

	mu      sync.Mutex
	streams map[string]*treeStream // by what they change
}

// A treeEntry is one file, directory or symbolic link of a tree.
type treeEntry struct {
	name string // slash-separated, relative to the tree, clean; any bytes but NUL
	kind treeKind
	mode fs.FileMode // permission bits
	sum  string      // SHA-256 of the content in hexadecimal; of a link, that of its target; of a directory, "-"
}

type treeKind byte

const (
	treeFile treeKind = 'f'
	treeDir  treeKind = 'd'
	treeLink treeKind = 'l'
)

// TreeOptions say what of a directory is part of a Tree.
type TreeOptions struct {
	// Exclude are patterns of what is left out, in the manner of path.Match. One without a slash is compared with the base names of
	// files and directories at any depth, one with a slash with the whole path, relative to the tree. Of a directory that matches
	// nothing is taken.
	Exclude []string

	// Git takes what git would: tracked files, and untracked ones that no .gitignore excludes. Exclude applies, too. The directory
	// must be in a git working tree.
	Git bool
}

// ReadTree reads the directory dir, and hashes all its files.
func ReadTree(ctx context.Context, dir string, opt TreeOptions) (*Tree, error) {
	t, err := readTree(ctx, dir, opt)
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", dir, err)
	}
	return t, nil
}

func readTree(ctx context.Context, dir string, opt TreeOptions) (*Tree, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, err
	}
	for _, p := range opt.Exclude {
		if _, err := path.Match(p, ""); err != nil || p == "" {
			return nil, fmt.Errorf("exclude %q: %w", p, path.ErrBadPattern)
		}
	}
	t := &Tree{Dir: dir, streams: map[string]*treeStream{}}
	if opt.Git {
		t.entries, err = gitEntries(ctx, dir, opt.Exclude)
	} else {
		t.entries, err = walkEntries(dir, opt.Exclude)
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(t.entries, byName)
	if err := t.hash(ctx); err != nil {
		return nil, err
	}
	manifest := encodeManifest(t.entries)
	if len(manifest) > maxManifest {
		return nil, fmt.Errorf("the list of its %d entries is longer than %d MiB", len(t.entries), maxManifest>>20)
	}
	t.ID = manifestID(manifest)
	return t, nil
}

// Files is the number of files and links in the tree.
func (t *Tree) Files() int {
	n := 0
	for _, e := range t.entries {
		if e.kind != treeDir {
			n++
		}
	}
	return n
}

// excluded reports whether a pattern matches a path or its last element.
func excluded(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		what := name
		if !strings.Contains(p, "/") {
			what = path.Base(name)
		}
		match, _ := path.Match(strings.TrimPrefix(p, "/"), what)
		return match
	})
}

// walkEntries lists all below dir that no pattern excludes.
func walkEntries(dir string, exclude []string) ([]treeEntry, error) {
	var entries []treeEntry
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil || name == "." {
			return errors.Join(err, mustBeDir(file, d))
		}
		name = filepath.ToSlash(name)
		if excluded(exclude, name) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		e, err := newTreeEntry(name, d)
		entries = append(entries, e)
		return err
	})
	return entries, err
}

func mustBeDir(file string, d fs.DirEntry) error {
	if d.IsDir() {
		return nil
	}
	return &fs.PathError{Op: "read", Path: file, Err: errors.New("not a directory")}
}

// newTreeEntry is the entry without its hash. A directory can always be written to, lest the next deployment cannot change it.
func newTreeEntry(name string, d fs.DirEntry) (treeEntry, error) {
	info, err := d.Info()
	if err != nil {
		return treeEntry{}, err
	}
	e := treeEntry{name: name, mode: info.Mode().Perm()}
	switch info.Mode().Type() {
	case 0:
		e.kind = treeFile
	case fs.ModeDir:
		e.kind, e.sum = treeDir, "-"
		e.mode |= 0o700
	case fs.ModeSymlink:
		e.kind, e.mode = treeLink, 0o777
	default:
		return e, fmt.Errorf("%s is neither file, directory nor symbolic link (%s): exclude it", name, info.Mode())
	}
	return e, nil
}

// hash fills in the entries' sums, with all processors.
func (t *Tree) hash(ctx context.Context) error {
	next := make(chan int)
	errs := make([]error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			buf := make([]byte, 64<<10)
			for i := range next {
				if errs[w] == nil {
					errs[w] = t.entries[i].hash(t.Dir, buf)
				}
			}
		})
	}
	for i := range t.entries {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	return errors.Join(append(errs, context.Cause(ctx))...)
}

func (e *treeEntry) hash(dir string, buf []byte) error {
	file := filepath.Join(dir, filepath.FromSlash(e.name))
	h := sha256.New()
	switch e.kind {
	case treeLink:
		target, err := os.Readlink(file)
		if err != nil {
			return err
		}
		io.WriteString(h, target)
	case treeFile:
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{f}, buf); err != nil {
			return err
		}
	case treeDir:
		return nil
	}
	e.sum = hex.EncodeToString(h.Sum(nil))
	return nil
}

package clusterenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// gitEntries lists what git would take of dir: what a .gitignore means, git itself says. Directories are those that hold something.
// A submodule is listed by its own git.
func gitEntries(ctx context.Context, dir string, exclude []string) ([]treeEntry, error) {
	byName := map[string]treeEntry{}
	if err := gitList(ctx, dir, "", exclude, byName); err != nil {
		return nil, err
	}
	entries := make([]treeEntry, 0, len(byName))
	for _, e := range byName {
		entries = append(entries, e)
	}
	return entries, nil
}

// gitList adds what git lists of the directory sub of dir.
func gitList(ctx context.Context, dir, sub string, exclude []string, byName map[string]treeEntry) error {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", ".")
	cmd.Dir = filepath.Join(dir, filepath.FromSlash(sub))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name == "" {
			continue
		}
		name = path.Join(sub, name)
		if excludedAbove(exclude, name) {
			continue
		}
		if err := gitAdd(ctx, dir, name, exclude, byName); err != nil {
			return err
		}
	}
	return nil
}

// gitAdd adds an entry and the directories above it. What git knows and somebody has deleted is left out.
func gitAdd(ctx context.Context, dir, name string, exclude []string, byName map[string]treeEntry) error {
	info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	e, err := newTreeEntry(name, fs.FileInfoToDirEntry(info))
	if err != nil {
		return err
	}
	byName[name] = e
	if up := path.Dir(name); up != "." && byName[up].kind == 0 {
		if err := gitAdd(ctx, dir, up, exclude, byName); err != nil {
			return err
		}
	}
	if nested := e.kind == treeDir && isGit(filepath.Join(dir, filepath.FromSlash(name))); nested {
		return gitList(ctx, dir, name, exclude, byName)
	}
	return nil
}

// isGit reports whether dir is the top of a git working tree.
func isGit(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// excludedAbove reports whether the path or a directory above it is excluded.
func excludedAbove(patterns []string, name string) bool {
	for ; name != "."; name = path.Dir(name) {
		if excluded(patterns, name) {
			return true
		}
	}
	return false
}

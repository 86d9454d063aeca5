package clusterenv

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// A manifest is a list of all entries of a tree, in the order of their names: the line treeHeader, and for each entry its kind,
// permission bits in octal, SHA-256 ("-" of a directory) and name, separated by spaces, ended by NUL. It lies on the node, compressed,
// beside the tree that it describes.
const treeHeader = "gotestbed tree 1\n"

// maxManifest bounds a manifest, in bytes: half a million files.
const maxManifest = 64 << 20

func encodeManifest(entries []treeEntry) []byte {
	var b bytes.Buffer
	b.WriteString(treeHeader)
	for _, e := range entries {
		fmt.Fprintf(&b, "%c %o %s %s\x00", e.kind, e.mode, e.sum, e.name)
	}
	return b.Bytes()
}

func manifestID(manifest []byte) string {
	sum := sha256.Sum256(manifest)
	return hex.EncodeToString(sum[:])
}

// parseManifest reads a manifest that a node gave.
func parseManifest(data []byte) ([]treeEntry, error) {
	text, ok := strings.CutPrefix(string(data), treeHeader)
	if !ok {
		return nil, fmt.Errorf("begins with %.20q instead of %q", data, treeHeader)
	}
	var entries []treeEntry
	last := ""
	for text != "" {
		var line string
		if line, text, ok = strings.Cut(text, "\x00"); !ok {
			return nil, fmt.Errorf("cut short at %.80q", line)
		}
		e, err := parseTreeEntry(line)
		if err != nil {
			return nil, fmt.Errorf("%w", err)
		}
		if e.name <= last {
			return nil, fmt.Errorf("%q follows %q", e.name, last)
		}
		last = e.name
		entries = append(entries, e)
	}
	return entries, nil
}

func parseTreeEntry(line string) (treeEntry, error) {
	f := strings.SplitN(line, " ", 4)
	if len(f) != 4 || len(f[0]) != 1 {
		return treeEntry{}, fmt.Errorf("%.80q is not an entry", line)
	}
	e := treeEntry{kind: treeKind(f[0][0]), sum: f[2], name: f[3]}
	mode, err := strconv.ParseUint(f[1], 8, 32)
	e.mode = fs.FileMode(mode)
	switch {
	case err != nil || mode > 0o777:
		return e, fmt.Errorf("%.80q: mode %q", line, f[1])
	case e.kind != treeDir && e.kind != treeFile && e.kind != treeLink:
		return e, fmt.Errorf("%.80q: kind %q", line, f[0])
	case (e.kind == treeDir) != (e.sum == "-") || e.kind != treeDir && !isHexSum(e.sum):
		return e, fmt.Errorf("%.80q: sum %.80q", line, e.sum)
	case !isTreeName(e.name):
		return e, fmt.Errorf("%.80q: name %.80q: %w", line, e.name, errPath)
	}
	return e, nil
}

// isTreeName reports whether a name stays within its tree and is written in one way only.
func isTreeName(name string) bool {
	return name != "." && path.Clean(name) == name && filepath.IsLocal(filepath.FromSlash(name))
}

func isHexSum(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// unzipManifest uncompresses and reads a manifest.
func unzipManifest(packed []byte) ([]treeEntry, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%w", err)
	}
	data, err := io.ReadAll(io.LimitReader(z, maxManifest+1))
	if err == nil && len(data) > maxManifest {
		err = errors.New("longer than " + strconv.Itoa(maxManifest) + " bytes")
	}
	if err != nil {
		return nil, fmt.Errorf("%w", err)
	}
	return parseManifest(data)
}

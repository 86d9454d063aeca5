package clusterenv

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// A treeState is what a node has, as treeQuery tells it.
type treeState struct {
	word string // none, same, intact, changed or lost
	id   string // of the manifest that is there; "none", "lost" where there is none

	packed, listing []byte // as they came

	entries []treeEntry
	held    map[string]treeEntry // by name, of what is there in truth; complete unless something else was found
}

// The words of treeQuery.
const (
	stateNone    = "none"    // nothing was deployed there
	stateSame    = "same"    // what is wanted is there, untouched
	stateIntact  = "intact"  // something else is there, untouched
	stateChanged = "changed" // what is there was, or may have been, changed by others: its files were hashed anew
	stateLost    = "lost"    // there is a tree without a manifest
)

// parseTreeState divides the answer of treeQuery: a line "WORD ID BYTES", a manifest of so many bytes, compressed, and after
// "changed" a listing of what is in the place of the manifest's entries (parseListing). read reads these.
func parseTreeState(out []byte) (*treeState, error) {
	line, rest, ok := bytes.Cut(out, []byte("\n"))
	f := strings.Fields(string(line))
	if !ok || len(f) != 3 {
		return nil, fmt.Errorf("unexpected answer %.80q", line)
	}
	size, err := strconv.Atoi(f[2])
	if err != nil || size < 0 || size > len(rest) {
		return nil, fmt.Errorf("unexpected answer %.80q with %d bytes", line, len(rest))
	}
	s := &treeState{word: f[0], id: f[1], held: map[string]treeEntry{}}
	s.packed, s.listing = rest[:size], rest[size:]
	switch s.word {
	case stateNone, stateLost:
		if s.id != s.word {
			return nil, fmt.Errorf("unexpected answer %.80q", line)
		}
		return s, nil
	case stateSame, stateIntact, stateChanged:
		if !isHexSum(s.id) {
			return nil, fmt.Errorf("unexpected answer %.80q", line)
		}
	default:
		return nil, fmt.Errorf("unexpected answer %.80q", line)
	}
	return s, nil
}

// errManifest marks what a node has kept of a tree and nobody can read.
var errManifest = errors.New("damaged manifest")

// read takes manifest and listing apart.
func (s *treeState) read() (err error) {
	if s.word == stateNone || s.word == stateLost {
		return nil
	}
	if s.entries, err = unzipManifest(s.packed); err != nil {
		return fmt.Errorf("%w: %w", errManifest, err)
	}
	if s.word == stateChanged {
		return s.parseListing(s.listing)
	}
	for _, e := range s.entries {
		s.held[e.name] = e
	}
	return nil
}

// parseListing reads what is in the place of the manifest's entries: a line with a letter for each file and link, a line with a letter for
// each directory (f, l, d; - for nothing or something else), and for each f of the first line a line with its mode in octal, then a line
// with its SHA-256. Where the counts do not agree, as when a file could not be read, no file counts as held. Of the links of a changed tree it
// is not known where they point.
func (s *treeState) parseListing(listing []byte) error {
	lines := strings.Split(string(listing), "\n")
	if len(lines) < 3 || lines[len(lines)-1] != "" {
		return errors.New("listing cut short")
	}
	files, dirs := split(s.entries)
	if len(lines[0]) != len(files) || len(lines[1]) != len(dirs) {
		return fmt.Errorf("listing of %d files and %d directories instead of %d and %d", len(lines[0]), len(lines[1]), len(files), len(dirs))
	}
	missing := map[string]bool{} // directories that are something else, or under such
	for i, e := range dirs {
		if missing[path.Dir(e.name)] || lines[1][i] != byte(treeDir) {
			missing[e.name] = true
		} else {
			s.held[e.name] = e
		}
	}
	values := lines[2 : len(lines)-1]
	count := strings.Count(lines[0], "f")
	if len(values) != 2*count {
		return nil
	}
	modes, sums := values[:count], values[count:]
	for i, e := range files {
		e.kind, e.sum = treeKind(lines[0][i]), ""
		if e.kind == treeFile {
			mode, err := strconv.ParseUint(modes[0], 8, 32)
			if err != nil || !isHexSum(sums[0]) {
				return fmt.Errorf("listing: unexpected %.80q or %.80q", modes[0], sums[0])
			}
			e.mode, e.sum = fs.FileMode(mode), sums[0]
			modes, sums = modes[1:], sums[1:]
		}
		if !missing[path.Dir(e.name)] && (e.kind == treeFile || e.kind == treeLink) {
			s.held[e.name] = e
		}
	}
	return nil
}

package clusterenv

import (
	"path"
	"slices"
	"strings"
)

// A treeDelta is what makes the wanted tree of the one that a node has.
type treeDelta struct {
	send     []treeEntry // in the order of their names
	remove   []treeEntry // before anything is put in place
	after    []treeEntry // what the node's manifest is to hold then
	manifest []byte      // of after
	id       string      // its ID
	patch    bool        // treePatch can do it
	stays    int         // entries that are linked to those of the tree before
}

// delta compares the tree with what a node has. Without delete, what the tree no longer has stays there, and in the node's manifest.
func (t *Tree) delta(s *treeState, delete bool) *treeDelta {
	d := &treeDelta{after: t.entries}
	wanted := map[string]treeKind{}
	for _, e := range t.entries {
		wanted[e.name] = e.kind
		if have, ok := s.held[e.name]; !ok || have != e {
			d.send = append(d.send, e)
		}
	}
	var left []treeEntry
	for _, e := range s.entries {
		kind, ok := wanted[e.name]
		_, held := s.held[e.name]
		switch {
		case !ok && !held: // somebody else has removed it
		case ok && (kind == treeDir || e.kind != treeDir): // what is sent takes its place
		case ok || delete || hasFileAbove(wanted, e.name):
			d.remove = append(d.remove, e)
		default:
			left = append(left, e)
		}
	}
	if len(left) > 0 {
		d.after = append(left, t.entries...)
		slices.SortFunc(d.after, byName)
	}
	if d.stays = len(d.after) - len(d.send); s.word == stateIntact && !d.empty() && onlyDirsStay(d) {
		d.send, d.stays = d.after, 0
	}
	d.manifest = encodeManifest(d.after)
	d.id = manifestID(d.manifest)
	d.patch = d.isPatch(s)
	return d
}

// isPatch reports whether all there is to do is to replace one file of an untouched tree, which one rename does.
func (d *treeDelta) isPatch(s *treeState) bool {
	if s.word != stateIntact || len(d.send) != 1 || len(d.remove) > 0 {
		return false
	}
	e := d.send[0]
	return e.kind == treeFile && s.held[e.name].kind == treeFile && !strings.Contains(e.name, "\n")
}

// onlyDirsStay reports whether all files and links of the tree are sent. It is cheaper then to send the directories, too.
func onlyDirsStay(d *treeDelta) bool {
	files, _ := split(d.send)
	all, _ := split(d.after)
	return len(files) == len(all)
}

func byName(a, b treeEntry) int { return strings.Compare(a.name, b.name) }

// hasFileAbove reports whether the tree has a file or link where the name has a directory.
func hasFileAbove(wanted map[string]treeKind, name string) bool {
	for name = path.Dir(name); name != "."; name = path.Dir(name) {
		if kind, ok := wanted[name]; ok && kind != treeDir {
			return true
		}
	}
	return false
}

// empty reports whether the node has all that is wanted and nothing else.
func (d *treeDelta) empty() bool { return len(d.send) == 0 && len(d.remove) == 0 }

// split parts files and links from directories.
func split(entries []treeEntry) (files, dirs []treeEntry) {
	for _, e := range entries {
		if e.kind == treeDir {
			dirs = append(dirs, e)
		} else {
			files = append(files, e)
		}
	}
	return files, dirs
}

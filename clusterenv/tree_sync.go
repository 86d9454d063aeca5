package clusterenv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// SyncOptions say how a tree is put on a node.
type SyncOptions struct {
	// Delete removes what an earlier SyncTree has put there and the tree no longer has. What SyncTree has not put there stays in any
	// case.
	Delete bool
}

// A SyncResult says what SyncTree has done.
type SyncResult struct {
	Sent    int   // files, links and directories that travelled
	Removed int   // files, links and directories that were removed
	Bytes   int64 // that travelled, compressed
}

// attempts is how often SyncTree begins anew when somebody else deploys at the same time.
const attempts = 5

// SyncTree makes dest on the node a symbolic link to a directory with what t holds: contents, permission bits and links. What is there already does
// not travel. A relative dest begins at the home directory.
//
// Whoever opens dest sees the old tree or the new one, and no mixture: the new one is made beside the old one and verified by its hashes, and then
// the link changes. The old one stays until the next SyncTree, for those who work in it. After an error, a lost connection or a reboot
// of the node dest is as before. What others have put into the tree, such as the results of a build, is in the new one, too, as hard links.
//
// Two SyncTrees of one dest, from anywhere, take turns. docs/deploy.md says what of the node is trusted.
func (n *Node) SyncTree(ctx context.Context, t *Tree, dest string, opt SyncOptions) (SyncResult, error) {
	op := "deploy " + dest
	store, err := treeStore(dest)
	if err != nil {
		return SyncResult{}, n.failed(op, err)
	}
	for range attempts {
		var r SyncResult
		r, err = n.syncTree(ctx, op, t, []string{nodePath(dest), nodePath(store)}, opt)
		var exit *ExitError
		if !errors.As(err, &exit) || exit.Status != exitBusy || exit.Signal != "" {
			return r, err
		}
	}
	return SyncResult{}, err
}

// treeStore is the directory of a tree's store.
func treeStore(dest string) (string, error) {
	base := path.Base(dest)
	if dest == "" || strings.ContainsRune(dest, 0) || path.Clean(dest) != dest || base == "." || base == ".." || base == "/" {
		return "", fmt.Errorf("%q: not the path of a tree", dest)
	}
	return path.Join(path.Dir(dest), "."+base+".trees"), nil
}

func (n *Node) syncTree(ctx context.Context, op string, t *Tree, paths []string, opt SyncOptions) (SyncResult, error) {
	out := &limitBuffer{limit: maxTreeAnswer}
	err := n.script(ctx, op, Command{Stdin: strings.NewReader(t.ID + "\n"), Stdout: out}, treeQuery, paths...)
	if err != nil {
		return SyncResult{}, err
	}
	state, err := parseTreeState(out.Bytes())
	if err != nil {
		return SyncResult{}, n.failed(op, err)
	}
	if state.word == stateSame {
		return SyncResult{}, nil
	}
	stream, err := t.stream(ctx, state, opt.Delete)
	if errors.Is(err, errManifest) {
		err = fmt.Errorf("%w: to begin anew, remove %s and %s on the node", err, paths[0], paths[1])
	}
	if err != nil {
		return SyncResult{}, n.failed(op, err)
	}
	if stream.file == nil {
		return SyncResult{}, nil
	}
	return n.applyTree(ctx, op, stream, state.id, paths)
}

// maxTreeAnswer bounds the answer of treeQuery, in bytes.
const maxTreeAnswer = maxManifest

// applyTree sends a stream to a node with that manifest.
func (n *Node) applyTree(ctx context.Context, op string, s *treeStream, base string, paths []string) (SyncResult, error) {
	in := io.MultiReader(strings.NewReader(base+" "+s.head()), s.reader())
	out := &limitBuffer{limit: 256}
	if err := n.script(ctx, op, Command{Stdin: in, Stdout: out}, treeApply, paths...); err != nil {
		return SyncResult{}, err
	}
	if id := strings.TrimSpace(string(out.Bytes())); id != s.delta.id {
		return SyncResult{}, n.failed(op, fmt.Errorf("%.80q is there instead of %s", id, s.delta.id))
	}
	return SyncResult{Sent: len(s.delta.send), Removed: len(s.delta.remove), Bytes: s.size}, nil
}

// TreeLock is the file beside dest that SyncTree locks while it changes the tree. Whoever needs the tree to stay as it is, as a build does,
// holds a shared lock of it (flock -s).
func TreeLock(dest string) string {
	return path.Join(path.Dir(dest), "."+path.Base(dest)+".trees", "lock")
}

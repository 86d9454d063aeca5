package clusterenv

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// testTreeTwoAtOnce deploys different trees to one place at the same time: the last one is there, whole.
func testTreeTwoAtOnce(t *testing.T, s *testServer) {
	n := s.node(t)
	dest := filepath.Join(t.TempDir(), "tree")
	var wg sync.WaitGroup
	var all []map[string]string
	for i := range 4 {
		src := writeTree(t, map[string]string{"a/same": fmt.Sprint(i), "b": fmt.Sprint(i), "c": "x"})
		all = append(all, snapshot(t, src))
		wg.Go(func() {
			tree, err := ReadTree(within(t), src, TreeOptions{})
			if err == nil {
				_, err = n.SyncTree(within(t), tree, dest, SyncOptions{})
				tree.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.Contains(t, all, snapshot(t, dest))
}

// testTreeCut breaks the connection in the middle of the stream.
func testTreeCut(t *testing.T, s *testServer) {
	src, dest := writeTree(t, oddTree), filepath.Join(t.TempDir(), "tree")
	mustSync(t, s.node(t), src, dest, SyncOptions{})
	before := snapshot(t, src)
	big := make([]byte, 48<<20)
	rand.NewChaCha8([32]byte{3}).Read(big)
	writeFile(t, src+"/big", string(big))
	writeFile(t, src+"/-rf", "changed")

	p := newProxy(t, s.addr)
	n := dialThrough(t, s.target(t), p)
	work := filepath.Join(filepath.Dir(dest), ".tree.trees", "work")
	done := make(chan error, 1)
	go func() {
		_, err := syncDir(t, n, src, dest, SyncOptions{})
		done <- err
	}()
	for deadline := time.Now().Add(within10); ; {
		if info, err := os.Stat(work + "/stream"); err == nil && info.Size() > 0 {
			break
		}
		require.True(t, time.Now().Before(deadline), "no stream came")
	}
	p.cut()
	require.ErrorIs(t, <-done, ErrDisconnected)
	require.Eventually(t, func() bool { _, err := os.Stat(work); return os.IsNotExist(err) }, within10, tick, "left behind")
	require.Equal(t, before, snapshot(t, dest), "the old tree is kept")
	mustSync(t, s.node(t), src, dest, SyncOptions{})
	requireSame(t, src, dest)
}

// testTreeDiskFull deploys to a disk of 1 MiB.
func testTreeDiskFull(t *testing.T, s *testServer) {
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED with a full disk: mount: %v: %s (it needs root)", err, out)
	}
	t.Cleanup(func() {
		out, err := exec.Command("umount", disk).CombinedOutput()
		require.NoError(t, err, "%s", out)
	})
	n := s.node(t)
	src, dest := writeTree(t, map[string]string{"a": "1", "b": "2"}), disk+"/tree"
	mustSync(t, n, src, dest, SyncOptions{})
	before := snapshot(t, dest)
	zeros := strings.Repeat("\x00", 4<<20) // fits as it travels, and not unpacked
	noise := make([]byte, 4<<20)
	rand.NewChaCha8([32]byte{4}).Read(noise)
	for name, text := range map[string]string{"zeros": zeros, "noise": string(noise)} {
		writeFile(t, src+"/"+name, text)
		writeFile(t, src+"/a", "changed with "+name)
		_, err := syncDir(t, n, src, dest, SyncOptions{})
		require.ErrorContains(t, err, "the disk of "+disk+"/.tree.trees is full")
		require.Equal(t, before, snapshot(t, dest), "the old tree is kept")
		left, err := os.ReadDir(disk + "/.tree.trees")
		require.NoError(t, err)
		require.Len(t, left, 3, "a, a.meta, lock: %v", left)
		require.NoError(t, os.Remove(src+"/"+name))
	}
	mustSync(t, n, src, dest, SyncOptions{})
	requireSame(t, src, dest)
}

// testTreeEmpty: a tree of nothing is one, too, and so is one whose manifest is damaged.
func testTreeEmpty(t *testing.T, s *testServer) {
	n := s.node(t)
	src, dest := t.TempDir(), filepath.Join(t.TempDir(), "tree")
	mustSync(t, n, src, dest, SyncOptions{})
	require.Zero(t, mustSync(t, n, src, dest, SyncOptions{}))
	require.NoError(t, os.Remove(realDir(t, dest)+".meta/stat"))
	mustSync(t, n, src, dest, SyncOptions{})
	writeFile(t, src+"/a", "1")
	mustSync(t, n, src, dest, SyncOptions{})
	requireSame(t, src, dest)

	writeFile(t, src+"/a", "2")
	writeFile(t, realDir(t, dest)+".meta/manifest.gz", "noise")
	_, err := syncDir(t, n, src, dest, SyncOptions{})
	require.ErrorContains(t, err, "damaged manifest: ")
	require.ErrorContains(t, err, "to begin anew, remove "+dest+" and "+filepath.Dir(dest)+"/.tree.trees on the node")
}

// testTreeNotOurs: what was not deployed is not touched.
func testTreeNotOurs(t *testing.T, s *testServer) {
	n := s.node(t)
	src, dir := writeTree(t, map[string]string{"a": "1"}), writeTree(t, map[string]string{"theirs/x": "1", "file": "2"})
	require.NoError(t, os.Symlink("theirs", dir+"/link"))
	before := snapshot(t, dir)
	for name, problem := range map[string]string{"theirs": "was not deployed: move it away", "file": "was not deployed", "link": "is a link to theirs"} {
		_, err := syncDir(t, n, src, dir+"/"+name, SyncOptions{Delete: true})
		require.ErrorContains(t, err, problem)
		require.ErrorContains(t, err, "n0: deploy "+dir+"/"+name+": ")
	}
	require.Equal(t, before, snapshot(t, dir))
	for _, dest := range []string{"", "/", ".", "..", "a/..", "a/", "a//b"} {
		_, err := syncDir(t, n, src, dest, SyncOptions{})
		require.ErrorContains(t, err, "not the path of a tree", dest)
	}
	require.NoError(t, os.MkdirAll(dir+"/tree", 0o755))
	require.NoError(t, os.Remove(dir+"/tree"))
	mustSync(t, n, src, dir+"/tree", SyncOptions{})
	writeFile(t, dir+"/tree/b/of a build", "x")
	writeFile(t, src+"/b", "a file")
	_, err := syncDir(t, n, src, dir+"/tree", SyncOptions{})
	require.Error(t, err, "a directory with others' files is not replaced")
	require.FileExists(t, dir+"/tree/b/of a build")
}

package clusterenv

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/gzip"
)

// A treeStream is the input of treeApply for one delta: compressed archives, one after the other, in a file of the driver that has no name.
// Nodes that need the same get it from the same file.
type treeStream struct {
	ready chan struct{} // closed when the rest is there
	err   error
	delta *treeDelta
	file  *os.File
	meta  int64 // bytes of the first archive
	size  int64 // bytes of all
}

// stream gives the stream for what a node has. Nodes that have the same, untouched, share one.
func (t *Tree) stream(ctx context.Context, state *treeState, delete bool) (*treeStream, error) {
	t.mu.Lock()
	key := fmt.Sprint(state.word, state.id, delete)
	s := t.streams[key]
	if state.word == stateChanged {
		key, s = fmt.Sprint("changed ", len(t.streams)), nil
	}
	if s == nil {
		s = &treeStream{ready: make(chan struct{})}
		t.streams[key] = s
		t.mu.Unlock()
		s.err = s.make(t, state, delete)
		close(s.ready)
		return s, s.err
	}
	t.mu.Unlock()
	select {
	case <-s.ready:
		return s, s.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Close removes the temporary files of the tree.
func (t *Tree) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, s := range t.streams {
		if <-s.ready; s.file != nil {
			errs = append(errs, s.file.Close())
		}
	}
	clear(t.streams)
	return errors.Join(errs...)
}

// make finds out what is to be done, and writes the file unless that is nothing.
func (s *treeStream) make(t *Tree, state *treeState, delete bool) error {
	if err := state.read(); err != nil {
		return err
	}
	d := t.delta(state, delete)
	s.delta = d
	if state.word == stateIntact && d.empty() {
		return nil
	}
	f, err := os.CreateTemp("", "gotestbed-tree-*")
	if err != nil {
		return err
	}
	s.file = f
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	archives := []func(w *tar.Writer) error{
		func(w *tar.Writer) error { return d.writeMeta(w, d.metaFiles()) },
		func(w *tar.Writer) error { return t.writeEntries(w, "./", d.send) },
	}
	if d.patch {
		archives = []func(w *tar.Writer) error{func(w *tar.Writer) error {
			return errors.Join(d.writeMeta(w, nil), t.writeEntries(w, "tree/./", d.send))
		}}
	}
	for i, write := range archives {
		if err := packed(f, write); err != nil {
			return err
		}
		if s.size, err = f.Seek(0, io.SeekCurrent); err != nil {
			return err
		}
		if i == 0 {
			s.meta = s.size
		}
	}
	return nil
}

// head is what treeApply reads before the stream, after the ID.
func (s *treeStream) head() string {
	if s.delta.patch {
		e := s.delta.send[0]
		return fmt.Sprintf("patch %s\n./%s\n", e.sum, e.name)
	}
	return fmt.Sprintf("tree %d %d %d\n", s.meta, s.size, s.delta.stays)
}

// reader yields the stream from its beginning.
func (s *treeStream) reader() io.Reader { return io.NewSectionReader(s.file, 0, s.size) }

// packed writes a compressed archive.
func packed(w io.Writer, write func(*tar.Writer) error) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	a := tar.NewWriter(z)
	return errors.Join(write(a), a.Close(), z.Close())
}

// A metaFile is a file of what a node keeps of a tree.
type metaFile struct {
	name string
	data []byte
}

// metaFiles are what a node keeps of the tree beside its manifest, and what it needs to know beforehand. Names are ended by NUL and begin
// with "./".
//
//	meta/files   names of its files and links
//	meta/dirs    names of its directories
//	meta/remove  names of files and links to be removed
//	meta/rmdir   names of directories to be removed if nothing is in them, the innermost first
//	meta/check   names of the files that are sent
//	meta/sums    their SHA-256, a line each
func (d *treeDelta) metaFiles() []metaFile {
	files, dirs := split(d.after)
	remove, rmdir := split(d.remove)
	slices.Reverse(rmdir)
	var check []treeEntry
	var sums bytes.Buffer
	for _, e := range d.send {
		if e.kind == treeFile {
			check = append(check, e)
			fmt.Fprintln(&sums, e.sum)
		}
	}
	return []metaFile{
		{"files", nameList(files)},
		{"dirs", nameList(dirs)},
		{"remove", nameList(remove)},
		{"rmdir", nameList(rmdir)},
		{"check", nameList(check)},
		{"sums", sums.Bytes()},
	}
}

// writeMeta writes meta/manifest.gz, meta/id, its SHA-256 before it was compressed, and more.
func (d *treeDelta) writeMeta(w *tar.Writer, more []metaFile) error {
	var zipped bytes.Buffer
	z, err := gzip.NewWriterLevel(&zipped, gzip.BestSpeed)
	if err != nil {
		return err
	}
	z.Write(d.manifest) // to memory: it cannot fail
	if err := z.Close(); err != nil {
		return err
	}
	for _, f := range append([]metaFile{{"manifest.gz", zipped.Bytes()}, {"id", []byte(d.id + "\n")}}, more...) {
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "meta/" + f.name, Size: int64(len(f.data)), Mode: 0o644, Format: tar.FormatGNU})
		if err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	return nil
}

func nameList(entries []treeEntry) []byte {
	var b bytes.Buffer
	for _, e := range entries {
		b.WriteString("./")
		b.WriteString(e.name)
		b.WriteByte(0)
	}
	return b.Bytes()
}

// writeEntries writes entries of the tree. A file that is no longer as it was when the tree was read is an error.
func (t *Tree) writeEntries(w *tar.Writer, prefix string, entries []treeEntry) error {
	for _, e := range entries {
		if err := t.writeEntry(w, prefix, e); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return nil
}

// errTreeChanged marks a file that changed on the driver after the tree was read.
var errTreeChanged = errors.New("changed on this machine while the tree was deployed")

// writeEntry uses the GNU format: names and targets of any bytes and length.
func (t *Tree) writeEntry(w *tar.Writer, prefix string, e treeEntry) error {
	file := filepath.Join(t.Dir, filepath.FromSlash(e.name))
	h := &tar.Header{Name: prefix + e.name, Mode: int64(e.mode), Format: tar.FormatGNU}
	switch e.kind {
	case treeDir:
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
		return w.WriteHeader(h)
	case treeLink:
		target, err := os.Readlink(file)
		if err != nil {
			return err
		}
		h.Typeflag, h.Linkname = tar.TypeSymlink, target
		return w.WriteHeader(h)
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errTreeChanged
	}
	h.Typeflag, h.Size = tar.TypeReg, info.Size()
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	return copyHashed(w, f, info, e.sum)
}

// copyHashed copies a file of so many bytes with that hash.
func copyHashed(w io.Writer, r io.Reader, info fs.FileInfo, sum string) error {
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, h), io.LimitReader(r, info.Size()))
	switch {
	case err != nil:
		return err
	case n != info.Size() || hashText(h) != sum:
		return errTreeChanged
	}
	return nil
}

func hashText(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

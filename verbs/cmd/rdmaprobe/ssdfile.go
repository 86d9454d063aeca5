package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

const (
	// ssdUnit is what sizes and blocks are multiples of: pages are mapped, and direct I/O takes blocks of them.
	ssdUnit = 4096
	// ssdSeed is that of the pattern in the file.
	ssdSeed = 0x55d
	// ssdChunk is how much is written and compared at a time, in bytes.
	ssdChunk = 1 << 20
)

// What may be wrong with the file of ssd-serve.
var (
	errNoSpace = errors.New("no space on the disk")
	errForeign = errors.New("holds something else than ssd-serve writes: remove it, or name another file")
	errShort   = errors.New("the file is shorter than asked")
)

// An ssdFile is a file of which each byte follows from its offset, so that both sides know what it holds.
type ssdFile struct {
	path   string
	size   int64
	made   bool
	sums   map[int64]string // SHA-256 of its first bytes: of all, of half, a quarter and so on
	file   *os.File
	direct *os.File // past the page cache; nil if that cannot be
	reason error    // why it cannot
}

// openSSDFile opens the file, and writes it first unless it is there and has size bytes of what it should hold. Anything else at its
// place is left alone. Whatever comes, a file under that name is a whole one.
func openSSDFile(ctx context.Context, path string, size int64) (_ *ssdFile, err error) {
	s := &ssdFile{path: path, size: size}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	held, err := s.scan(ctx)
	if held < size && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		if err := s.make(ctx); err != nil {
			return nil, fmt.Errorf("make %s of %d bytes: %w", path, size, err)
		}
		s.made = true
		_, err = s.scan(ctx) // what the disk has counts, not what was written
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if s.file, err = os.Open(path); err != nil {
		return nil, err
	}
	if s.direct, s.reason = openDirect(path); s.reason == nil {
		return s, nil
	}
	if os.IsNotExist(s.reason) || os.IsPermission(s.reason) {
		return nil, s.reason
	}
	return s, nil
}

// scan compares the file with what it should hold, and sums it up. held is how many bytes are right, up to its end or its size.
func (s *ssdFile) scan(ctx context.Context) (held int64, err error) {
	stat, err := os.Stat(s.path)
	if err != nil {
		return 0, err
	}
	if !stat.Mode().IsRegular() {
		return 0, errForeign
	}
	f, err := os.Open(s.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	want, got := make([]byte, ssdChunk), make([]byte, ssdChunk)
	hash := sha256.New()
	s.sums = map[int64]string{}
	for held < s.size {
		if ctx.Err() != nil {
			return held, context.Cause(ctx)
		}
		n, err := io.ReadFull(f, got[:min(nextSum(s.size, held)-held, ssdChunk)])
		fillAt(want[:(n+7)&^7], held) // in words
		if !bytes.Equal(want[:n], got[:n]) {
			return held, errForeign
		}
		hash.Write(got[:n])
		held += int64(n)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return held, nil
		}
		if err != nil {
			return held, err
		}
		if held == nextSum(s.size, held-1) {
			s.sums[held] = hex.EncodeToString(hash.Sum(nil))
		}
	}
	return held, nil
}

// nextSum is the first size behind an offset of which a sum is kept.
func nextSum(size, offset int64) int64 {
	for size%(2*ssdUnit) == 0 && size/2 > offset {
		size /= 2
	}
	return size
}

// make writes the file under another name, and gives it its own when it is on the disk.
func (s *ssdFile) make(ctx context.Context) (err error) {
	if free, err := freeSpace(filepath.Dir(s.path)); err != nil {
		return err
	} else if free < s.size {
		return fmt.Errorf("%w: %d bytes are free in %s", errNoSpace, free, filepath.Dir(s.path))
	}
	partial := s.path + ".partial"
	f, err := os.Create(partial)
	if err != nil {
		return err
	}
	err = s.write(ctx, f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(partial, s.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(partial))
	}
	return nil
}

func (s *ssdFile) write(ctx context.Context, w io.Writer) error {
	chunk := make([]byte, ssdChunk)
	for at := int64(0); at < s.size; at += int64(len(chunk)) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		chunk = chunk[:min(ssdChunk, s.size-at)]
		fillAt(chunk, at)
		if _, err := w.Write(chunk); err != nil {
			return err
		}
	}
	return nil
}

// fillAt writes what the file holds at an offset. Offset and length are multiples of 8.
func fillAt(mem []byte, offset int64) {
	for i := 0; i < len(mem); i += 8 {
		binary.LittleEndian.PutUint64(mem[i:], patternWord(ssdSeed, uint64(offset+int64(i))/8))
	}
}

// readBlock reads bytes at an offset from the disk, directly where that can be.
func (s *ssdFile) readBlock(mem []byte, offset int64) error {
	f := s.direct
	if f == nil {
		f = s.file
	}
	n, err := f.ReadAt(mem, offset)
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: it ends at %d", errShort, offset+int64(n))
	}
	return err
}

// checkSSD says what is wrong with a size and a block of it.
func checkSSD(size, block int64) error {
	switch {
	case size < ssdUnit || size%ssdUnit != 0 || size > math.MaxInt:
		return fmt.Errorf("size %d: a multiple of %d bytes", size, ssdUnit)
	case block < ssdUnit || block%ssdUnit != 0 || block > maxSSDBlock:
		return fmt.Errorf("block %d: a multiple of %d bytes, up to %d", block, ssdUnit, maxSSDBlock)
	case size%block != 0:
		return fmt.Errorf("size %d: a multiple of the block, %d bytes", size, block)
	}
	return nil
}

// maxSSDBlock is how much one READ may have: 2 GiB is the limit of the protocol, and half of it the largest multiple of a page below.
const maxSSDBlock = 1 << 30

// Close closes the file, as far as it was opened. It stays where it is.
func (s *ssdFile) Close() error {
	var errs []error
	for _, f := range []*os.File{s.file, s.direct} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

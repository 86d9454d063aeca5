package main

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openDirect opens a file for reading past the page cache, and tries it: some file systems take the flag and fail later.
func openDirect(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		return nil, err
	}
	page, err := unix.Mmap(-1, 0, ssdUnit, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err == nil {
		_, err = f.ReadAt(page, 0)
		unix.Munmap(page)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// forget asks the kernel to drop the pages of the file's first bytes. Pages that are not on the disk yet could not be dropped.
func forget(f *os.File, size int64) error {
	if err := f.Sync(); err != nil {
		return err
	}
	return unix.Fadvise(int(f.Fd()), 0, size, unix.FADV_DONTNEED)
}

// resident is the share of the file's first bytes that is in the page cache: mincore(2).
func resident(f *os.File, size int64) (float64, error) {
	mem, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return 0, fmt.Errorf("map %s: %w", f.Name(), err)
	}
	defer unix.Munmap(mem)
	page := os.Getpagesize()
	in := make([]byte, (len(mem)+page-1)/page)
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&mem[0])), uintptr(len(mem)), uintptr(unsafe.Pointer(&in[0]))); errno != 0 {
		return 0, fmt.Errorf("mincore: %w", errno)
	}
	pages := 0
	for _, b := range in {
		pages += int(b & 1)
	}
	return float64(pages) / float64(len(in)), nil
}

// freeSpace is how many bytes this user may write to the file system of a directory.
func freeSpace(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return int64(s.Bavail) * s.Bsize, nil
}

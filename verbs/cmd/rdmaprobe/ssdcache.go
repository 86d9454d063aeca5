package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gotestbed/gotestbed/verbs/probe"
)

// cool takes the file's first bytes out of the page cache, as far as this process may.
func cool(f *os.File, size int64) (r probe.SSDRegistered, err error) {
	r.By = "fadvise"
	if err := forget(f, size); err != nil {
		return r, fmt.Errorf("cool the page cache: %w", err)
	}
	if r.Resident, err = resident(f, size); err != nil || r.Resident == 0 {
		return r, err
	}
	if err := dropCaches(); err != nil {
		r.Trouble = err.Error()
		return r, nil
	}
	r.By = "drop_caches"
	r.Resident, err = resident(f, size)
	return r, err
}

// warm reads the file's first bytes into the page cache.
func warm(f *os.File, size int64) (r probe.SSDRegistered, err error) {
	r.By = "reading"
	n, err := io.Copy(io.Discard, io.NewSectionReader(f, 0, size))
	if err == nil && n < size {
		err = errShort
	}
	if err != nil {
		return r, fmt.Errorf("warm the page cache: %w", err)
	}
	r.Resident, err = resident(f, size)
	return r, err
}

// dropCaches has the kernel drop all clean pages that nobody uses, which root may.
func dropCaches() error {
	f, err := os.OpenFile("/proc/sys/vm/drop_caches", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("1\n")
	return errors.Join(err, f.Close())
}

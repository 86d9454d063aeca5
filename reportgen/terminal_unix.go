//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalSize returns the size of the terminal that f is, in characters; ok is false if it is none.
func terminalSize(f *os.File) (width, height int, ok bool) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return 0, 0, false
	}
	return int(size.Col), int(size.Row), true
}

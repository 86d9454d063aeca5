//go:build !unix

package main

import "os"

// terminalSize knows no terminal here: progress is written line by line.
func terminalSize(*os.File) (width, height int, ok bool) { return 0, 0, false }

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// expand replaces the names that are patterns, as /tmp/aura_v27_*/summary.csv is if the shell left it alone, by what they match. A
// name that exists is none, and one that matches nothing stays, to be complained about.
func expand(names []string) []string {
	var list []string
	for _, name := range names {
		matches := []string{name}
		if strings.ContainsAny(name, "*?[") {
			if _, err := os.Lstat(name); err != nil {
				if found, err := filepath.Glob(name); err == nil && len(found) > 0 {
					matches = found
				}
			}
		}
		list = append(list, matches...)
	}
	return list
}

// isSummary reports whether a file is a summary.csv: its head names a cell and a rep.
func isSummary(f io.ReaderAt) bool {
	head := make([]byte, 4096)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return false // a pipe has no head that could be looked at
	}
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	fields := strings.Split(strings.TrimPrefix(strings.TrimSpace(string(line)), "\ufeff"), ",")
	for i := range fields {
		fields[i] = strings.Trim(strings.TrimSpace(fields[i]), `"`)
	}
	return slices.Contains(fields, "cell") && slices.Contains(fields, "rep")
}

package verbs

import (
	"io"
	"strings"
)

// ParsePerftestVersion reads what `ib_read_bw --version` and its siblings print: "Version: 6.06" (perftest,
// src/perftest_parameters.c). They end with exit status 1 all the same. It is the version of the package, and
// of what the two ends say to each other: ends of unlike versions may not understand each other.
func ParsePerftestVersion(r io.Reader) (string, error) {
	l := newLines(r)
	for l.next() {
		if v, ok := strings.CutPrefix(strings.TrimSpace(l.text), "Version:"); ok {
			if f := strings.Fields(v); len(f) == 1 {
				return f[0], nil
			}
		}
	}
	return "", l.inputError("perftest", "version")
}

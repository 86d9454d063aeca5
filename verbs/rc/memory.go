package rc

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
)

// memlock is how many bytes this process may lock: /proc/self/limits.
func memlock() (int64, bool) {
	fields, ok := procLine("/proc/self/limits", "Max locked memory")
	if !ok || len(fields) < 1 {
		return 0, false
	}
	if fields[0] == "unlimited" {
		return math.MaxInt64, true
	}
	n, err := strconv.ParseInt(fields[0], 10, 64)
	return n, err == nil
}

// available is how many bytes can be taken without swapping: /proc/meminfo.
func available() (int64, bool) {
	fields, ok := procLine("/proc/meminfo", "MemAvailable:")
	if !ok || len(fields) < 1 {
		return 0, false
	}
	kb, err := strconv.ParseInt(fields[0], 10, 64)
	return kb << 10, err == nil
}

// procLine returns the fields behind the words that a line of a file in /proc begins with.
func procLine(file, words string) ([]string, bool) {
	f, err := os.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), words); ok {
			return strings.Fields(rest), true
		}
	}
	return nil, false
}

package verbs

import (
	"io"
	"regexp"
	"strconv"
	"strings"
)

// GIDTable is the output of show_gids.
type GIDTable struct {
	GIDs      []GID
	Count     *int // what its last line says; nil when that line is missing
	Malformed []BadLine
	Truncated bool // the last line is missing, or says another number than there are rows
}

var (
	gidRow   = regexp.MustCompile(`^\s*([\w.-]+)\s+(\d+)\s+(\d+)\s+([0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){2,7})(?:\s+([0-9.]+))?(?:\s+(v[12]))?(?:\s+([\w.@-]+))?\s*$`)
	gidCount = regexp.MustCompile(`^\s*n_gids_found=(\d+)\s*$`)
	gidHead  = regexp.MustCompile(`^\s*DEV\s+PORT\s+INDEX\s+GID`)
)

// ParseShowGIDs reads `show_gids` (MLNX_OFED, a script over sysfs). Cells can be empty, so that columns
// are told by their form, not by their number. A table without rows is no error.
func ParseShowGIDs(r io.Reader) (GIDTable, error) {
	l := newLines(r)
	var t GIDTable
	head := false
	for l.next() {
		head = head || gidHead.MatchString(l.text)
		t.line(l.text, l.num)
		if len(t.GIDs) > maxItems {
			return GIDTable{}, &SyntaxError{"show_gids", l.num, "too many rows"}
		}
	}
	if l.err != nil || !head && len(t.GIDs) == 0 && t.Count == nil {
		return GIDTable{}, l.inputError("show_gids", "GID table")
	}
	t.Truncated = l.partial() || t.Count == nil || *t.Count != len(t.GIDs)
	return t, nil
}

func (t *GIDTable) line(text string, num int) {
	if m := gidCount.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			t.Count = &n
		}
		return
	}
	m := gidRow.FindStringSubmatch(text)
	if m == nil {
		return
	}
	index, err := strconv.Atoi(m[3])
	addr, ok := parseGID(m[4])
	port := small(m[2], 255)
	if err != nil || !ok || port == 0 {
		if len(t.Malformed) < maxItems {
			t.Malformed = append(t.Malformed, BadLine{num, shorten(strings.TrimSpace(text))})
		}
		return
	}
	t.GIDs = append(t.GIDs, GID{Device: m[1], Port: port, Index: index, Addr: addr, Type: gidType(m[6]), Netdev: m[7]})
}

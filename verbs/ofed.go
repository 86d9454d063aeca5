package verbs

import (
	"io"
	"regexp"
	"strconv"
	"strings"
)

// OFED is the version of the driver package.
type OFED struct {
	Flavour string // MLNX_OFED_LINUX, OFED-internal, …
	Version string // 4.9-7.1.0.0
	Major   int
	Minor   int
}

// ExpVerbs reports whether the package still has the experimental verbs (ibv_exp_*), which MLNX_OFED dropped in 5.0.
func (o OFED) ExpVerbs() bool {
	mellanox := strings.HasPrefix(o.Flavour, "MLNX_") || o.Flavour == "OFED-internal"
	return mellanox && o.Major < 5
}

var ofedLine = regexp.MustCompile(`^\s*((?:MLNX_|OFED|DOCA)[A-Za-z_]*(?:-[a-z]+)*)-((\d{1,4})\.(\d{1,4})[\w.]*(?:-[\w.]+)?):?\s*$`)

// ParseOFED reads `ofed_info -s` (MLNX_OFED; the version ends in a colon). Without MLNX_OFED there is no such tool,
// and the error is compatible with ErrToolMissing when the shell said so.
func ParseOFED(r io.Reader) (OFED, error) {
	l := newLines(r)
	var found *OFED
	for l.next() {
		m := ofedLine.FindStringSubmatch(l.text)
		if m == nil || found != nil {
			continue
		}
		major, _ := strconv.Atoi(m[3])
		minor, _ := strconv.Atoi(m[4])
		found = &OFED{Flavour: m[1], Version: m[2], Major: major, Minor: minor}
	}
	if l.err != nil || found == nil {
		return OFED{}, l.inputError("ofed_info", "version")
	}
	return *found, nil
}

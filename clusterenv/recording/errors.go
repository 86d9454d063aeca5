package recording

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// ErrNeverRecorded marks what no recording was ever made of: a test without a directory, or a subtest that its recording does
// not know. It is a matter of recording it, not of a changed request.
var ErrNeverRecorded = errors.New("never recorded")

// A FormatError says why a recording is refused.
type FormatError struct {
	File   string
	Offset int64 // in bytes, from 0
	Msg    string
	Remedy string // how to make it anew
}

func (e *FormatError) Error() string {
	s := fmt.Sprintf("%s: byte %d: %s", e.File, e.Offset, e.Msg)
	if e.Remedy != "" {
		s += "; record it again: " + e.Remedy
	}
	return s
}

// remedy is the command that records a test anew. Dir is the recording's directory, tag that of the run that made it.
func remedy(dir, tag string) string {
	if tag == "" {
		tag = "local"
	}
	name := filepath.Base(dir)
	selected := "-run '^" + name + "$'"
	if strings.HasPrefix(name, "Benchmark") {
		selected = "-run '^$' -bench '^" + name + "$'"
	}
	return fmt.Sprintf("go test -tags %s -timeout 0 ./e2e %s -record %s", tag, selected, filepath.Dir(dir))
}

// neverRecorded is the error for a test without a directory.
func neverRecorded(dir string) error {
	return fmt.Errorf("%s: %w: no %s; record it: %s", filepath.Base(dir), ErrNeverRecorded, dir, remedy(dir, ""))
}

// A MissError says that a request is not in the recording, or no more often than it was asked already. It is compatible with
// errors.Is(err, clusterenv.ErrNotRecorded), and with ErrNeverRecorded when nothing was recorded in the request's scope.
type MissError struct {
	Recording string // directory
	Node      string
	Scope     string
	Reason    string
	Request   string // all of it
	Nearest   string // the recorded request of this scope and node that is most like it; empty if there is none
	Diff      string // from Nearest to Request, line by line

	never bool
}

func (e *MissError) Error() string {
	s := fmt.Sprintf("%v in %s, scope %s: %s\n\nasked of %s:\n%s", clusterenv.ErrNotRecorded, e.Recording, e.Scope, e.Reason, e.Node, indent(e.Request))
	if e.Nearest != "" {
		s += fmt.Sprintf("\nnearest request recorded there:\n%s\ndifference (- recorded, + asked):\n%s", indent(e.Nearest), indent(e.Diff))
	}
	return s
}

func (e *MissError) Unwrap() []error {
	if e.never {
		return []error{clusterenv.ErrNotRecorded, ErrNeverRecorded}
	}
	return []error{clusterenv.ErrNotRecorded}
}

package clusterenv

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// ErrDisconnected marks an error after which it is not known what became of the command: the connection to the node was
// lost, was never made, or did not answer keepalives.
var ErrDisconnected = errors.New("node disconnected")

// ErrNotRecorded marks the error of a replayed command that the recording does not hold (package recording).
var ErrNotRecorded = errors.New("not recorded")

// An ExitError says that a command ran on a node and did not end with exit status 0.
type ExitError struct {
	Status int    // exit status; meaningless when Signal is set
	Signal string // name without SIG, as in "KILL"; empty if the command was not ended by a signal
	Stderr []byte // the end of what the command wrote to stderr, where it was kept
}

// Error is in the manner of os/exec: "exit status 255: text", "signal KILL".
func (e *ExitError) Error() string {
	end := fmt.Sprintf("exit status %d", e.Status)
	if e.Signal != "" {
		end = "signal " + e.Signal
	}
	if text := bytes.TrimSpace(e.Stderr); len(text) > 0 {
		end += ": " + string(text)
	}
	return end
}

// An OpError says on which node which operation failed. It reads "cn0: ibstatus mlx5_2: exit status 255: …".
type OpError struct {
	Node string // name in the cluster file
	Op   string // the command, or a word such as "dial"
	Err  error
}

func (e *OpError) Error() string {
	return strings.Join([]string{e.Node, e.Op, e.Err.Error()}, ": ")
}

func (e *OpError) Unwrap() error { return e.Err }

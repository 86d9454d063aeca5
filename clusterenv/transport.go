package clusterenv

import (
	"context"
	"io"
)

// A Command is one program to be run on a node.
//
// Argv reaches the program as it is: no shell interprets it on the way. A command that needs a shell names it
// (Argv: "sh", "-c", a constant script, then the data as positional arguments).
// Commands start in the user's home directory with a non-login environment.
type Command struct {
	Argv   []string
	Stdin  io.Reader // nil is an empty input
	Stdout io.Writer // nil discards
	Stderr io.Writer // nil discards
	Hint   Hint      // for recordings
}

// A Hint tells whoever records a command (package recording) what cannot be seen from outside. Transports that talk to nodes
// ignore it.
type Hint int

const (
	_            Hint = iota
	HintFileIn        // stdin is a file and then its SHA-256, as Push sends it
	HintFileOut       // stdout is a size, a file and its SHA-256, as Pull reads it
	HintArchive       // stdout is a line and then a tar archive, as PullDir reads it
	HintIdentity      // stdout is the home directory, the login name and more, a line each, as Open reads it
	HintEnd           // the command lasts until something else on the node comes to its end
	HintPeriodic      // a clock sends it: no test asked for it, and its output means nothing
)

// A Transport starts commands on one node. It is safe for concurrent use.
type Transport interface {
	// Start begins cmd and returns once the node has accepted it. The returned wait blocks until the command has
	// ended and all its output has been written; it is called exactly once. wait returns nil for exit status 0, an
	// *ExitError for any other end of the command, and an error compatible with errors.Is(err, ErrDisconnected) when
	// the connection was lost, so that the command's fate is unknown.
	//
	// When ctx ends, the command's whole process group on the node is terminated, and wait returns an error compatible
	// with errors.Is(err, context.Cause(ctx)).
	Start(ctx context.Context, cmd Command) (wait func() error, err error)

	// Close ends the connection. Commands still running are lost (see ErrDisconnected); daemons run on.
	Close() error
}

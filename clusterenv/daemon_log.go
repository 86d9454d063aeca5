package clusterenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Tail writes the daemon's log to w, from its start and as it grows, until the daemon has ended (nil) or ctx has.
func (d *Daemon) Tail(ctx context.Context, w io.Writer) error {
	op := "log of " + d.name
	counted := &countWriter{w: w}
	err := d.node.script(ctx, op, Command{Stdout: counted}, daemonTail, d.args()...)
	var exit *ExitError
	if errors.As(err, &exit) && exit.Status == exitMore {
		next := strconv.FormatInt(counted.n+1, 10)
		err = d.node.script(ctx, op, Command{Stdout: w}, daemonRest, d.args(next)...)
	}
	return daemonError(err)
}

// countWriter counts what passes through it.
type countWriter struct {
	w io.Writer
	n int64
}

func (c *countWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Write sends data to the daemon's held stdin.
func (d *Daemon) Write(ctx context.Context, data string) error {
	return daemonError(d.node.script(ctx, "write to "+d.name, Command{Stdin: strings.NewReader(data)}, daemonWrite, d.args()...))
}

// An EndedError says that a daemon ended before it had printed what was waited for.
type EndedError struct {
	Want string // what was waited for
	Exit Exit
	Tail string // the end of the log
}

func (e *EndedError) Error() string {
	s := fmt.Sprintf("ended before it printed %q: %v", e.Want, e.Exit)
	if t := strings.TrimSpace(e.Tail); t != "" {
		s += "; its last output:\n" + t
	}
	return s
}

// Unwrap is the *ExitError of the end, and nil for exit status 0.
func (e *EndedError) Unwrap() error { return e.Exit.Err() }

// errFound ends a tail that has shown what it was for.
var errFound = errors.New("found")

// WaitLine reads the daemon's log from its start, as it grows, and returns the first line that holds substring, without its
// line ending; a line beyond 64 KiB is cut there. When the daemon ends first, the error is an *EndedError.
func (d *Daemon) WaitLine(ctx context.Context, substring string) (string, error) {
	look := &lineFinder{want: []byte(substring), found: make(chan string, 1), tail: tailBuffer{limit: stderrTail}}
	ended := make(chan error, 1)
	go func() { ended <- d.Tail(ctx, look) }()
	select {
	case line := <-look.found: // the tail is being ended meanwhile
		return line, nil
	case err := <-ended:
		return d.lineOrEnd(ctx, look, err)
	}
}

func (d *Daemon) lineOrEnd(ctx context.Context, look *lineFinder, err error) (string, error) {
	look.flush()
	select {
	case line := <-look.found:
		return line, nil
	default:
	}
	if err != nil {
		return "", err
	}
	exit, err := d.Wait(ctx)
	if err != nil {
		return "", err
	}
	ended := &EndedError{Want: string(look.want), Exit: exit, Tail: string(look.tail.Bytes())}
	return "", d.node.failed(d.name, ended)
}

// maxLine is how much of a line a lineFinder looks at, in bytes.
const maxLine = 64 << 10

// A lineFinder is a Writer that looks for a line. When it has found it, Write fails with errFound.
type lineFinder struct {
	want  []byte
	found chan string // of capacity 1
	line  []byte      // the line that is not yet at its end
	done  bool
	tail  tailBuffer
}

func (f *lineFinder) Write(p []byte) (int, error) {
	n := len(p)
	f.tail.Write(p)
	for !f.done && len(p) > 0 {
		part, rest, whole := bytes.Cut(p, []byte("\n"))
		f.line = append(f.line, part[:min(len(part), maxLine-len(f.line))]...)
		if whole {
			f.flush()
		}
		p = rest
	}
	if f.done {
		return 0, errFound
	}
	return n, nil
}

// flush looks at the line as it stands and begins the next.
func (f *lineFinder) flush() {
	if !f.done && bytes.Contains(f.line, f.want) {
		f.done = true
		f.found <- strings.TrimSuffix(string(f.line), "\r")
	}
	f.line = f.line[:0]
}

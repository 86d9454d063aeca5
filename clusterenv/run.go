package clusterenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

const (
	// MaxOutput is the most that Run, RunInput and Script return, in bytes. More is an error that ends the command:
	// data of any size goes to a file on the node and comes from there by Pull.
	MaxOutput = 16 << 20
	// stderrTail is how much of the end of stderr an ExitError keeps, in bytes.
	stderrTail = 4 << 10
)

// ErrTooMuchOutput marks a command that was ended because it wrote more than MaxOutput to stdout.
var ErrTooMuchOutput = errors.New("too much output")

// Run runs a program on the node and returns what it wrote to stdout. Any end but exit status 0 is an *ExitError with
// the end of stderr, wrapped in an *OpError.
func (n *Node) Run(ctx context.Context, argv ...string) ([]byte, error) {
	return n.RunInput(ctx, nil, argv...)
}

// RunInput is Run with an input.
func (n *Node) RunInput(ctx context.Context, stdin io.Reader, argv ...string) ([]byte, error) {
	stdout := &limitBuffer{limit: MaxOutput}
	err := n.capture(ctx, Command{Argv: argv, Stdin: stdin, Stdout: stdout})
	if err != nil {
		return nil, err
	}
	return stdout.Bytes(), nil
}

// Script runs a shell script on the node: sh -c script name args… . The script is constant; all data comes as $1, $2, …,
// so that none of it is ever read as shell text. The name stands for it in errors.
func (n *Node) Script(ctx context.Context, name, script string, args ...string) ([]byte, error) {
	return n.hinted(ctx, 0, name, script, args...)
}

// PeriodicScript is Script for what a clock asks and no test: it is neither recorded nor, on replay, answered with anything.
func (n *Node) PeriodicScript(ctx context.Context, name, script string, args ...string) ([]byte, error) {
	return n.hinted(ctx, HintPeriodic, name, script, args...)
}

// hinted is Script with a hint for recordings.
func (n *Node) hinted(ctx context.Context, hint Hint, name, script string, args ...string) ([]byte, error) {
	stdout := &limitBuffer{limit: MaxOutput}
	err := n.script(ctx, name, Command{Stdout: stdout, Hint: hint}, script, args...)
	if err != nil {
		return nil, err
	}
	return stdout.Bytes(), nil
}

// script runs a script whose streams are those of cmd.
func (n *Node) script(ctx context.Context, name string, cmd Command, script string, args ...string) error {
	cmd.Argv = append([]string{"sh", "-c", script, name}, args...)
	return operation(name, n.capture(ctx, cmd))
}

// capture runs cmd to its end and puts the end of its stderr into the error.
func (n *Node) capture(ctx context.Context, cmd Command) error {
	tail := &tailBuffer{limit: stderrTail}
	if cmd.Stderr == nil {
		cmd.Stderr = tail
	}
	wait, err := n.Start(ctx, cmd)
	if err == nil {
		err = wait()
	}
	var exit *ExitError
	if errors.As(err, &exit) {
		exit.Stderr = tail.Bytes()
	}
	return err
}

// operation says by name what failed, in place of a command line.
func operation(name string, err error) error {
	var op *OpError
	if errors.As(err, &op) {
		return &OpError{Node: op.Node, Op: name, Err: op.Err}
	}
	return err
}

// failed is the error of an operation of the node.
func (n *Node) failed(op string, err error) error {
	var inner *OpError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return &OpError{Node: n.Name, Op: op, Err: err}
}

// limitBuffer keeps what is written to it, and fails beyond its limit.
type limitBuffer struct {
	buf   bytes.Buffer // not embedded: its ReadFrom would pass the limit by
	limit int
}

func (b *limitBuffer) Write(p []byte) (int, error) {
	if b.buf.Len()+len(p) > b.limit {
		return 0, fmt.Errorf("%w: more than %d MiB on stdout", ErrTooMuchOutput, b.limit>>20)
	}
	return b.buf.Write(p)
}

// Bytes is all that was written.
func (b *limitBuffer) Bytes() []byte { return b.buf.Bytes() }

// tailBuffer keeps the end of what is written to it.
type tailBuffer struct {
	buf   []byte
	limit int
}

func (b *tailBuffer) Write(p []byte) (int, error) {
	n := len(p)
	if n > b.limit {
		p = p[n-b.limit:]
	}
	if over := len(b.buf) + len(p) - b.limit; over > 0 {
		b.buf = append(b.buf[:0], b.buf[over:]...)
	}
	b.buf = append(b.buf, p...)
	return n, nil
}

// Bytes is the end of what was written.
func (b *tailBuffer) Bytes() []byte { return b.buf }

package recording

import (
	"context"
	"fmt"
	"io"

	"github.com/gotestbed/gotestbed/clusterenv"
)

var errClosed = fmt.Errorf("%w: the replayed cluster is closed", clusterenv.ErrDisconnected)

// A replayTransport answers for one node.
type replayTransport struct {
	replay *Replay
	node   string
	open   context.Context // ended by Close
	close  context.CancelCauseFunc
}

func newReplayTransport(r *Replay, node string) *replayTransport {
	t := &replayTransport{replay: r, node: node}
	t.open, t.close = context.WithCancelCause(context.Background())
	return t
}

// Close implements clusterenv.Transport.
func (t *replayTransport) Close() error {
	t.close(errClosed)
	return nil
}

// Start implements clusterenv.Transport. A miss is an error of Start, or of wait if it took the input to find out.
func (t *replayTransport) Start(ctx context.Context, cmd clusterenv.Command) (func() error, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	unhook := context.AfterFunc(t.open, func() { cancel(errClosed) })
	over := func() { unhook(); cancel(nil) }
	q, e, err := t.begin(ctx, cmd)
	if err != nil {
		over()
		return nil, err
	}
	done := make(chan error, 1)
	go func() {
		defer over()
		done <- t.play(ctx, cmd, q, e)
	}()
	return func() error { return <-done }, nil
}

// begin finds the answer, unless that takes the input.
func (t *replayTransport) begin(ctx context.Context, cmd clusterenv.Command) (q *question, e *entry, err error) {
	if t.open.Err() != nil {
		return nil, nil, errClosed
	}
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if cmd.Hint == clusterenv.HintPeriodic {
		return nil, periodic, nil
	}
	q = t.replay.question(ScopeOf(ctx), t.node, cmd)
	e = t.replay.blind(q)
	if e == nil && cmd.Stdin == nil {
		if e, err = t.replay.match(q); err != nil {
			return nil, nil, err
		}
	}
	if e != nil && e.End.AtStart { // there may be output all the same: it can come before the node has said that it will run the command
		if err = t.play(ctx, cmd, q, e); err != nil {
			return nil, nil, err
		}
	}
	return q, e, nil
}

// periodic is the answer to what a clock asks.
var periodic = &entry{Request: &Request{Form: FormPlain, End: End{Kind: EndExit}}}

// play answers a question, whose entry is nil if that depends on the input.
func (t *replayTransport) play(ctx context.Context, cmd clusterenv.Command, q *question, e *entry) error {
	if e == nil {
		var err error
		if q.input, err = t.readInput(ctx, cmd); err != nil {
			return err
		}
		if e, err = t.replay.match(q); err != nil {
			return err
		}
	}
	if cmd.Hint == clusterenv.HintEnd && e.End.Kind != EndCancelled {
		if err := t.replay.hold(ctx, e); err != nil {
			return err
		}
		defer t.replay.answered(e)
	}
	if err := t.output(ctx, cmd, e.Request); err != nil {
		return err
	}
	return t.end(ctx, e)
}

// readInput reads the command's input to its end, unless ctx ends before.
func (t *replayTransport) readInput(ctx context.Context, cmd clusterenv.Command) (asked, error) {
	type result struct {
		in  asked
		err error
	}
	read := make(chan result, 1)
	go func() {
		in, err := readInput(cmd.Stdin, cmd.Hint, &t.replay.values, t.replay.red)
		read <- result{in, err}
	}()
	select {
	case r := <-read:
		return r.in, r.err
	case <-ctx.Done():
		return asked{}, context.Cause(ctx)
	}
}

// output writes what the command wrote, as long as ctx has not ended.
func (t *replayTransport) output(ctx context.Context, cmd clusterenv.Command, r *Request) error {
	stdout := writerFor(ctx, cmd.Stdout)
	stderr := writerFor(ctx, cmd.Stderr)
	if r.Form != FormPlain {
		if err := t.files(stdout, r); err != nil {
			return err
		}
	}
	for _, c := range mapChunks(r.Output, t.replay.values.putBack) {
		w := stdout
		if c.Stderr {
			w = stderr
		}
		if err := writePieces(w, c.Data); err != nil {
			return err
		}
	}
	return nil
}

func (t *replayTransport) files(w io.Writer, r *Request) error {
	files := make([]File, len(r.Files))
	for i, f := range r.Files {
		files[i] = File{
			Name: string(t.replay.values.putBack([]byte(f.Name), nil)), Mode: f.Mode, Data: t.replay.values.putBack(f.Data, nil),
		}
	}
	if r.Form == FormFile {
		return putFile(w, files[0].Data)
	}
	return putArchive(w, r.Line, files, r.Form == FormArchive)
}

// end is how the command ended. One that the test ended lasts until the test ends it again.
func (t *replayTransport) end(ctx context.Context, e *entry) error {
	if e.End.Kind != EndCancelled {
		end := e.End
		end.Text = string(t.replay.values.putBack([]byte(end.Text), nil))
		return end.err()
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// A contextWriter fails once its context has ended.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func writerFor(ctx context.Context, w io.Writer) io.Writer {
	if w == nil {
		w = io.Discard
	}
	return contextWriter{ctx, w}
}

func (c contextWriter) Write(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.w.Write(p)
}

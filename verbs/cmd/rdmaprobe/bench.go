package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/gotestbed/gotestbed/verbs/probe"
	"github.com/gotestbed/gotestbed/verbs/rc"
)

var benchOps = map[string]rc.Op{"fetch_add": rc.FetchAdd, "cas": rc.CompareSwap, "read": rc.Read, "write": rc.Write, "send": rc.Send}

// bench measures how many operations a second are done, with as many under way as the depth says.
func bench(ctx context.Context, fs *flag.FlagSet, args []string, s stdio) (err error) {
	var c common
	c.register(fs)
	peer := fs.String("peer", "", "`address` that serve printed")
	name := fs.String("op", "read", "fetch_add, cas, read, write or send")
	size := fs.Int("size", 65536, "of an operation, in `bytes`; atomics have 8")
	depth := fs.Int("depth", 128, "`operations` under way")
	iters := fs.Int("iters", 1000, "`operations` in all")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	op := benchOps[*name]
	if op == rc.FetchAdd || op == rc.CompareSwap {
		*size = 8
	}
	if op == 0 || *peer == "" || *size < 1 || *depth < 1 || *iters < 1 {
		fmt.Fprintln(fs.Output(), "-op is unknown, -peer is missing, or -size, -depth or -iters is not positive")
		return errUsage
	}
	token, err := s.token()
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	cl, err := dial(ctx, c, *peer, token, max(*size, 8), *depth, *size)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cl.Close()) }()
	m := probe.Measured{Op: *name, Size: *size, Depth: *depth, Iterations: *iters}
	if err := cl.measure(ctx, op, &m); err != nil {
		return fmt.Errorf("client: %s: %w", *name, err)
	}
	return s.print(m)
}

func (c *client) measure(ctx context.Context, op rc.Op, m *probe.Measured) error {
	if op == rc.Send {
		if _, err := c.ask(request{Do: doReceive, Size: m.Size, Count: m.Iterations}); err != nil {
			return err
		}
	}
	took, err := c.pump(ctx, c.request(op, 0, m.Size), m.Depth, m.Iterations)
	if err != nil {
		return err
	}
	if op == rc.Send {
		if _, err := c.control.answer("receive to the end"); err != nil {
			return err
		}
	}
	m.Seconds = took.Seconds()
	m.OpsPerSec = float64(m.Iterations) / m.Seconds
	m.BytesPerSec = m.OpsPerSec * float64(m.Size)
	return nil
}

// pump does the same request n times, with up to depth under way. The requests are posted in groups, of which the last has a completion:
// the queue is never empty, and what a completion costs is shared.
func (c *client) pump(ctx context.Context, wr rc.WR, depth, n int) (time.Duration, error) {
	group := max(1, depth/4)
	batch, done := make([]rc.WR, group*(depth/group)), make([]rc.Completion, depth)
	start := time.Now()
	for posted, ended := 0, 0; ended < n; {
		room := min(depth-(posted-ended), n-posted)
		if room < n-posted {
			room -= room % group
		}
		batch = batch[:0]
		for i := range room {
			w := wr
			last := posted+i+1 == n || (posted+i+1)%group == 0
			if !last {
				w.Flags |= rc.Unsignal
			}
			w.ID = uint64(posted + i + 1) // so many have ended when this one has
			batch = append(batch, w)
		}
		stepCtx, cancel := context.WithTimeout(ctx, c.timeout)
		_, got, err := c.qp.PostPoll(stepCtx, batch, done, 1)
		cancel()
		for i := range got {
			err = errors.Join(done[i].Err(), err)
			ended = int(done[i].ID)
		}
		if err != nil {
			return 0, fmt.Errorf("%d of %d operations: %w", ended, n, err)
		}
		posted += room
	}
	return time.Since(start), nil
}

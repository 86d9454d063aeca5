package rc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A CQ is a completion queue, in which requests of queue pairs end.
type CQ struct {
	device *Device
	depth  int

	turn   chan struct{} // holds a token while somebody polls
	raw    []rawCompletion
	events *os.File // the channel on which the device tells of completions

	cq, channel handle
	closed      bool // guarded by device.mu

	reserved int // completions that the open queue pairs may have at a time; in the device's books
	ends     int // of open queue pairs
}

// NewCQ makes a queue for depth completions.
func (d *Device) NewCQ(depth int) (*CQ, error) {
	if err := d.use(); err != nil {
		return nil, err
	}
	defer d.mu.RUnlock()
	if depth < 1 || depth > d.info.Limits.MaxCQE {
		return nil, d.errorf("completion queue of %d: %w: the device takes 1 to %d", depth, ErrTooLarge, d.info.Limits.MaxCQE)
	}
	c := &CQ{device: d, depth: depth, turn: make(chan struct{}, 1), raw: make([]rawCompletion, min(depth, 64))}
	var fd int
	var err error
	if c.cq, c.channel, fd, err = d.lib.createCQ(d.ctx, depth); err != nil {
		return nil, d.errorf("completion queue of %d: create: %w", depth, err)
	}
	if c.events, err = eventFile(fd); err != nil {
		return nil, errors.Join(d.errorf("completion queue: %w", err), d.lib.destroyCQ(c.cq, c.channel))
	}
	d.count(func() { d.open.cqs++ })
	return c, nil
}

// eventFile is a second descriptor of a channel, since libibverbs closes the first.
func eventFile(fd int) (*os.File, error) {
	second, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("duplicate descriptor of completion channel: %w", err)
	}
	return os.NewFile(uintptr(second), "completion channel"), nil
}

// Poll takes up to len(out) completions, and waits until there are at least so many. Completions of failed requests are among
// them: ask for their Err. With an error, for instance that the context ended, come the completions that were taken before.
func (c *CQ) Poll(ctx context.Context, out []Completion, least int) (int, error) {
	return c.take(ctx, out, least, func(raw []rawCompletion, least int) (int, error) {
		return c.device.lib.poll(c.cq, raw, least)
	})
}

// A pollFunc fills raw, and waits a bounded time for the least number. The device lock is held.
type pollFunc func(raw []rawCompletion, least int) (int, error)

// take polls, for its caller alone.
func (c *CQ) take(ctx context.Context, out []Completion, least int, poll pollFunc) (got int, err error) {
	if least > len(out) {
		return 0, c.device.errorf("poll: %w: %d completions do not fit into %d", ErrRequest, least, len(out))
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return 0, c.device.errorf("poll: somebody else polls this queue: %w", ctx.Err())
	}
	for {
		n, err := c.poll(out[got:], least-got, poll)
		got += n
		if err == nil && n == 0 && got < least {
			n, err = c.wait(ctx, out[got:], poll)
			got += n
		}
		if err != nil {
			return got, c.device.errorf("poll: %d of %d completions: %w", got, least, err)
		}
		if got >= least {
			return got, nil
		}
	}
}

// poll polls once.
func (c *CQ) poll(out []Completion, least int, poll pollFunc) (int, error) {
	c.device.mu.RLock()
	defer c.device.mu.RUnlock()
	if c.closed {
		return 0, fmt.Errorf("completion queue: %w", ErrClosed)
	}
	raw := c.raw[:min(len(out), len(c.raw))]
	n, err := poll(raw, max(0, min(least, len(raw))))
	for i := range n {
		out[i] = raw[i].completion()
	}
	return n, err
}

// wait sleeps until the device tells of a completion, unless one came before it was asked to. It may return early with none.
func (c *CQ) wait(ctx context.Context, out []Completion, poll pollFunc) (int, error) {
	deadline, _ := ctx.Deadline()
	c.events.SetReadDeadline(deadline) // before the last look: who closes something first marks it and then calls wake
	stop := context.AfterFunc(ctx, c.wake)
	defer stop()
	n, err := c.poll(out, 0, func(raw []rawCompletion, least int) (int, error) {
		if err := c.device.lib.arm(c.cq); err != nil {
			return 0, fmt.Errorf("ask for an event: %w", err)
		}
		return poll(raw, least)
	})
	if n > 0 || err != nil {
		return n, err
	}
	return 0, c.sleep(ctx)
}

var longAgo = time.Unix(1, 0)

// sleep waits for an event, for the deadline that wait has set or for wake.
func (c *CQ) sleep(ctx context.Context) error {
	conn, err := c.events.SyscallConn()
	if err != nil {
		return err
	}
	var eventErr error
	err = conn.Read(func(uintptr) bool {
		eventErr = c.takeEvent()
		return !errors.Is(eventErr, unix.EAGAIN)
	})
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ctx.Err()
	case err != nil && c.isClosed(): // the error is one that no package exports
		return fmt.Errorf("completion queue: %w", ErrClosed)
	case err != nil:
		return fmt.Errorf("wait for an event: %w", err)
	}
	return eventErr
}

func (c *CQ) takeEvent() error {
	c.device.mu.RLock()
	defer c.device.mu.RUnlock()
	if c.closed {
		return fmt.Errorf("completion queue: %w", ErrClosed)
	}
	return c.device.lib.takeEvent(c.channel)
}

func (c *CQ) isClosed() bool {
	c.device.mu.RLock()
	defer c.device.mu.RUnlock()
	return c.closed
}

// wake makes a poll that sleeps look again.
func (c *CQ) wake() { c.events.SetReadDeadline(longAgo) }

// Close destroys the queue. As long as a queue pair uses it, it returns ErrBusy.
func (c *CQ) Close() error {
	if err := c.destroy(); err != nil {
		return c.device.errorf("completion queue: close: %w", err)
	}
	return c.events.Close()
}

func (c *CQ) destroy() error {
	c.device.mu.Lock()
	defer c.device.mu.Unlock()
	switch {
	case c.closed:
		return ErrClosed
	case c.ends > 0:
		return fmt.Errorf("%w: %d ends of queue pairs", ErrBusy, c.ends)
	}
	if err := c.device.lib.destroyCQ(c.cq, c.channel); err != nil {
		return err
	}
	c.closed = true
	c.device.open.cqs--
	return nil
}

// reserve sets places aside for an end of a queue pair: a queue that overflows stops all queue pairs that use it. Done in the
// device's books.
func (c *CQ) reserve(n int) error {
	if c.closed {
		return fmt.Errorf("completion queue: %w", ErrClosed)
	}
	if n > c.depth-c.reserved {
		return fmt.Errorf("%w: a completion queue of %d, %d of them set aside already, has no place for %d", ErrTooLarge, c.depth, c.reserved, n)
	}
	c.reserved += n
	c.ends++
	return nil
}

func (c *CQ) release(n int) {
	c.reserved -= n
	c.ends--
}

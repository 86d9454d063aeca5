package clusterenv

import (
	"context"
	"sync"
	"time"
)

// A dialClock ends a dial that takes too long. It stands still while a person is asked for a passphrase.
type dialClock struct {
	mu    sync.Mutex
	left  time.Duration
	since time.Time // when the time began to run; zero while it stands still
	timer *time.Timer
}

// newDialClock returns a context that ends, with context.DeadlineExceeded as its cause, after so much time of the clock.
func newDialClock(parent context.Context, limit time.Duration) (context.Context, context.CancelFunc, *dialClock) {
	ctx, cancel := context.WithCancelCause(parent)
	c := &dialClock{left: limit, since: time.Now()}
	c.timer = time.AfterFunc(limit, func() { cancel(context.DeadlineExceeded) })
	return ctx, func() { c.timer.Stop(); cancel(context.Canceled) }, c
}

// stop holds the clock until start is called.
func (c *dialClock) stop() (start func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() || !c.timer.Stop() {
		return func() {} // stands still already, or is over
	}
	c.left -= time.Since(c.since)
	c.since = time.Time{}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.since = time.Now()
		c.timer.Reset(max(c.left, 0))
	}
}

// remains is the time that is left.
func (c *dialClock) remains() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() {
		return c.left
	}
	return c.left - time.Since(c.since)
}

package rc

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/gotestbed/gotestbed/verbs"
)

// Post posts requests to the send queue, in order, and returns how many it took. It takes none of a batch in which one is invalid. A
// queue without room is an error compatible with ErrQueueFull.
func (q *QP) Post(wr []WR) (posted int, err error) {
	err = q.using(func() error {
		raw, err := q.prepare(wr)
		if err != nil {
			return err
		}
		posted, err = q.device.lib.post(q.qp, raw)
		return postError(posted, len(raw), err)
	})
	return posted, err
}

// PostRecv posts requests to the receive queue, in order, and returns how many it took. It takes none of a batch in which one is invalid.
func (q *QP) PostRecv(wr []RecvWR) (posted int, err error) {
	err = q.using(func() error {
		raw, err := q.prepareRecv(wr)
		if err != nil {
			return err
		}
		posted, err = q.device.lib.postRecv(q.qp, raw)
		return postError(posted, len(raw), err)
	})
	return posted, err
}

// PostPoll is Post, and then Poll of the queue pair's send CQ, in one call to the device. When not all requests were posted it does not
// wait for completions. While another goroutine polls that CQ it posts nothing: with a poller of its own, use Post.
func (q *QP) PostPoll(ctx context.Context, wr []WR, out []Completion, least int) (posted, got int, err error) {
	first := true
	got, err = q.config.SendCQ.take(ctx, out, least, func(raw []rawCompletion, least int) (n int, err error) {
		if q.closed {
			return 0, q.wrap(ErrClosed)
		}
		if !first {
			return q.device.lib.poll(q.config.SendCQ.cq, raw, least)
		}
		first = false
		posted, n, err = q.postPoll(wr, raw, least)
		return n, err
	})
	return posted, got, err
}

// postPoll is the first poll of PostPoll. The device lock is held.
func (q *QP) postPoll(wr []WR, out []rawCompletion, least int) (posted, got int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	raw, err := q.prepare(wr)
	if err != nil {
		return 0, 0, q.wrap(err)
	}
	posted, got, postErr, pollErr := q.device.lib.postPoll(q.qp, raw, q.config.SendCQ.cq, out, least)
	return posted, got, errors.Join(q.wrap(postError(posted, len(raw), postErr)), pollErr)
}

// Do posts requests and waits until the last of them has ended. The error is that of the first that failed, a *CompletionError
// whose ID is the request's index here; the ids of the requests and their flag Unsignal are not used. Nothing else may
// complete on the queue pair's send CQ meanwhile.
func (q *QP) Do(ctx context.Context, wr ...WR) error {
	switch {
	case len(wr) == 0:
		return nil
	case len(wr) > 1<<indexBits:
		return q.wrap(fmt.Errorf("%w: %d requests in one Do", ErrQueueFull, len(wr)))
	}
	own, batch := q.number(wr)
	out := make([]Completion, len(wr))
	_, got, err := q.PostPoll(ctx, own, out, 1)
	for {
		last, failed := q.outcome(out[:got], batch, len(wr))
		if err = errors.Join(failed, err); last || err != nil {
			return err
		}
		_, got, err = q.PostPoll(ctx, nil, out, 1) // not Poll, which knows nothing of a queue pair that is closed
	}
}

// indexBits is the part of an id of Do that is the request's index; the rest numbers the batch.
const indexBits = 16

// number copies requests, with ids by which their completions are known again.
func (q *QP) number(wr []WR) ([]WR, uint64) {
	q.mu.Lock()
	q.batch = (q.batch + 1) & (1<<(idBits-indexBits) - 1)
	batch := q.batch
	q.mu.Unlock()
	own := make([]WR, len(wr))
	for i, w := range wr {
		w.ID = batch<<indexBits | uint64(i)
		w.Flags |= Unsignal
		if i == len(wr)-1 {
			w.Flags &^= Unsignal
		}
		own[i] = w
	}
	return own, batch
}

// outcome looks for the end of a batch of n requests. Completions of an earlier batch, whose caller did not wait, are passed over.
func (q *QP) outcome(done []Completion, batch uint64, n int) (last bool, err error) {
	for _, c := range done {
		if c.QPN != q.qpn || c.Op == Recv {
			return true, q.wrap(fmt.Errorf("%w: %s of queue pair %#x completed on the CQ of a Do", ErrRequest, c.Op, c.QPN))
		}
		if c.ID>>indexBits != batch {
			continue
		}
		c.ID &= 1<<indexBits - 1
		if err := c.Err(); err != nil {
			return true, q.device.errorf("%w", err)
		}
		last = last || int(c.ID) == n-1
	}
	return last, nil
}

// prepare checks requests and turns them into what the device takes.
func (q *QP) prepare(wr []WR) ([]rawSend, error) {
	if q.state != verbs.QPRTS && q.state != verbs.QPErr {
		return nil, fmt.Errorf("%w: %v; requests are posted in RTS", ErrState, q.state)
	}
	if len(wr) > len(q.sends) {
		return nil, fmt.Errorf("%w: %d requests at once, and the send queue has %d places", ErrQueueFull, len(wr), len(q.sends))
	}
	raw := q.sends[:len(wr)]
	for i := range wr {
		if err := wr[i].raw(q, &raw[i]); err != nil {
			return nil, err
		}
	}
	return raw, nil
}

func (q *QP) prepareRecv(wr []RecvWR) ([]rawRecv, error) {
	if len(wr) > len(q.recvs) {
		return nil, fmt.Errorf("%w: %d requests at once, and the receive queue has %d places", ErrQueueFull, len(wr), len(q.recvs))
	}
	raw := q.recvs[:len(wr)]
	for i := range wr {
		if err := wr[i].raw(q, &raw[i]); err != nil {
			return nil, err
		}
	}
	return raw, nil
}

// postError says what an errno of ibv_post_send or ibv_post_recv means.
func postError(posted, n int, err error) error {
	if errors.Is(err, unix.ENOMEM) || errors.Is(err, unix.EAGAIN) {
		err = fmt.Errorf("%w: %w", ErrQueueFull, err)
	}
	if err != nil {
		return fmt.Errorf("posted %d of %d requests: %w", posted, n, err)
	}
	return nil
}

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"net"
	"time"

	"github.com/gotestbed/gotestbed/verbs"
	"github.com/gotestbed/gotestbed/verbs/rc"
)

// A link is one queue pair with its memory region and completion queues.
type link struct {
	mr         *rc.MR
	send, recv *rc.CQ
	qp         *rc.QP
	peer       verbs.QueuePair
}

// newLink makes what a connection needs. The region is open to the peer.
func newLink(dev *rc.Device, size, depth int) (_ *link, err error) {
	l := &link{}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if l.mr, err = dev.Register(size, verbs.RemoteRead|verbs.RemoteWrite|verbs.RemoteAtomic); err != nil {
		return nil, err
	}
	if l.send, err = dev.NewCQ(depth); err != nil {
		return nil, err
	}
	if l.recv, err = dev.NewCQ(depth); err != nil {
		return nil, err
	}
	params, limits := verbs.DefaultRC(), dev.Info().Limits
	params.MaxRdAtomic = uint8(min(limits.MaxRdAtomic, maxRdAtomic))
	params.MaxDestRdAtomic = uint8(min(limits.MaxDestRdAtomic, maxRdAtomic))
	l.qp, err = dev.NewQP(rc.QPConfig{SendCQ: l.send, RecvCQ: l.recv, SendDepth: depth, RecvDepth: depth, Params: params})
	return l, err
}

// maxRdAtomic bounds the READs and atomics in flight, which a device bounds too; perftest takes what the device does.
const maxRdAtomic = math.MaxUint8

// Close closes what was made, as far as it was.
func (l *link) Close() error {
	var errs []error
	if l.qp != nil {
		errs = append(errs, l.qp.Close())
	}
	for _, cq := range []*rc.CQ{l.send, l.recv} {
		if cq != nil {
			errs = append(errs, cq.Close())
		}
	}
	if l.mr != nil {
		errs = append(errs, l.mr.Close())
	}
	return errors.Join(errs...)
}

// exchange connects the queue pair with that at the other end of conn, whose region has at least need bytes.
func (l *link) exchange(conn net.Conn, side verbs.Side, token verbs.Token, need int, timeout time.Duration) error {
	if err := conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	agreed, err := verbs.Exchange(conn, verbs.Offer{
		Side: side, Token: token, Random: rand.Reader, Local: l.qp.Card(l.mr), Need: uint64(need),
	}, l.qp.Connect)
	l.peer = agreed.Peer
	return err
}

// do carries out requests, within the time of a step.
func (l *link) do(ctx context.Context, timeout time.Duration, wr ...rc.WR) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return l.qp.Do(ctx, wr...)
}

// request is a request for n bytes at an offset of the peer's region, from or to the same offset of the own.
func (l *link) request(op rc.Op, off, n int) rc.WR {
	return rc.WR{Op: op, Local: l.mr.Segment(off, n), RemoteAddr: l.peer.Address + uint64(off), RemoteKey: l.peer.RKey}
}

// A client is a link to a server, with the connection for what cannot be done by RDMA.
type client struct {
	*link
	conn    net.Conn
	control *control
	dev     *rc.Device
	timeout time.Duration
}

// dial connects to a server whose region has at least need bytes.
func dial(ctx context.Context, c common, peer string, token verbs.Token, size, depth, need int) (_ *client, err error) {
	cl := &client{timeout: c.timeout}
	defer func() {
		if err != nil {
			err = errors.Join(named(err), cl.Close())
		}
	}()
	if cl.dev, err = rc.Open(c.Config); err != nil {
		return nil, err
	}
	if cl.link, err = newLink(cl.dev, size, depth); err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: c.timeout}
	if cl.conn, err = dialer.DialContext(ctx, "tcp", peer); err != nil {
		return nil, err
	}
	cl.control = newControl(cl.conn)
	return cl, cl.exchange(cl.conn, verbs.ClientSide, token, need, c.timeout)
}

// ask has the server do something.
func (c *client) ask(r request) (reply, error) {
	if err := c.conn.SetDeadline(time.Now().Add(c.timeout)); err != nil {
		return reply{}, err
	}
	return c.control.ask(r)
}

// Close closes what was opened, as far as it was.
func (c *client) Close() error {
	var errs []error
	if c.conn != nil {
		errs = append(errs, c.conn.Close())
	}
	if c.link != nil {
		errs = append(errs, c.link.Close())
	}
	if c.dev != nil {
		errs = append(errs, c.dev.Close())
	}
	return errors.Join(errs...)
}

// named puts the side before an error, unless the exchange did.
func named(err error) error {
	if e := (*verbs.ExchangeError)(nil); errors.As(err, &e) {
		return err
	}
	return fmt.Errorf("client: %w", err)
}

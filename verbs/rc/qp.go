package rc

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gotestbed/gotestbed/verbs"
)

// QPConfig says what a queue pair needs.
type QPConfig struct {
	SendCQ, RecvCQ       *CQ // where its requests end; may be the same
	SendDepth, RecvDepth int // requests under way; 0 is 1
	MaxInline            int // bytes; the device may offer more, or none
	Params               verbs.RCParams
}

// A QP is a reliable-connected queue pair. One goroutine at a time posts to it; others wait for their turn.
type QP struct {
	device    *Device
	config    QPConfig
	qpn       uint32
	maxInline int // bytes

	qp     handle
	closed bool // guarded by device.mu

	mu    sync.Mutex // guards what follows; taken after device.mu
	state verbs.QPState
	sends []rawSend
	recvs []rawRecv
	batch uint64 // of Do
}

// NewQP makes a queue pair and takes it to INIT, where requests to receive may be posted. The zero Params are verbs.DefaultRC.
func (d *Device) NewQP(c QPConfig) (*QP, error) {
	if err := d.use(); err != nil {
		return nil, err
	}
	defer d.mu.RUnlock()
	c.SendDepth, c.RecvDepth = max(c.SendDepth, 1), max(c.RecvDepth, 1)
	if c.Params == (verbs.RCParams{}) {
		c.Params = verbs.DefaultRC()
	}
	if err := d.checkQP(c); err != nil {
		return nil, d.errorf("queue pair: %w", err)
	}
	q := &QP{device: d, config: c, sends: make([]rawSend, c.SendDepth), recvs: make([]rawRecv, c.RecvDepth)}
	if err := q.reserve(); err != nil {
		return nil, d.errorf("queue pair: %w", err)
	}
	if err := q.create(); err != nil {
		d.count(q.release)
		return nil, d.errorf("queue pair: %w", err)
	}
	return q, nil
}

func (d *Device) checkQP(c QPConfig) error {
	switch most := d.info.Limits; {
	case c.SendCQ == nil || c.RecvCQ == nil:
		return fmt.Errorf("%w: a completion queue for each end", ErrRequest)
	case c.SendCQ.device != d || c.RecvCQ.device != d:
		return fmt.Errorf("%w: a completion queue of another device", ErrRequest)
	case c.SendDepth > most.MaxQPWR || c.RecvDepth > most.MaxQPWR:
		return fmt.Errorf("%w: %d and %d requests; the device takes %d (max_qp_wr)", ErrTooLarge, c.SendDepth, c.RecvDepth, most.MaxQPWR)
	case int(c.Params.MaxRdAtomic) > most.MaxRdAtomic:
		return fmt.Errorf("%w: max_rd_atomic %d; the device takes %d (max_qp_init_rd_atom)", ErrTooLarge, c.Params.MaxRdAtomic, most.MaxRdAtomic)
	case int(c.Params.MaxDestRdAtomic) > most.MaxDestRdAtomic:
		return fmt.Errorf("%w: max_dest_rd_atomic %d; the device takes %d (max_qp_rd_atom)", ErrTooLarge, c.Params.MaxDestRdAtomic, most.MaxDestRdAtomic)
	}
	return c.Params.Check()
}

// reserve sets places for both ends aside, or none.
func (q *QP) reserve() (err error) {
	q.device.count(func() {
		if err = q.config.SendCQ.reserve(q.config.SendDepth); err != nil {
			return
		}
		if err = q.config.RecvCQ.reserve(q.config.RecvDepth); err != nil {
			q.config.SendCQ.release(q.config.SendDepth)
			return
		}
		q.device.open.qps++
	})
	return err
}

func (q *QP) release() {
	q.config.SendCQ.release(q.config.SendDepth)
	q.config.RecvCQ.release(q.config.RecvDepth)
	q.device.open.qps--
}

func (q *QP) create() (err error) {
	c := q.config
	q.qp, q.qpn, q.maxInline, err = q.device.lib.createQP(q.device.pd, c.SendCQ.cq, c.RecvCQ.cq, c.SendDepth, c.RecvDepth, c.MaxInline)
	if err != nil {
		return fmt.Errorf("create, %d requests to send and %d to receive, %d bytes inline: %w", c.SendDepth, c.RecvDepth, c.MaxInline, err)
	}
	err = q.modify(verbs.QPInit, &qpParams{
		port:   uint8(q.device.info.Port),
		access: uint8(verbs.RemoteRead | verbs.RemoteWrite | verbs.RemoteAtomic),
	})
	if err != nil {
		return errors.Join(err, q.device.lib.destroyQP(q.qp))
	}
	return nil
}

// modify takes the queue pair to its next state, with what that one requires.
func (q *QP) modify(to verbs.QPState, p *qpParams) error {
	t, ok := verbs.RCTransition(q.state, to)
	if !ok {
		return fmt.Errorf("%w: %v cannot become %v", ErrState, q.state, to)
	}
	if err := q.device.lib.modifyQP(q.qp, int(to), int(t.Required), p); err != nil {
		return fmt.Errorf("%v to %v: %w", q.state, to, err)
	}
	q.state = to
	return nil
}

// Card is what the peer must know of the queue pair, and of a region that the peer may use; nil for none.
func (q *QP) Card(m *MR) verbs.QueuePair {
	i, p := q.device.info, q.config.Params
	card := verbs.QueuePair{
		Link: i.LinkLayer, GID: i.GID, LID: i.LID, QPN: q.qpn, PSN: p.SQPSN, MTU: i.MTU,
		MaxRdAtomic: p.MaxRdAtomic, MaxDestRdAtomic: p.MaxDestRdAtomic,
	}
	if m != nil {
		card.RKey, card.Address, card.Length = m.rkey, m.addr, uint64(m.size)
	}
	return card
}

// Connect takes the queue pair to RTR and RTS with what both sides agreed upon. It has the form that verbs.Exchange calls.
func (q *QP) Connect(a verbs.Agreement) error {
	return q.using(func() error {
		i, c := q.device.info, q.config.Params
		p := &qpParams{
			destQPN: a.Peer.QPN, rqPSN: a.Peer.PSN, sqPSN: c.SQPSN, dlid: a.Peer.LID,
			port: uint8(i.Port), pathMTU: a.MTU.Code(),
			maxRdAtomic: a.MaxRdAtomic, maxDestRdAtomic: a.MaxDestRdAtomic,
			minRNRTimer: c.MinRNRTimer, timeout: c.Timeout, retryCnt: c.RetryCnt, rnrRetry: c.RNRRetry,
		}
		if i.LinkLayer == verbs.LinkEthernet {
			if !a.Peer.GID.IsValid() {
				return fmt.Errorf("%w: the peer has none", ErrGID)
			}
			p.isGlobal, p.sgidIndex, p.hopLimit, p.dgid = 1, uint8(i.GIDIndex), 64, a.Peer.GID.As16()
		}
		if a.MTU > i.ActiveMTU {
			return fmt.Errorf("%w: %d bytes is larger than the active MTU, %d", ErrMTU, a.MTU, i.ActiveMTU)
		}
		if err := q.modify(verbs.QPRTR, p); err != nil {
			return err
		}
		return q.modify(verbs.QPRTS, p)
	})
}

// Fail takes the queue pair to ERR: all that is under way ends with StatusFlushed, or with what went wrong before.
func (q *QP) Fail() error {
	return q.using(func() error { return q.modify(verbs.QPErr, &qpParams{}) })
}

// State asks the device for the state of the queue pair.
func (q *QP) State() (state verbs.QPState, err error) {
	err = q.using(func() error {
		n, err := q.device.lib.queryQP(q.qp)
		state = verbs.QPState(n)
		return err
	})
	return state, err
}

// Number is the number of the queue pair.
func (q *QP) Number() uint32 { return q.qpn }

// MaxInline is how many bytes a request with Inline may have.
func (q *QP) MaxInline() int { return q.maxInline }

// using runs a function while the queue pair cannot be closed, and names it before an error.
func (q *QP) using(f func() error) error {
	q.device.mu.RLock()
	defer q.device.mu.RUnlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	err := ErrClosed
	if !q.closed {
		err = f()
	}
	return q.wrap(err)
}

func (q *QP) wrap(err error) error {
	if err == nil {
		return nil
	}
	return q.device.errorf("queue pair %#x: %w", q.qpn, err)
}

// Close destroys the queue pair. What is under way ends; the peer's requests to it fail.
func (q *QP) Close() error {
	if err := q.destroy(); err != nil {
		return q.wrap(fmt.Errorf("close: %w", err))
	}
	q.config.SendCQ.wake()
	return nil
}

func (q *QP) destroy() error {
	q.device.mu.Lock()
	defer q.device.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	if err := q.device.lib.destroyQP(q.qp); err != nil {
		return err
	}
	q.closed = true
	q.release()
	return nil
}

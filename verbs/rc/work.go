package rc

import "fmt"

// An Op is what a work request does.
type Op uint8

// The operations.
const (
	Write       Op = iota + 1 // local bytes to remote memory
	Read                      // remote bytes to local memory
	Send                      // local bytes to a receive request of the peer
	CompareSwap               // 8 remote bytes become Swap if they are Compare; the old value goes to local memory
	FetchAdd                  // Add is added to 8 remote bytes; the old value goes to local memory
	Recv                      // bytes of a peer's Send to local memory
)

var opNames = [...]string{Write: "WRITE", Read: "READ", Send: "SEND", CompareSwap: "CMP_AND_SWAP", FetchAdd: "FETCH_AND_ADD", Recv: "RECV"}

func (o Op) String() string {
	if int(o) < len(opNames) && opNames[o] != "" {
		return opNames[o]
	}
	return fmt.Sprintf("operation %d", uint8(o))
}

// opcodes are enum ibv_wr_opcode.
var opcodes = [...]uint32{Write: 0, Send: 2, Read: 4, CompareSwap: 5, FetchAdd: 6}

func (o Op) atomic() bool { return o == CompareSwap || o == FetchAdd }

// writesLocal reports whether the device writes into local memory.
func (o Op) writesLocal() bool { return o == Read || o == Recv || o.atomic() }

// Flags change how a request is carried out: enum ibv_send_flags.
type Flags uint32

// The flags.
const (
	Fence    Flags = 1 << 0 // begin only when earlier READs and atomics have ended
	Inline   Flags = 1 << 3 // take the bytes when posting: their memory may be used again at once
	Unsignal Flags = 1 << 8 // no completion unless it fails; its place in the queue is free again only after a later one that has one

	signaled Flags = 1 << 1
)

// A Segment is a piece of a memory region.
type Segment struct {
	MR  *MR
	Off int // from the region's beginning, in bytes
	Len int // in bytes; 0 is allowed for all but atomics
}

// A WR is a work request for the send queue.
type WR struct {
	ID         uint64 // comes back in the completion; below 1<<56
	Op         Op
	Flags      Flags
	Local      Segment
	RemoteAddr uint64 // not for Send
	RemoteKey  uint32
	Compare    uint64 // CompareSwap
	Swap       uint64 // CompareSwap
	Add        uint64 // FetchAdd
}

// A RecvWR is a work request for the receive queue.
type RecvWR struct {
	ID    uint64 // below 1<<56
	Local Segment
}

// A Completion is the end of a work request.
type Completion struct {
	ID        uint64
	Op        Op
	Status    Status
	VendorErr uint32
	Bytes     int    // received by Recv
	QPN       uint32 // number of the local queue pair
}

// Err is nil, or a *CompletionError.
func (c *Completion) Err() error {
	if c.Status == Success {
		return nil
	}
	return &CompletionError{Status: c.Status, VendorErr: c.VendorErr, Op: c.Op, ID: c.ID, QPN: c.QPN}
}

// The device does not say which operation a failed request was: the id that it gets carries it in the upper bits.
const idBits = 56

// rawSend is struct rc_send of ibverbs.h.
type rawSend struct {
	id         uint64
	localAddr  uint64
	remoteAddr uint64
	compareAdd uint64
	swap       uint64
	localLen   uint32
	localKey   uint32
	remoteKey  uint32
	opcode     uint32
	flags      uint32
	_          uint32
}

// rawRecv is struct rc_recv of ibverbs.h.
type rawRecv struct {
	id   uint64
	addr uint64
	len  uint32
	key  uint32
}

// rawCompletion is struct rc_wc of ibverbs.h.
type rawCompletion struct {
	id        uint64
	status    uint32
	vendorErr uint32
	byteLen   uint32
	qpn       uint32
}

func (r *rawCompletion) completion() Completion {
	return Completion{
		ID: r.id & (1<<idBits - 1), Op: Op(r.id >> idBits), Status: Status(r.status),
		VendorErr: r.vendorErr, Bytes: int(r.byteLen), QPN: r.qpn,
	}
}

// raw checks a request of queue pair q and turns it into what the device takes. The device lock is held.
func (w *WR) raw(q *QP, to *rawSend) error {
	if w.Op < Write || w.Op > FetchAdd {
		return fmt.Errorf("%w: %s has no place in a send queue", ErrRequest, w.Op)
	}
	if err := w.check(q); err != nil {
		return fmt.Errorf("%s, request %d: %w", w.Op, w.ID, err)
	}
	flags := w.Flags & (Fence | Inline)
	if w.Flags&Unsignal == 0 {
		flags |= signaled
	}
	*to = rawSend{
		id: w.ID | uint64(w.Op)<<idBits, remoteAddr: w.RemoteAddr, remoteKey: w.RemoteKey,
		opcode: opcodes[w.Op], flags: uint32(flags),
	}
	if w.Local.Len > 0 {
		to.localAddr, to.localLen, to.localKey = w.Local.MR.addr+uint64(w.Local.Off), uint32(w.Local.Len), w.Local.MR.lkey
	}
	switch w.Op {
	case CompareSwap:
		to.compareAdd, to.swap = w.Compare, w.Swap
	case FetchAdd:
		to.compareAdd = w.Add
	}
	return nil
}

// raw checks a request to receive, as that of a WR does.
func (w *RecvWR) raw(q *QP, to *rawRecv) error {
	if w.ID >= 1<<idBits {
		return fmt.Errorf("RECV, request %d: %w: its id needs more than %d bits", w.ID, ErrRequest, idBits)
	}
	if err := w.Local.check(q.device, true); err != nil {
		return fmt.Errorf("RECV, request %d: %w", w.ID, err)
	}
	*to = rawRecv{id: w.ID | uint64(Recv)<<idBits}
	if w.Local.Len > 0 {
		to.addr, to.len, to.key = w.Local.MR.addr+uint64(w.Local.Off), uint32(w.Local.Len), w.Local.MR.lkey
	}
	return nil
}

func (w *WR) check(q *QP) error {
	if w.ID >= 1<<idBits {
		return fmt.Errorf("%w: its id needs more than %d bits", ErrRequest, idBits)
	}
	if err := w.Local.check(q.device, w.Op.writesLocal()); err != nil {
		return err
	}
	if w.Op.atomic() {
		if w.Local.Len != 8 || w.Local.Off%8 != 0 {
			return fmt.Errorf("%w: the local memory of an atomic must be 8 bytes at a multiple of 8, not %d bytes at %d", ErrRequest, w.Local.Len, w.Local.Off)
		}
		if w.RemoteAddr%8 != 0 {
			return fmt.Errorf("%w: remote address %#x of an atomic is not a multiple of 8", ErrRequest, w.RemoteAddr)
		}
	}
	if w.Flags&Inline != 0 && (w.Local.Len > q.maxInline || w.Op.writesLocal()) {
		return fmt.Errorf("%w: %d bytes cannot be sent inline (up to %d, and only WRITE and SEND)", ErrRequest, w.Local.Len, q.maxInline)
	}
	return nil
}

// check looks whether a segment is a piece of an open region of the device.
func (s *Segment) check(d *Device, write bool) error {
	if s.MR == nil {
		if s.Len == 0 {
			return nil
		}
		return fmt.Errorf("%w: %d bytes of no memory region", ErrRequest, s.Len)
	}
	switch m := s.MR; {
	case m.device != d:
		return fmt.Errorf("%w: the memory region belongs to another device", ErrRequest)
	case m.closed:
		return fmt.Errorf("memory region: %w", ErrClosed)
	case s.Off < 0 || s.Len < 0 || s.Len > m.size || s.Off > m.size-s.Len:
		return fmt.Errorf("%w: %d bytes at %d of a memory region of %d bytes", ErrRequest, s.Len, s.Off, m.size)
	case int64(s.Len) > d.maxMessage:
		return fmt.Errorf("%w: a message of %d bytes; %s takes up to %d", ErrTooLarge, s.Len, d.info.Device, d.maxMessage)
	case write && m.readOnly:
		return fmt.Errorf("%w: the memory region is read-only", ErrRequest)
	}
	return nil
}

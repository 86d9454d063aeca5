package rc

import (
	"os"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gotestbed/gotestbed/verbs"
)

// A fake stands for libibverbs. It has one device with an active port, counts what is open, and completes what a test tells it to.
type fake struct {
	limits Limits
	port   portAttr
	gids   map[int][16]byte

	mu      sync.Mutex
	open    map[handle]string // kind of each open object
	states  map[handle]int    // of queue pairs
	done    []rawCompletion
	armed   bool
	tell    *os.File // the other end of the completion channel
	posted  []rawSend
	postErr error
	regErr  error
}

func newFake() *fake {
	gid := [16]byte{10: 0xff, 11: 0xff, 12: 10, 13: 10, 14: 1, 15: 3}
	return &fake{
		limits: Limits{MaxMRSize: 1 << 40, MaxMR: 10, MaxQP: 10, MaxQPWR: 64, MaxCQ: 10, MaxCQE: 256, MaxRdAtomic: 16, MaxDestRdAtomic: 16, Atomics: true},
		port:   portAttr{state: 4, maxMTU: 5, activeMTU: 3, gids: 8, maxMessage: 1 << 30, linkLayer: 2},
		gids:   map[int][16]byte{0: {0: 0xfe, 1: 0x80, 15: 1}, 3: gid},
		open:   map[handle]string{}, states: map[handle]int{},
	}
}

// opened opens the fake's device.
func opened(t *testing.T, f *fake) *Device {
	t.Helper()
	d, err := open(f, Config{Device: "mlx5_2", GIDIndex: 3})
	require.NoError(t, err)
	return d
}

// connected is a queue pair in RTS with queues of its own.
func connected(t *testing.T, d *Device) (*QP, *MR, *CQ) {
	t.Helper()
	m, err := d.Register(1<<16, verbs.RemoteRead|verbs.RemoteWrite)
	require.NoError(t, err)
	c, err := d.NewCQ(64)
	require.NoError(t, err)
	q, err := d.NewQP(QPConfig{SendCQ: c, RecvCQ: c, SendDepth: 16, RecvDepth: 16})
	require.NoError(t, err)
	card := q.Card(m)
	require.NoError(t, q.Connect(verbs.Agreement{Local: card, Peer: card, MTU: card.MTU, MaxRdAtomic: 1, MaxDestRdAtomic: 1}))
	return q, m, c
}

func (f *fake) make(kind string) handle {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := handle(unsafe.Pointer(new([8]byte)))
	f.open[h] = kind
	return h
}

func (f *fake) destroy(h handle) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open[h] == "" {
		panic("destroyed twice")
	}
	delete(f.open, h)
	return nil
}

func (f *fake) devices() ([]string, error) { return []string{"mlx5_0", "mlx5_2"}, nil }

func (f *fake) openDevice(name string) (handle, error) {
	if name != "mlx5_2" {
		return nil, nil
	}
	return f.make("device"), nil
}
func (f *fake) closeDevice(h handle) error         { return f.destroy(h) }
func (f *fake) queryDevice(handle) (Limits, error) { return f.limits, nil }
func (f *fake) queryPort(_ handle, port int) (p portAttr, _ error) {
	if port != 1 {
		return p, unix.EINVAL
	}
	return f.port, nil
}
func (f *fake) queryGID(_ handle, _, index int) ([16]byte, error) { return f.gids[index], nil }
func (f *fake) allocPD(handle) (handle, error)                    { return f.make("protection domain"), nil }
func (f *fake) deallocPD(h handle) error                          { return f.destroy(h) }

func (f *fake) regMR(_ handle, _ uint64, _ int, _ uint32) (handle, uint32, uint32, error) {
	if f.regErr != nil {
		return nil, 0, 0, f.regErr
	}
	return f.make("memory region"), 1, 2, nil
}
func (f *fake) deregMR(h handle) error { return f.destroy(h) }

func (f *fake) createCQ(handle, int) (handle, handle, int, error) {
	var p [2]int
	if err := unix.Pipe(p[:]); err != nil {
		return nil, nil, -1, err
	}
	if err := unix.SetNonblock(p[0], true); err != nil {
		return nil, nil, -1, err
	}
	f.tell = os.NewFile(uintptr(p[1]), "tell")
	channel := f.make("channel")
	f.states[channel] = p[0]
	return f.make("completion queue"), channel, p[0], nil
}

func (f *fake) arm(handle) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = true
	return nil
}

func (f *fake) takeEvent(channel handle) error {
	_, err := unix.Read(f.states[channel], make([]byte, 1))
	return err
}

func (f *fake) destroyCQ(cq, channel handle) error {
	unix.Close(f.states[channel])
	f.tell.Close()
	f.destroy(channel)
	return f.destroy(cq)
}

func (f *fake) createQP(_, _, _ handle, _, _, inline int) (handle, uint32, int, error) {
	return f.make("queue pair"), 0x11, inline, nil
}

func (f *fake) modifyQP(qp handle, state, _ int, _ *qpParams) error {
	f.states[qp] = state
	return nil
}
func (f *fake) queryQP(qp handle) (int, error) { return f.states[qp], nil }
func (f *fake) destroyQP(qp handle) error      { return f.destroy(qp) }

func (f *fake) post(_ handle, wr []rawSend) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.postErr != nil {
		return 0, f.postErr
	}
	f.posted = append(f.posted, wr...)
	return len(wr), nil
}
func (f *fake) postRecv(_ handle, wr []rawRecv) (int, error) { return len(wr), f.postErr }

func (f *fake) poll(_ handle, wc []rawCompletion, _ int) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := copy(wc, f.done)
	f.done = f.done[n:]
	return n, nil
}

func (f *fake) postPoll(qp handle, wr []rawSend, cq handle, wc []rawCompletion, least int) (int, int, error, error) {
	posted, postErr := f.post(qp, wr)
	n, err := f.poll(cq, wc, least)
	return posted, n, postErr, err
}

// complete ends a request, and tells of it if somebody asked to be told.
func (f *fake) complete(c rawCompletion) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = append(f.done, c)
	if f.armed {
		f.armed = false
		f.tell.Write([]byte{0})
	}
}

// left is what is still open.
func (f *fake) left() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var kinds []string
	for _, kind := range f.open {
		kinds = append(kinds, kind)
	}
	return kinds
}

//go:build ibverbs

package rc

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/verbs"
)

var (
	device   = flag.String("device", "", "RDMA device to test with (default: the first; without one, these tests are skipped)")
	gidIndex = flag.Int("gid-index", 3, "GID index of the device to test with")
)

// openTest opens the device to test with.
func openTest(t testing.TB) *Device {
	t.Helper()
	name := *device
	if name == "" {
		names, err := Devices()
		require.NoError(t, err)
		if len(names) == 0 {
			t.Skip("this machine has no RDMA device; fixtures/rxe runs these tests on a guest that has one")
		}
		name = names[0]
	}
	d, err := Open(Config{Device: name, GIDIndex: *gidIndex})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func closing(t testing.TB, c interface{ Close() error }) {
	t.Cleanup(func() {
		if err := c.Close(); !errors.Is(err, ErrClosed) {
			require.NoError(t, err)
		}
	})
}

// A pair is two connected queue pairs of one device.
type pair struct {
	device     *Device
	mr         *MR // of both
	a, b       *QP
	sendA, rcv *CQ
}

func newPair(t testing.TB, size int, params verbs.RCParams) *pair {
	t.Helper()
	p := &pair{device: openTest(t)}
	var err error
	p.mr, err = p.device.Register(size, verbs.RemoteRead|verbs.RemoteWrite|verbs.RemoteAtomic)
	require.NoError(t, err)
	closing(t, p.mr)
	p.sendA, err = p.device.NewCQ(128)
	require.NoError(t, err)
	closing(t, p.sendA)
	p.rcv, err = p.device.NewCQ(256)
	require.NoError(t, err)
	closing(t, p.rcv)
	make := func(send *CQ) *QP {
		q, err := p.device.NewQP(QPConfig{SendCQ: send, RecvCQ: p.rcv, SendDepth: 64, RecvDepth: 16, Params: params})
		require.NoError(t, err)
		closing(t, q)
		return q
	}
	p.a, p.b = make(p.sendA), make(p.rcv)
	a, b := p.a.Card(p.mr), p.b.Card(p.mr)
	require.NoError(t, p.a.Connect(verbs.Agreement{Local: a, Peer: b, MTU: a.MTU, MaxRdAtomic: a.MaxRdAtomic, MaxDestRdAtomic: a.MaxDestRdAtomic}))
	require.NoError(t, p.b.Connect(verbs.Agreement{Local: b, Peer: a, MTU: a.MTU, MaxRdAtomic: a.MaxRdAtomic, MaxDestRdAtomic: a.MaxDestRdAtomic}))
	return p
}

func deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func (p *pair) word(off int) uint64 { return binary.NativeEndian.Uint64(p.mr.Bytes()[off:]) }

func (p *pair) setWord(off int, v uint64) { binary.NativeEndian.PutUint64(p.mr.Bytes()[off:], v) }

func (p *pair) remote(off int) uint64 { return p.mr.Addr() + uint64(off) }

func TestOperationsReadAndWriteRemoteBytes(t *testing.T) {
	p, ctx := newPair(t, 1<<16, verbs.RCParams{}), deadline(t)
	key := p.mr.Key()
	mem := p.mr.Bytes()
	copy(mem, "written bytes")
	require.NoError(t, p.a.Do(ctx,
		WR{Op: Write, Local: p.mr.Segment(0, 13), RemoteAddr: p.remote(4096), RemoteKey: key},
		WR{Op: Read, Local: p.mr.Segment(8192, 13), RemoteAddr: p.remote(4096), RemoteKey: key, Flags: Fence},
	))
	require.Equal(t, "written bytes", string(mem[8192:8205]))

	p.setWord(256, 40)
	require.NoError(t, p.a.Do(ctx, WR{Op: FetchAdd, Local: p.mr.Segment(512, 8), RemoteAddr: p.remote(256), RemoteKey: key, Add: 2}))
	require.Equal(t, []uint64{40, 42}, []uint64{p.word(512), p.word(256)})
	swap := WR{Op: CompareSwap, Local: p.mr.Segment(512, 8), RemoteAddr: p.remote(256), RemoteKey: key, Compare: 42, Swap: 7}
	require.NoError(t, p.a.Do(ctx, swap))
	require.Equal(t, []uint64{42, 7}, []uint64{p.word(512), p.word(256)})
	require.NoError(t, p.a.Do(ctx, swap))
	require.Equal(t, []uint64{7, 7}, []uint64{p.word(512), p.word(256)}, "a compare that fails changes nothing")
}

func TestSendArrivesInReceive(t *testing.T) {
	p, ctx := newPair(t, 1<<16, verbs.RCParams{}), deadline(t)
	copy(p.mr.Bytes(), "a message")
	n, err := p.b.PostRecv([]RecvWR{{ID: 5, Local: p.mr.Segment(4096, 64)}})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.NoError(t, p.a.Do(ctx, WR{Op: Send, Local: p.mr.Segment(0, 9)}))
	done := make([]Completion, 4)
	n, err = p.rcv.Poll(ctx, done, 1)
	require.NoError(t, err)
	require.Equal(t, []Completion{{ID: 5, Op: Recv, Bytes: 9, QPN: p.b.Number()}}, done[:n])
	require.Equal(t, "a message", string(p.mr.Bytes()[4096:4105]))
}

// TestPostPollKeepsTheQueueFull does what the benchmarks do: as many requests under way as fit.
func TestPostPollKeepsTheQueueFull(t *testing.T) {
	params := verbs.DefaultRC()
	params.MaxRdAtomic, params.MaxDestRdAtomic = 16, 16
	p, ctx := newPair(t, 1<<16, params), deadline(t)
	const total = 500
	batch, done := make([]WR, 64), make([]Completion, 64)
	for i := range batch {
		batch[i] = WR{ID: uint64(i), Op: FetchAdd, Local: p.mr.Segment(8*i, 8), RemoteAddr: p.remote(4096), RemoteKey: p.mr.Key(), Add: 1}
	}
	for posted, ended := 0, 0; ended < total; {
		n, got, err := p.a.PostPoll(ctx, batch[:min(64-(posted-ended), total-posted)], done, 1)
		require.NoError(t, err)
		posted, ended = posted+n, ended+got
		for _, c := range done[:got] {
			require.NoError(t, c.Err())
		}
	}
	require.Equal(t, uint64(total), p.word(4096))
}

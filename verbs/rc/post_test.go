package rc

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gotestbed/gotestbed/verbs"
)

func TestRequestsAreCheckedBeforeTheyArePosted(t *testing.T) {
	f := newFake()
	d := opened(t, f)
	q, m, _ := connected(t, d)
	bad := func(want error, words string, w WR) {
		t.Helper()
		n, err := q.Post([]WR{{Op: Write, Local: m.Segment(0, 8)}, w})
		require.ErrorIs(t, err, want)
		require.ErrorContains(t, err, words)
		require.Zero(t, n, "none of the batch is posted")
	}
	bad(ErrRequest, "8 bytes at a multiple of 8, not 4 bytes", WR{Op: FetchAdd, Local: m.Segment(0, 4)})
	bad(ErrRequest, "not 8 bytes at 4", WR{Op: CompareSwap, Local: m.Segment(4, 8)})
	bad(ErrRequest, "0x1004 of an atomic is not a multiple of 8", WR{Op: FetchAdd, Local: m.Segment(0, 8), RemoteAddr: 0x1004})
	bad(ErrRequest, "8 bytes at 65532 of a memory region of 65536", WR{Op: Read, Local: m.Segment(65532, 8)})
	bad(ErrRequest, "-1", WR{Op: Read, Local: m.Segment(-1, 8)})
	bad(ErrRequest, "-8", WR{Op: Read, Local: m.Segment(0, -8)})
	bad(ErrRequest, "of no memory region", WR{Op: Write, Local: Segment{Len: 8}})
	bad(ErrRequest, "has no place in a send queue", WR{Op: Recv, Local: m.Segment(0, 8)})
	bad(ErrRequest, "operation 0", WR{})
	bad(ErrRequest, "more than 56 bits", WR{Op: Send, ID: 1 << 56})
	bad(ErrRequest, "inline", WR{Op: Write, Flags: Inline, Local: m.Segment(0, 8)})
	require.Empty(t, f.posted)

	other := opened(t, newFake())
	foreign, err := other.Register(4096, 0)
	require.NoError(t, err)
	bad(ErrRequest, "another device", WR{Op: Read, Local: foreign.Segment(0, 8)})

	_, err = q.Post(make([]WR, 17))
	require.ErrorIs(t, err, ErrQueueFull)
	f.postErr = unix.ENOMEM
	_, err = q.Post([]WR{{Op: Send}})
	require.ErrorIs(t, err, ErrQueueFull)
	_, err = q.PostRecv(make([]RecvWR, 17))
	require.ErrorIs(t, err, ErrQueueFull)
}

func TestRequestsArePostedInRTSOnly(t *testing.T) {
	d := opened(t, newFake())
	c, err := d.NewCQ(8)
	require.NoError(t, err)
	q, err := d.NewQP(QPConfig{SendCQ: c, RecvCQ: c})
	require.NoError(t, err)
	_, err = q.Post([]WR{{Op: Send}})
	require.ErrorIs(t, err, ErrState)
	require.ErrorContains(t, err, "INIT")
	n, err := q.PostRecv([]RecvWR{{}})
	require.NoError(t, err, "receives are posted before")
	require.Equal(t, 1, n)
	require.NoError(t, q.Fail())
	require.ErrorIs(t, q.Connect(verbs.Agreement{Peer: q.Card(nil), MTU: 1024}), ErrState)
}

func TestWhatTheDeviceIsGiven(t *testing.T) {
	f := newFake()
	q, m, _ := connected(t, opened(t, f))
	_, err := q.Post([]WR{
		{ID: 1, Op: Write, Local: m.Segment(16, 32), RemoteAddr: 0x1000, RemoteKey: 9, Flags: Unsignal | Fence},
		{ID: 2, Op: CompareSwap, Local: m.Segment(0, 8), RemoteAddr: 0x2000, RemoteKey: 9, Compare: 3, Swap: 4, Add: 5},
		{ID: 3, Op: FetchAdd, Local: m.Segment(8, 8), RemoteAddr: 0x2008, RemoteKey: 9, Compare: 3, Swap: 4, Add: 5},
	})
	require.NoError(t, err)
	want := []rawSend{
		{id: 1 | 1<<56, localAddr: m.Addr() + 16, localLen: 32, localKey: 1, remoteAddr: 0x1000, remoteKey: 9, opcode: 0, flags: 1},
		{id: 2 | 4<<56, localAddr: m.Addr(), localLen: 8, localKey: 1, remoteAddr: 0x2000, remoteKey: 9, opcode: 5, flags: 2, compareAdd: 3, swap: 4},
		{id: 3 | 5<<56, localAddr: m.Addr() + 8, localLen: 8, localKey: 1, remoteAddr: 0x2008, remoteKey: 9, opcode: 6, flags: 2, compareAdd: 5},
	}
	if diff := cmp.Diff(want, f.posted, cmp.AllowUnexported(rawSend{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAFailedRequestIsATypedError(t *testing.T) {
	f := newFake()
	q, _, _ := connected(t, opened(t, f))
	f.complete(rawCompletion{id: uint64(Send)<<56 | 1<<indexBits | 1, status: uint32(StatusRNRRetryExceeded), vendorErr: 0x87, qpn: 0x11})
	err := q.Do(t.Context(), WR{Op: Send}, WR{Op: Send})
	require.ErrorIs(t, err, StatusRNRRetryExceeded)
	require.NotErrorIs(t, err, StatusFlushed)
	var failed *CompletionError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, CompletionError{Status: StatusRNRRetryExceeded, VendorErr: 0x87, Op: Send, ID: 1, QPN: 0x11}, *failed)
	require.EqualError(t, failed, "SEND, request 1 on queue pair 0x11: RNR retry counter exceeded (status 13, vendor code 0x87)")
}

func TestDoIsNotFooledByOtherCompletions(t *testing.T) {
	f := newFake()
	q, _, _ := connected(t, opened(t, f))
	f.complete(rawCompletion{id: uint64(Send)<<56 | 1<<indexBits, qpn: 0x12})
	require.ErrorContains(t, q.Do(t.Context(), WR{Op: Send}), "of queue pair 0x12 completed on the CQ of a Do")

	// The completion of a Do whose context ended is not taken for that of the next.
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, q.Do(ctx, WR{Op: Send}), context.DeadlineExceeded)
	f.complete(rawCompletion{id: uint64(Send)<<56 | 2<<indexBits, qpn: 0x11})
	f.complete(rawCompletion{id: uint64(Send)<<56 | 3<<indexBits, qpn: 0x11})
	require.NoError(t, q.Do(t.Context(), WR{Op: Send}))
	require.Empty(t, f.done)
}

// A waiting poll is woken by a completion, by the end of its context, and by Close.
func TestPollSleepsUntilSomethingHappens(t *testing.T) {
	f := newFake()
	q, _, c := connected(t, opened(t, f))
	type result struct {
		n   int
		err error
	}
	asleep := func(ctx context.Context) chan result {
		t.Helper()
		f.mu.Lock()
		f.armed = false
		f.mu.Unlock()
		ended := make(chan result, 1)
		go func() {
			n, err := c.Poll(ctx, make([]Completion, 2), 2)
			ended <- result{n, err}
		}()
		require.Eventually(t, func() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.armed }, 5*time.Second, time.Millisecond)
		return ended
	}
	ended := asleep(t.Context())
	f.complete(rawCompletion{qpn: 0x11})
	f.complete(rawCompletion{qpn: 0x11})
	require.Equal(t, result{2, nil}, <-ended)

	ctx, cancel := context.WithCancel(t.Context())
	ended = asleep(ctx)
	f.complete(rawCompletion{qpn: 0x11})
	cancel()
	r := <-ended
	require.ErrorIs(t, r.err, context.Canceled)

	ended = asleep(t.Context())
	done := make(chan error, 1)
	go func() { done <- q.Do(t.Context(), WR{Op: Send}) }() // waits for its turn to poll
	require.NoError(t, q.Close())
	require.NoError(t, c.Close())
	require.ErrorIs(t, (<-ended).err, ErrClosed)
	require.ErrorIs(t, <-done, ErrClosed)
}

func TestADoThatWaitsEndsWhenItsQueuePairIsClosed(t *testing.T) {
	for i := range 200 { // at any moment of the wait
		q, m, c := connected(t, opened(t, newFake()))
		done := make(chan error, 1)
		go func() { done <- q.Do(t.Context(), WR{Op: Send}) }()
		for range i * 100 {
			runtime.Gosched()
		}
		require.NoError(t, q.Close())
		select {
		case err := <-done:
			require.ErrorIs(t, err, ErrClosed)
		case <-time.After(10 * time.Second):
			t.Fatalf("Do sleeps on, in round %d", i)
		}
		require.NoError(t, c.Close())
		require.NoError(t, m.Close())
	}
}

// A Do that has seen the end of an earlier one, whose caller did not wait, still ends with its queue pair.
func TestADoThatHasSeenAnotherCompletionEndsWithItsQueuePair(t *testing.T) {
	f := newFake()
	q, _, _ := connected(t, opened(t, f))
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, q.Do(ctx, WR{Op: Send}), context.DeadlineExceeded)
	f.complete(rawCompletion{id: uint64(Send)<<56 | 1<<indexBits, qpn: 0x11})
	done := make(chan error, 1)
	go func() { done <- q.Do(t.Context(), WR{Op: Send}) }()
	require.Eventually(t, func() bool { f.mu.Lock(); defer f.mu.Unlock(); return len(f.done) == 0 && f.armed }, 5*time.Second, time.Millisecond)
	require.NoError(t, q.Close())
	select {
	case err := <-done:
		require.ErrorIs(t, err, ErrClosed)
	case <-time.After(10 * time.Second):
		t.Fatal("Do waits on")
	}
}

func TestStatusesHaveTheWordsOfTheLibrary(t *testing.T) {
	require.EqualError(t, StatusRemoteAccess, "remote access error")
	require.EqualError(t, Status(99), "unknown status 99")
	require.Len(t, statusText, int(StatusGeneral)+1)
	require.NoError(t, (&Completion{}).Err())
	require.True(t, errors.Is((&Completion{Status: StatusFlushed}).Err(), StatusFlushed))
}

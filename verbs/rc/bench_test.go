package rc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/verbs"
)

// instant is a library that completes everything at once: what is left is what Go costs.
type instant struct{ *fake }

func (instant) postPoll(_ handle, wr []rawSend, _ handle, wc []rawCompletion, _ int) (int, int, error, error) {
	wc[0] = rawCompletion{id: wr[len(wr)-1].id, qpn: 0x11}
	return len(wr), 1, nil, nil
}

// BenchmarkPostPoll is what Go adds to a batch of 32 requests with one completion: checks, conversion and locks.
func BenchmarkPostPoll(b *testing.B) {
	d, err := open(instant{newFake()}, Config{Device: "mlx5_2", GIDIndex: 3})
	require.NoError(b, err)
	m, err := d.Register(1<<16, verbs.RemoteRead)
	require.NoError(b, err)
	c, err := d.NewCQ(64)
	require.NoError(b, err)
	q, err := d.NewQP(QPConfig{SendCQ: c, RecvCQ: c, SendDepth: 32})
	require.NoError(b, err)
	card := q.Card(m)
	require.NoError(b, q.Connect(verbs.Agreement{Peer: card, MTU: card.MTU}))
	batch, done := make([]WR, 32), make([]Completion, 32)
	for i := range batch {
		batch[i] = WR{Op: FetchAdd, Local: m.Segment(8*i, 8), RemoteAddr: 0x1000, RemoteKey: 1, Add: 1, Flags: Unsignal}
	}
	batch[31].Flags = 0
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := q.PostPoll(b.Context(), batch, done, 1); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/32, "ns/request")
}

package rc

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gotestbed/gotestbed/verbs"
)

func TestWithoutTheLibraryOpenSaysHowToBuild(t *testing.T) {
	_, err := open(nil, Config{Device: "mlx5_2"})
	require.ErrorIs(t, err, ErrNotBuilt)
	require.ErrorContains(t, err, "-tags ibverbs")
}

func TestOpenSaysWhatThereIsInstead(t *testing.T) {
	bad := func(want error, words string, c Config, change func(*fake)) {
		t.Helper()
		f := newFake()
		if change != nil {
			change(f)
		}
		d, err := open(f, c)
		require.Nil(t, d)
		require.ErrorIs(t, err, want)
		require.ErrorContains(t, err, words)
		require.Empty(t, f.left(), "nothing stays open")
	}
	good := Config{Device: "mlx5_2", GIDIndex: 3}
	bad(ErrNoDevice, `"mlx5_3"; there are: mlx5_0 mlx5_2`, Config{Device: "mlx5_3"}, nil)
	bad(ErrPort, "port 2", Config{Device: "mlx5_2", Port: 2}, nil)
	bad(ErrPort, "numbered from 1", Config{Device: "mlx5_2", Port: -1}, nil)
	bad(ErrPort, "port 1 is DOWN, not ACTIVE", good, func(f *fake) { f.port.state = 1 })
	bad(ErrGID, "index 1 of port 1 is empty; there are: 0 fe80::1, 3 ::ffff:10.10.1.3", Config{Device: "mlx5_2", GIDIndex: 1}, nil)
	bad(ErrGID, "index 300", Config{Device: "mlx5_2", GIDIndex: 300}, nil)
	bad(ErrGID, "index -1", Config{Device: "mlx5_2", GIDIndex: -1}, nil)
	bad(ErrGID, "has the network interface an address?", good, func(f *fake) { f.gids = nil })
	bad(ErrMTU, "4096 bytes is larger than the active MTU of port 1, 1024", Config{Device: "mlx5_2", GIDIndex: 3, MTU: 4096}, nil)
	bad(ErrMTU, "1000 bytes is no path MTU", Config{Device: "mlx5_2", GIDIndex: 3, MTU: 1000}, nil)
}

func TestInfiniBandNeedsNoGID(t *testing.T) {
	f := newFake()
	f.port.linkLayer, f.port.lid, f.gids = 1, 7, nil
	d := opened(t, f)
	require.Equal(t, verbs.LinkInfiniBand, d.Info().LinkLayer)
	require.EqualValues(t, 7, d.Info().LID)
	require.NoError(t, d.Close())
}

func TestClosingInAnyOrderGivesErrors(t *testing.T) {
	f := newFake()
	d := opened(t, f)
	q, m, c := connected(t, d)
	require.ErrorIs(t, d.Close(), ErrBusy)
	require.ErrorContains(t, d.Close(), "1 queue pairs, 1 completion queues and 1 memory regions are open")
	require.ErrorIs(t, c.Close(), ErrBusy)
	require.NoError(t, m.Close())
	_, err := q.Post([]WR{{Op: Write, Local: m.Segment(0, 8)}})
	require.ErrorIs(t, err, ErrClosed, "the region is closed")
	require.NoError(t, q.Close())
	require.ErrorIs(t, q.Close(), ErrClosed)
	_, err = q.Post([]WR{{Op: Send}})
	require.ErrorIs(t, err, ErrClosed)
	_, err = q.PostRecv([]RecvWR{{}})
	require.ErrorIs(t, err, ErrClosed)
	_, err = q.State()
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, q.Connect(verbs.Agreement{}), ErrClosed)
	require.ErrorIs(t, q.Do(t.Context(), WR{Op: Send}), ErrClosed)
	require.NoError(t, c.Close())
	_, err = c.Poll(t.Context(), make([]Completion, 1), 0)
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, c.Close(), ErrClosed)
	require.ErrorIs(t, m.Close(), ErrClosed)
	require.NoError(t, d.Close())
	require.ErrorIs(t, d.Close(), ErrClosed)
	for _, err := range []error{
		second(d.Register(8, 0)), second(d.NewCQ(1)), second(d.NewQP(QPConfig{})), second(d.RegisterFile(nil, 0, 1)),
	} {
		require.ErrorIs(t, err, ErrClosed)
	}
	require.Empty(t, f.left())
}

func second[T any](_ T, err error) error { return err }

func TestMemoryThatCannotBeRegistered(t *testing.T) {
	f := newFake()
	d := opened(t, f)
	require.ErrorIs(t, second(d.Register(0, 0)), ErrTooLarge)
	require.ErrorIs(t, second(d.Register(-1, 0)), ErrTooLarge)
	err := second(d.Register(1<<41, 0))
	require.ErrorIs(t, err, ErrTooLarge)
	require.ErrorContains(t, err, "max_mr_size")
	if free, ok := available(); ok && free < 1<<39 {
		require.ErrorContains(t, second(d.Register(1<<39, 0)), "are available")
	}
	f.regErr = unix.EIO
	require.ErrorIs(t, second(d.Register(4096, 0)), unix.EIO)

	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	require.NoError(t, err)
	require.NoError(t, file.Truncate(10000))
	short := second(d.RegisterFile(file, 4096, 8192))
	require.ErrorIs(t, short, ErrTooLarge)
	require.ErrorContains(t, short, "the file has 10000 bytes, and 8192 from 4096 were asked for")
	require.ErrorIs(t, second(d.RegisterFile(file, -4096, 1)), ErrTooLarge)
	require.ErrorIs(t, second(d.RegisterFile(file, 5000, 1)), unix.EINVAL, "no multiple of the page size")
	require.NoError(t, d.Close())
	require.Empty(t, f.left())
}

func TestMemlockIsNamed(t *testing.T) {
	limit, ok := memlock()
	if !ok {
		t.Skip("no /proc/self/limits")
	}
	if limit > 1<<60 {
		require.False(t, errors.Is(registerError(1<<30, unix.ENOMEM), ErrMemlock), "without a limit it is not the cause")
		return
	}
	err := registerError(limit+1, unix.ENOMEM)
	require.ErrorIs(t, err, ErrMemlock)
	require.ErrorContains(t, err, "ulimit -l")
}

func TestQueuePairsThatCannotBeMade(t *testing.T) {
	f := newFake()
	d := opened(t, f)
	c, err := d.NewCQ(16)
	require.NoError(t, err)
	require.ErrorIs(t, second(d.NewCQ(0)), ErrTooLarge)
	require.ErrorIs(t, second(d.NewCQ(257)), ErrTooLarge)
	bad := func(want error, words string, config QPConfig) {
		t.Helper()
		_, err := d.NewQP(config)
		require.ErrorIs(t, err, want)
		require.ErrorContains(t, err, words)
	}
	bad(ErrRequest, "a completion queue for each end", QPConfig{SendCQ: c})
	bad(ErrTooLarge, "has no place for 10", QPConfig{SendCQ: c, RecvCQ: c, SendDepth: 10, RecvDepth: 10})
	bad(ErrTooLarge, "max_qp_wr", QPConfig{SendCQ: c, RecvCQ: c, SendDepth: 100})
	many := verbs.DefaultRC()
	many.MaxRdAtomic = 17
	bad(ErrTooLarge, "max_rd_atomic 17; the device takes 16", QPConfig{SendCQ: c, RecvCQ: c, Params: many})
	require.NoError(t, c.Close(), "nothing stays set aside")
	require.NoError(t, d.Close())
	require.Empty(t, f.left())
}

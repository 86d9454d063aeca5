//go:build ibverbs

package rc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/verbs"
)

// resources are the open objects of all devices, and the open files of this process.
func resources(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("rdma", "resource", "show").CombinedOutput()
	require.NoError(t, err, "%s", out)
	files, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		target, err := os.Readlink("/proc/self/fd/" + f.Name())
		if err == nil && strings.Contains(target, "infiniband") {
			names = append(names, target)
		}
	}
	return string(out) + strings.Join(names, " ")
}

// noLeak checks at the test's end that no queue pair, region, completion queue or file stays open. Call it first.
func noLeak(t *testing.T) {
	t.Helper()
	openTest(t) // skips without a device
	var before string
	t.Run("before", func(t *testing.T) { before = resources(t) })
	t.Cleanup(func() { require.Equal(t, before, resources(t), "open before and after") })
}

func TestARefusedRequestIsAnErrorOfItsKind(t *testing.T) {
	refused := func(name string, want []Status, request func(p *pair) WR) {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, 1<<16, verbs.RCParams{})
			err := p.a.Do(deadline(t), WR{Op: Read, Local: p.mr.Segment(0, 8), RemoteAddr: p.remote(0), RemoteKey: p.mr.Key()}, request(p))
			var failed *CompletionError
			require.ErrorAs(t, err, &failed)
			require.Contains(t, want, failed.Status)
			require.ErrorIs(t, err, failed.Status)
			require.EqualValues(t, 1, failed.ID, "the second request")
			state, err := p.a.State()
			require.NoError(t, err)
			require.Equal(t, verbs.QPErr, state)
			require.ErrorIs(t, p.a.Do(deadline(t), WR{Op: Send}), StatusFlushed, "nothing more goes through")
		})
	}
	refused("behind the end", []Status{StatusRemoteAccess}, func(p *pair) WR {
		return WR{Op: Read, Local: p.mr.Segment(0, 64), RemoteAddr: p.remote(1<<16 - 32), RemoteKey: p.mr.Key()}
	})
	refused("wrong key", []Status{StatusRemoteAccess}, func(p *pair) WR {
		return WR{Op: Write, Local: p.mr.Segment(0, 64), RemoteAddr: p.remote(0), RemoteKey: p.mr.Key() ^ 0xff}
	})
	// The specification has the first status for this, soft-RoCE the second.
	refused("message too long for the receive", []Status{StatusRemoteInvalidRequest, StatusRemoteOperation}, func(p *pair) WR {
		_, err := p.b.PostRecv([]RecvWR{{Local: p.mr.Segment(0, 8)}})
		require.NoError(t, err)
		return WR{Op: Send, Local: p.mr.Segment(0, 64)}
	})
}

func TestAPeerThatIsGoneIsAnError(t *testing.T) {
	params := verbs.DefaultRC()
	params.Timeout, params.RetryCnt = 10, 1 // 4 ms, once more
	p := newPair(t, 4096, params)
	require.NoError(t, p.b.Close())
	err := p.a.Do(deadline(t), WR{Op: Write, Local: p.mr.Segment(0, 8), RemoteAddr: p.remote(8), RemoteKey: p.mr.Key()})
	require.ErrorIs(t, err, StatusRetryExceeded)
}

func TestASendThatNobodyReceivesEndsWithItsContext(t *testing.T) {
	p := newPair(t, 4096, verbs.RCParams{}) // rnr_retry 7: the device tries for ever
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := p.a.Do(ctx, WR{Op: Send, Local: p.mr.Segment(0, 8)})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "0 of 1 completions")
	require.NoError(t, p.a.Fail())
	require.ErrorIs(t, p.a.Do(deadline(t), WR{Op: Send}), StatusFlushed)
}

func TestAFileIsReadAndNotWritten(t *testing.T) {
	noLeak(t)
	p := newPair(t, 1<<16, verbs.RCParams{})
	content := []byte(strings.Repeat("a file on a disk ", 1000))
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	m, err := p.device.RegisterFile(f, 4096, 8192)
	require.NoError(t, err)
	defer m.Close()
	t.Logf("copied: %v", m.Copied())
	require.NoError(t, p.a.Do(deadline(t), WR{Op: Read, Local: p.mr.Segment(0, 8192), RemoteAddr: m.Addr(), RemoteKey: m.Key()}))
	require.Equal(t, string(content[4096:4096+8192]), string(p.mr.Bytes()[:8192]))
	_, err = p.a.Post([]WR{{Op: Read, Local: m.Segment(0, 8), RemoteAddr: p.remote(0), RemoteKey: p.mr.Key()}})
	require.ErrorIs(t, err, ErrRequest, "the device must not write into it here")
	err = p.a.Do(deadline(t), WR{Op: Write, Local: p.mr.Segment(0, 8), RemoteAddr: m.Addr(), RemoteKey: m.Key()})
	require.ErrorIs(t, err, StatusRemoteAccess, "nor may a peer")
	require.ErrorIs(t, second(p.device.RegisterFile(f, 8192, 16384)), ErrTooLarge, "the file is shorter")
}

// TestWhatFailsLeavesNothingOpen does everything that fails, and counts.
func TestWhatFailsLeavesNothingOpen(t *testing.T) {
	noLeak(t)
	d := openTest(t)
	info := d.Info()
	for range 3 {
		for _, c := range []Config{
			{Device: "no_such_device"}, {Device: info.Device, Port: 9}, {Device: info.Device, GIDIndex: 200}, {Device: info.Device, GIDIndex: -1},
			{Device: info.Device, GIDIndex: info.GIDIndex, MTU: 2 * info.ActiveMTU},
		} {
			require.Error(t, second(Open(c)), "%+v", c)
		}
		require.ErrorIs(t, second(d.Register(1<<42, 0)), ErrTooLarge)
		require.ErrorIs(t, second(d.NewCQ(info.Limits.MaxCQE+1)), ErrTooLarge)
		c, err := d.NewCQ(4)
		require.NoError(t, err)
		require.ErrorIs(t, second(d.NewQP(QPConfig{SendCQ: c, RecvCQ: c, SendDepth: info.Limits.MaxQPWR + 1})), ErrTooLarge)
		require.Error(t, second(d.NewQP(QPConfig{SendCQ: c, RecvCQ: c, MaxInline: 1 << 20})), "the device refuses it")
		q, err := d.NewQP(QPConfig{SendCQ: c, RecvCQ: c})
		require.NoError(t, err)
		card := q.Card(nil)
		card.GID = card.GID.Next().Next().Next()
		connectErr := q.Connect(verbs.Agreement{Peer: card, MTU: 2 * info.ActiveMTU})
		require.ErrorIs(t, connectErr, ErrMTU)
		require.NoError(t, q.Close())
		require.NoError(t, c.Close())
	}
}

// TestClosingWhileInUse closes everything, in the wrong order first, while requests are under way.
func TestClosingWhileInUse(t *testing.T) {
	noLeak(t)
	p := newPair(t, 1<<20, verbs.RCParams{})
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			for {
				err := p.a.Do(deadline(t), WR{Op: Read, Local: p.mr.Segment(0, 4096), RemoteAddr: p.remote(8192), RemoteKey: p.mr.Key()})
				if err != nil {
					return
				}
			}
		})
	}
	require.ErrorIs(t, p.device.Close(), ErrBusy)
	require.ErrorIs(t, p.sendA.Close(), ErrBusy)
	require.NoError(t, p.mr.Close())
	require.NoError(t, p.a.Close())
	users.Wait()
}

// TestWaitingHoldsNoThread has many goroutines wait for completions that do not come.
func TestWaitingHoldsNoThread(t *testing.T) {
	noLeak(t)
	d := openTest(t)
	const waiters = 100
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var waiting sync.WaitGroup
	var queues []*CQ
	for range waiters {
		c, err := d.NewCQ(4)
		require.NoError(t, err)
		closing(t, c)
		queues = append(queues, c)
		waiting.Go(func() {
			_, err := c.Poll(ctx, make([]Completion, 1), 1)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("poll ended with %v", err)
			}
		})
	}
	threads := func() int {
		list, err := os.ReadDir("/proc/self/task")
		require.NoError(t, err)
		return len(list)
	}
	for _, c := range queues {
		require.Eventually(t, func() bool { return len(c.turn) == 1 }, 10*time.Second, time.Millisecond, "its goroutine polls")
	}
	require.Eventually(t, func() bool { return threads() < waiters/2 }, 10*time.Second, 10*time.Millisecond)
	t.Logf("%d goroutines wait with %d threads in the process", waiters, threads())
	cancel()
	waiting.Wait()
}

// asNobody marks this program, started again as a user that may not lock memory.
const asNobody = "RC_TEST_AS_NOBODY"

func TestMemlockTooLow(t *testing.T) {
	d := openTest(t)
	if os.Getenv(asNobody) != "" {
		_, err := d.Register(1<<20, verbs.RemoteRead)
		require.ErrorIs(t, err, ErrMemlock)
		require.Regexp(t, regexp.MustCompile(`limit of locked memory too low: 65536 bytes may be locked, see ulimit -l`), err.Error())
		return
	}
	if os.Getuid() != 0 {
		t.Skip("only root can become a user that may not lock memory")
	}
	dir, err := os.MkdirTemp("", "rc")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	require.NoError(t, os.Chmod(dir, 0o755))
	self, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	program := filepath.Join(dir, "rc.test")
	require.NoError(t, os.WriteFile(program, self, 0o755))
	cmd := exec.Command("sh", "-c", `ulimit -l 64; exec "$0" -test.run '^TestMemlockTooLow$' -test.v`, program)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asNobody+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestMemlockTooLow")
}

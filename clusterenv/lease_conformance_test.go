package clusterenv

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const testTTL = 2 * time.Second

func testLeaseKept(t *testing.T, s *testServer) {
	n := s.node(t)
	lease, err := HoldLease(within(t), n, leaseName(t), testTTL)
	require.NoError(t, err)
	d := startDaemon(t, n, DaemonSpec{Lease: lease, HoldStdin: true, Argv: []string{"sh", "-c", "read -r x; exit $x"}})
	time.Sleep(testTTL * 3 / 2) // a span in which nothing may happen
	require.NoError(t, d.Write(within(t), "5\n"))
	exit, err := d.Wait(within(t))
	require.NoError(t, err)
	require.Equal(t, "exit status 5", exit.String(), "a daemon under a lease that is renewed should live")
	require.NoError(t, lease.Err())
	require.NoError(t, lease.Release(within(t)))
	require.NoFileExists(t, lease.path)
}

func testLeaseReleased(t *testing.T, s *testServer) {
	n := s.node(t)
	lease, err := HoldLease(within(t), n, leaseName(t), testTTL)
	require.NoError(t, err)
	d := startDaemon(t, n, DaemonSpec{Lease: lease, Argv: []string{"sh", "-c", family}})
	pids := familyPIDs(t, d)
	require.NoError(t, lease.Release(within(t)))
	exit, err := d.Wait(within(t))
	require.NoError(t, err)
	require.Equal(t, "signal TERM (its lease was lost)", exit.String())
	requireGone(t, pids)
}

// testLeaseWithoutDirectory removes the daemon's directory, as clearing a node does: the lease must still end the daemon.
func testLeaseWithoutDirectory(t *testing.T, s *testServer) {
	n := s.node(t)
	lease, err := HoldLease(within(t), n, leaseName(t), testTTL)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "d")
	d, err := StartDaemon(within(t), n, DaemonSpec{Name: "d", Dir: dir, Lease: lease, Argv: []string{"sh", "-c", "exec sleep 600"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Kill(d.pid, syscall.SIGKILL) })
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, lease.Release(within(t)))
	requireGone(t, []int{d.pid})
}

func testLeaseStubborn(t *testing.T, s *testServer) {
	n := s.node(t)
	lease, err := HoldLease(within(t), n, leaseName(t), testTTL)
	require.NoError(t, err)
	d := startDaemon(t, n, DaemonSpec{Lease: lease, Argv: []string{"sh", "-c", "trap '' TERM; " + family}})
	pids := familyPIDs(t, d)
	_, err = n.Run(within(t), "kill", "-KILL", fmt.Sprint(d.supervisor)) // the watch does it alone
	require.NoError(t, err)
	require.NoError(t, lease.Release(within(t)))
	requireGone(t, pids)
}

func testLeaseTakenAway(t *testing.T, s *testServer) {
	n := s.node(t)
	lease, err := HoldLease(within(t), n, leaseName(t), testTTL)
	require.NoError(t, err)
	_, err = n.Run(within(t), "rm", lease.path)
	require.NoError(t, err)
	select {
	case <-lease.Lost():
	case <-within(t).Done():
		t.Fatal("not noticed")
	}
	require.ErrorIs(t, lease.Err(), ErrLeaseLost)
	require.NoError(t, lease.Release(within(t)))
}

// driverEnv holds the target for the helper process of testDriverKilled.
const driverEnv = "GOTESTBED_TEST_DRIVER"

// helperTarget is a testServer as it is handed to the helper process.
type helperTarget struct{ Addr, User, Identity, Known, Lease, Dir string }

func testDriverKilled(t *testing.T, s *testServer) {
	target := s.target(t)
	conf, err := json.Marshal(helperTarget{s.addr, s.user, s.identity, target.hosts.files[0], leaseName(t), t.TempDir()})
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperDriver$")
	cmd.Env = append(os.Environ(), driverEnv+"="+string(conf))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	var pids []int
	lines := bufio.NewScanner(out)
	for len(pids) < 3 && lines.Scan() {
		var pid int
		if _, err := fmt.Sscanf(lines.Text(), "pid %d", &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	require.Len(t, pids, 3)

	// It lives as long as its driver does, well beyond the ttl.
	time.Sleep(testTTL * 3 / 2) // a span in which nothing may happen
	for _, pid := range pids {
		require.True(t, lives(pid))
	}
	require.NoError(t, cmd.Process.Kill())
	killed := time.Now()
	cmd.Wait()
	requireGone(t, pids)
	require.Less(t, time.Since(killed), testTTL+3*time.Second)
}

// TestHelperDriver is no test: it is the driver that testDriverKilled kills.
func TestHelperDriver(t *testing.T) {
	conf := os.Getenv(driverEnv)
	if conf == "" {
		t.Skip("helper process of TestConformance/…/DriverKilled")
	}
	var h helperTarget
	require.NoError(t, json.Unmarshal([]byte(conf), &h))
	n := dialNode(t, &sshTarget{
		addr:      h.Addr,
		user:      h.User,
		keys:      keySource{identities: []string{h.Identity}},
		hosts:     hostStore{files: []string{h.Known}},
		keepalive: Keepalive{Interval: time.Minute, Misses: 1},
		timeout:   10 * time.Second,
	})
	lease, err := HoldLease(t.Context(), n, h.Lease, testTTL)
	require.NoError(t, err)
	d, err := StartDaemon(t.Context(), n, DaemonSpec{Name: "d", Dir: h.Dir, Lease: lease, Argv: []string{"sh", "-c", family}})
	require.NoError(t, err)
	for _, pid := range familyPIDs(t, d) {
		fmt.Printf("pid %d\n", pid)
	}
	_, err = d.Wait(t.Context()) // until killed
	t.Fatalf("the daemon ended: %v", err)
}

func leaseName(t *testing.T) string {
	return fmt.Sprintf("%s-%d", strings.ReplaceAll(t.Name(), "/", "-"), os.Getpid())
}

func testLeaseBad(t *testing.T, s *testServer) {
	n := s.node(t)
	for _, name := range []string{"", "..", "a/b", "-x"} {
		_, err := HoldLease(within(t), n, name, time.Minute)
		require.Error(t, err, "%q", name)
	}
	_, err := HoldLease(within(t), n, "x", time.Millisecond)
	require.ErrorContains(t, err, "ttl")
}

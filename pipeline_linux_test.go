package gotestbed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// liveRun is one `go test -tags local -json ./e2e` of TestStep6 in a process of its own.
type liveRun struct {
	cmd    *exec.Cmd
	out    string // run directory
	tmp    string // its TMPDIR: everything that runs on its nodes has this in its command line or working directory
	events bytes.Buffer
	errors bytes.Buffer
}

func startLive(t *testing.T, args ...string) *liveRun {
	t.Helper()
	if _, err := exec.LookPath("memcached"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("memcached is not installed: sudo apt-get install memcached")
		}
		t.Skip("live cells need memcached: sudo apt-get install memcached")
	}
	dir, err := os.MkdirTemp("", "gotestbed-pipeline-")
	require.NoError(t, err)
	r := &liveRun{out: filepath.Join(dir, "run"), tmp: filepath.Join(dir, "tmp")}
	require.NoError(t, os.Mkdir(r.tmp, 0o755))
	argv := append([]string{"test", "-tags", "local", "-timeout", "0", "-json", "./e2e", "-run", "TestStep6"}, args...)
	r.cmd = exec.Command("go", append(argv, "-out", r.out)...)
	r.cmd.Env = append(os.Environ(), "TMPDIR="+r.tmp)
	r.cmd.Stdout, r.cmd.Stderr = &r.events, &r.errors
	r.cmd.WaitDelay = 10 * time.Second
	require.NoError(t, r.cmd.Start())
	t.Cleanup(func() {
		// Supervisors and their helpers may need a moment after the last of their programs.
		for end := time.Now().Add(5 * time.Second); len(r.processes()) > 0 && time.Now().Before(end); {
			time.Sleep(50 * time.Millisecond)
		}
		for _, pid := range r.processes() {
			t.Errorf("process %d is left behind", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = os.RemoveAll(dir)
	})
	return r
}

// processes are the live processes of the run: the test binary and all that runs on its nodes.
func (r *liveRun) processes() []int {
	var pids []int
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		cwd, _ := os.Readlink(dir + "/cwd")
		argv, _ := os.ReadFile(dir + "/cmdline")
		if strings.HasPrefix(cwd, r.tmp) || bytes.Contains(argv, []byte(r.tmp)) || bytes.Contains(argv, []byte(r.out)) && pid != r.cmd.Process.Pid {
			pids = append(pids, pid)
		}
	}
	return pids
}

// awaitCell waits until the processes of a cell are at work: the compute nodes log their throughput.
func (r *liveRun) awaitCell(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		logs, _ := filepath.Glob(r.tmp + "/gotestbed-local-*/cn3/*/cells/*/cn3/log")
		for _, log := range logs {
			if data, _ := os.ReadFile(log); bytes.Contains(data, []byte("Tried txn thpt")) {
				return true
			}
		}
		return false
	}, 2*time.Minute, 50*time.Millisecond, "no cell came to work\n%s\n%s", &r.events, &r.errors)
}

// testBinary is the process that go test started.
func (r *liveRun) testBinary(t *testing.T) int {
	t.Helper()
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", r.cmd.Process.Pid))
	require.NoError(t, err)
	for _, field := range strings.Fields(string(children)) {
		pid, err := strconv.Atoi(field)
		require.NoError(t, err)
		return pid
	}
	for _, pid := range r.processes() {
		if stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); strings.Contains(string(stat), fmt.Sprintf(") S %d ", r.cmd.Process.Pid)) {
			return pid
		}
	}
	t.Fatal("go test has no child process")
	return 0
}

// reportgen runs the report generator on input and returns what it prints.
func reportgen(t *testing.T, stdin []byte, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append([]string{"run", "./reportgen"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(stdin), &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", &stderr)
	return string(out)
}

// TestInterruptedRun ends a run in the middle of a cell in each way a person or a machine does, and expects no process
// left behind and a run directory that tells what became of each cell.
func TestInterruptedRun(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: runs live cells")
	}
	tests := []struct {
		name      string
		interrupt func(t *testing.T, r *liveRun) error
		reason    string
	}{
		{"SIGINT to the test", func(t *testing.T, r *liveRun) error { return syscall.Kill(r.testBinary(t), syscall.SIGINT) }, "interrupted by SIGINT"},
		{"SIGTERM to go test", func(t *testing.T, r *liveRun) error { return r.cmd.Process.Signal(syscall.SIGTERM) }, "interrupted by the end of go test"},
		{"SIGKILL to go test", func(t *testing.T, r *liveRun) error { return r.cmd.Process.Kill() }, "interrupted by the end of go test"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := startLive(t, "-cells", "baseline,full_v27", "-reps", "2", "-duration", "60s")
			r.awaitCell(t)
			require.NoError(t, test.interrupt(t, r))
			require.Error(t, r.cmd.Wait(), "an interrupted run must not pass")
			require.Eventually(t, func() bool { return len(r.processes()) == 0 }, 15*time.Second, 50*time.Millisecond, "processes left behind: %v", r.processes())

			require.Equal(t, test.reason, lastReason(t, r.out))
			table := reportgen(t, nil, r.out)
			require.Contains(t, table, "unfinished")
			require.Contains(t, table, "not run")
			left, err := filepath.Glob(r.tmp + "/gotestbed-*")
			require.NoError(t, err)
			require.Empty(t, left, "directories left behind")
		})
	}
}

// lastReason is the reason in the last line of the journal, which must say that the run ended.
func lastReason(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	var last struct{ Event, Reason string }
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &last))
	require.Equal(t, "run-ended", last.Event)
	return last.Reason
}

// TestStreamAndDirectoryMakeTheSameTable runs two cells and compares what reportgen makes of the event stream with what
// it makes of the run directory; benchstat must read the latter's results.txt.
func TestStreamAndDirectoryMakeTheSameTable(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: runs live cells")
	}
	r := startLive(t, "-cells", "baseline,full_v27", "-reps", "1", "-duration", "1s")
	require.NoError(t, r.cmd.Wait(), "%s\n%s", &r.events, &r.errors)
	fromDir := reportgen(t, nil, r.out)
	require.Contains(t, fromDir, "full_v27")
	if diff := cmp.Diff(fromDir, reportgen(t, r.events.Bytes(), "-")); diff != "" {
		t.Errorf("the tables differ (-directory +stream):\n%s", diff)
	}
	stat, err := exec.Command("go", "tool", "benchstat", "-col", "/cell", filepath.Join(r.out, "results.txt")).CombinedOutput()
	require.NoError(t, err, "%s", stat)
	require.Contains(t, string(stat), "full_v27")
}

// TestPlanNeedsTime expects a plan that -timeout would cut off to be refused before its first cell.
func TestPlanNeedsTime(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts local nodes")
	}
	r := startLive(t, "-timeout", "30s", "-duration", "20s")
	require.Error(t, r.cmd.Wait())
	require.Contains(t, r.events.String(), "run with -timeout 0")
	require.NoDirExists(t, r.out)
}

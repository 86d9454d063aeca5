package gotestbed

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/clusterenv/recording"
)

var update = flag.Bool("update", false, "write the golden files anew")

const recordings = "testdata/recordings"

// buildExperiments builds the experiments' test binary, without a live tag.
var buildExperiments = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(temporary, "e2e.test")
	out, err := exec.Command("go", "test", "-c", "-o", binary, "./e2e").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return binary, nil
})

// temporary is a directory for what several tests need.
var temporary string

func TestMain(m *testing.M) {
	var err error
	if temporary, err = os.MkdirTemp("", "gotestbed-root-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(temporary)
	os.Exit(code)
}

// experiments runs the experiments on recordings.
func experiments(t *testing.T) func(args ...string) (string, error) {
	t.Helper()
	binary, err := buildExperiments()
	require.NoError(t, err)
	return func(args ...string) (string, error) {
		cmd := exec.Command(binary, args...)
		cmd.Dir = "e2e"
		cmd.Env = append(os.Environ(), "CLUSTER=")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

// TestOfflinePipeline makes the tables of the shipped recordings, twice, and compares them with the golden ones.
func TestOfflinePipeline(t *testing.T) {
	tables := func() string {
		cmd := exec.Command("go", "test", "-count", "1", "-json", "./e2e/...")
		cmd.Env = append(os.Environ(), "CLUSTER=")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		events, err := cmd.Output()
		require.NoError(t, err, "%s\n%s", events, &stderr)
		return reportgen(t, events, "-")
	}
	got := tables()
	if diff := cmp.Diff(got, tables()); diff != "" {
		t.Errorf("the same recordings make other tables (-first +second):\n%s", diff)
	}
	const golden = "testdata/golden/recordings.md"
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}

// TestEveryExperimentIsRecorded keeps a live test from vanishing: what can be replayed is there and says that it is a recording.
func TestEveryExperimentIsRecorded(t *testing.T) {
	run := experiments(t)
	list, err := run("-test.list", ".")
	require.NoError(t, err)
	out, err := run("-test.v", "-test.bench", ".")
	require.NoError(t, err, "%s", out)
	for _, name := range strings.Fields(list) {
		require.DirExists(t, filepath.Join(recordings, name), "no recording: make record")
		begin := "=== RUN   " + name + "\n"
		if strings.HasPrefix(name, "Benchmark") {
			begin = "\n" + name + "\n"
		}
		_, after, found := strings.Cut(out, begin)
		require.True(t, found, name)
		require.Contains(t, after[:min(len(after), 300)], "RECORDING of ", name)
	}
}

func TestClusterWithoutALiveTagFails(t *testing.T) {
	run := experiments(t)
	t.Setenv("CLUSTER", "cluster.yaml")
	cmd := exec.Command("go", "test", "-count", "1", "./e2e", "-run", "TestSSH")
	cmd.Env = append(os.Environ(), "CLUSTER=cluster.yaml")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "$CLUSTER is set, but without a live tag")
	out2, err := run("-test.run", "TestSSH")
	require.NoError(t, err, "%s", out2)
}

// TestRecordingsAreEvidence changes one thing in a recording, with a checksum that agrees, and expects the test that depends
// on it to fail, naming it.
func TestRecordingsAreEvidence(t *testing.T) {
	run := experiments(t)
	tests := []struct {
		name, test, node string
		edit             func(*recording.Request) (keep bool)
		want             string
	}{
		{"throughput line", "TestStep6", "mn", replaceFile("Tried Throughput", "Tried Xhroughput", "client"), "m_client.log"},
		{"exit status of a process", "TestStep6", "cn0", replace("wait for cn0", "0 - ", "1 - "), "cn0: exit status 1"},
		{"memcached listener", "TestMemcachedReachable", "mn", replace("ss -tlnp", ".1:", ".9:"), "MemcachedReachable"},
		{"memcached's answer", "TestMemcachedReachable", "cn2", replace("memcached set/get", "STORED", "NOT_STORED"), "cn2: memcached at "},
		{"hash of a program", "TestBinariesIdentical", "cn1", replace("collect facts", "⟦program", "f⟦program"), "cn1: BinariesIdentical: "},
		{"GID", "TestGIDIndex", "cn0", replace("collect facts", "ffff:0a0a:0104", "ffff:0a0a:0109"), "cn0: GIDIndex: "},
		{"port state", "TestPortActive", "mn", replace("collect facts", "/ports/1/state:4: ACTIVE", "/ports/1/state:1: DOWN"), "mn: PortActive: no"},
		{"active MTU", "TestSanity", "cn1", replace("collect facts", "active_mtu:\t\t1024", "active_mtu:\t\t9999"), "cn1: ActiveMTU: "},
		{"request for facts", "TestDiskSpace", "cn3", drop("collect facts"), "not recorded"},
		{"request for the log", "TestStep6", "cn1", drop("pull from"), "not recorded"},
		{"start of a process", "TestStep6", "mn", drop("start mn"), "not recorded"},
		{"proof of memcached", "TestMemcachedReachable", "cn0", drop("memcached set/get"), "not recorded"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(recordings)))
			changed := 0
			err := recording.Rewrite(filepath.Join(dir, test.test, test.node), func(requests []*recording.Request) []*recording.Request {
				var kept []*recording.Request
				for _, r := range requests {
					before := len(kept)
					if snapshot := dump(t, r); test.edit(r) {
						kept = append(kept, r)
						if dump(t, r) != snapshot {
							changed++
						}
					}
					if len(kept) == before {
						changed++
					}
				}
				return kept
			})
			require.NoError(t, err)
			require.Positive(t, changed, "the edit found nothing to change: the recording has other requests now")
			out, err := run("-test.run", "^"+test.test+"$", "-replay", dir)
			require.Error(t, err, "the test passes on a recording that was changed\n%s", out)
			require.Contains(t, out, test.want)
		})
	}
}

func dump(t *testing.T, r *recording.Request) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, recording.Dump(&b, &recording.Recorded{Requests: []*recording.Request{r}}, true))
	return b.String()
}

// is reports whether a request's operation begins with a text: the name of a script, or the command line.
func is(r *recording.Request, op string) bool {
	text := strings.Join(r.Argv, " ")
	if len(r.Argv) > 3 && r.Argv[1] == "-c" {
		text = r.Argv[3]
	}
	return strings.HasPrefix(text, op)
}

// replace changes the first place in what the requests of an operation printed.
func replace(op, from, to string) func(*recording.Request) bool {
	return func(r *recording.Request) bool {
		for i := range r.Output {
			if is(r, op) {
				r.Output[i].Data = bytes.Replace(r.Output[i].Data, []byte(from), []byte(to), 1)
			}
		}
		return true
	}
}

// replaceFile changes a text in the files that came from a node, in those whose name has the given part.
func replaceFile(from, to, name string) func(*recording.Request) bool {
	return func(r *recording.Request) bool {
		for i := range r.Files {
			if strings.Contains(r.Files[i].Name, name) {
				r.Files[i].Data = bytes.ReplaceAll(r.Files[i].Data, []byte(from), []byte(to))
			}
		}
		return true
	}
}

// drop takes the requests of an operation out.
func drop(op string) func(*recording.Request) bool {
	return func(r *recording.Request) bool { return !is(r, op) }
}

// TestRecordThenReplay records two cells live and replays them: both pass, and make the same table.
func TestRecordThenReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: runs live cells")
	}
	dir := t.TempDir()
	live := startLive(t, "-cells", "baseline,full_v27", "-reps", "1", "-duration", "1s", "-record", dir)
	require.NoError(t, live.cmd.Wait(), "%s\n%s", &live.events, &live.errors)
	cmd := exec.Command("go", "test", "-count", "1", "-json", "./e2e", "-run", "TestStep6", "-replay", dir)
	cmd.Env = append(os.Environ(), "CLUSTER=")
	events, err := cmd.Output()
	require.NoError(t, err, "%s", events)
	rows := func(table string) (rows []string) {
		for line := range strings.Lines(table) {
			if strings.HasPrefix(line, "| ") {
				rows = append(rows, line)
			}
		}
		return rows
	}
	want := rows(reportgen(t, live.events.Bytes(), "-"))
	require.NotEmpty(t, want)
	if diff := cmp.Diff(want, rows(reportgen(t, events, "-"))); diff != "" {
		t.Errorf("the tables differ (-live +replayed):\n%s", diff)
	}
}

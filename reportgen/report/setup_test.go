package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

func readRun(t *testing.T, dir string) *results.Run {
	t.Helper()
	run, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Everything that the captured facts say of the testbed is in the text, what all nodes have in common in one clause.
func TestSetup(t *testing.T) {
	want := []string{
		"AURA ran on five c6525-25g nodes (CloudLab Utah, profile small-lan, cluster utah). Of them, mn is the memory node and runs the client; " +
			"cn0 to cn2 are compute nodes; extra is spare.",
		"Every node has the processor AMD EPYC 7302P 16-Core Processor, 125.0 GiB of memory, the NIC ConnectX-6 Dx and a link of 100 Gb/sec. " +
			"The firmware of the NIC is 22.31.1014 on mn, cn0, cn1 and extra. " +
			"Every node runs Ubuntu 18.04.6 LTS, MLNX_OFED_LINUX-4.9-7.1.0.0, rdma-core 50mlnx1, IOMMU passthrough (identity) and perftest 4.5. " +
			"The kernel is 4.15.0-213-generic on mn and cn0 to cn2 and 5.4.0-150-generic on extra. The version of memcached is 1.5.6 on mn. " +
			"RDMA on every node uses device mlx5_2, network device ens1f0, port state ACTIVE, an active MTU of 1024, GID index 3 and GIDs of type RoCE v2.",
		"The tests are of commit 0123456789ab, built with go1.26.8. The SHA-256 of bench_runner begins with c3ab8ff13720. The run began on 2026-01-31.",
		"Each cell ran for 60 s and for at most 200000 transactions a thread. Every compute node used 8 threads and 2 coroutines a thread. " +
			"Each cell was measured 3 times in interleaved order (seed 7). scaleout: scaled down: 3 compute nodes at most.",
		"The cell CN = 12 of scaleout is future work.",
		"The firmware of the NIC of cn2 is not known (mstflint: permission denied).",
	}
	if diff := cmp.Diff(want, setup(readRun(t, "testdata/full"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is not known is said, or not there; it is never made up.
func TestSetupOfUnknown(t *testing.T) {
	test := func(name string, run results.Run, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, setup(&run)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	test("nothing", results.Run{System: "AURA"})
	test("a name only", results.Run{Cluster: "utah"}, "The program under test, whose name was not recorded, ran on the cluster utah, whose nodes were not recorded.")
	test("a commit only", results.Run{Commit: "v1"}, "The program under test, whose name was not recorded, ran on the cluster of unknown name, whose nodes were not recorded.", "The tests are of commit v1.")
	test("a changed tree", results.Run{System: "AURA", Cluster: "utah", Commit: "0123456789abcdef0123456789abcdef01234567+dirty", Go: "go1.26.8"},
		"AURA ran on the cluster utah, whose nodes were not recorded.", "The tests are of commit 0123456789ab with changes that were not committed, built with go1.26.8.")
	never := "Not recorded: processor, memory, NIC, firmware of the NIC, link rate, operating system, kernel, OFED, version of rdma-core, IOMMU mode, " +
		"version of memcached, version of perftest, RDMA device, network device, port state, active MTU, GID index, GID type."
	test("bare nodes", results.Run{System: "AURA", Nodes: []results.Node{{Name: "a"}, {Name: "b"}}}, "AURA ran on two nodes whose type was not recorded.", never)
	test("escapes in facts", results.Run{System: "AURA", Nodes: []results.Node{{Name: "a", Hardware: "x", OS: "\x1b[31mlinux"}}},
		"AURA ran on one x node.", "A runs linux.", strings.Replace(never, "operating system, ", "", 1))
}

// What experiments have in common is said once, in the order of the paper.
func TestProtocols(t *testing.T) {
	short := results.Params{DurationS: 2, Txns: 10, Threads: 1}
	experiments := inOrder([]results.Experiment{
		{Name: "other", Params: short, Reps: 3},
		{Name: "drift", Params: results.Params{DurationS: 0.5, Threads: 1}, Reps: 3, Notes: []string{"drift scaled down: 5 s a cell", "a log is short."}},
		{Name: "step6", Params: short, Reps: 3},
	})
	want := []string{
		"Each cell ran for 2 s and for at most 10 transactions a thread in step6 and other; for 0.5 s in drift.",
		"Every compute node used 1 thread.",
		"Each cell was measured 3 times.",
		"Drift scaled down: 5 s a cell.",
		"drift: a log is short.",
	}
	if diff := cmp.Diff(want, protocols(experiments)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := protocols([]results.Experiment{{Name: "old"}}); strings.Join(got, "") != "" {
		t.Errorf("of nothing: %q", got)
	}
}

func TestNodeNames(t *testing.T) {
	test := func(in, want string) {
		t.Helper()
		if got := nodeNames(strings.Fields(in)); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	test("", "")
	test("mn", "mn")
	test("mn cn0", "mn and cn0")
	test("cn0 cn1", "cn0 and cn1")
	test("cn0 cn1 cn2", "cn0 to cn2")
	test("mn cn0 cn1 cn2 cn4 x9 x10 x11", "mn, cn0 to cn2, cn4 and x9 to x11")
	test("cn2 cn1 cn0", "cn2, cn1 and cn0")
}

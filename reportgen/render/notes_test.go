package render

import (
	"testing"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

func TestWhereNote(t *testing.T) {
	const worth = ", measured on one machine; ratios and counters mean something, absolute throughput does not."
	test := func(system, cluster, tag, want string) {
		t.Helper()
		if got := whereNote(&results.Run{System: system, Cluster: cluster, Tag: tag}); got != want {
			t.Errorf("system %q, cluster %q, tag %q:\n%s\nwant\n%s", system, cluster, tag, got, want)
		}
	}
	test("minidm", "local", "local", "minidm on cluster local: emulated"+worth)
	test("minidm", "local", "", "minidm on cluster local: emulated"+worth) // a stream that was kept without its tag
	test("minidm", "guests", "rxe", "minidm on cluster guests: virtual machines with soft-RoCE"+worth)
	test("CREST", "utah", "cloudlab", "CREST on cluster utah.")
	test("AURA", "", "", "AURA on a cluster whose name was not recorded.")
	test("", "", "", "A program whose name was not recorded on a cluster whose name was not recorded.")
}

func TestWhereNoteOfARecording(t *testing.T) {
	run := &results.Run{System: "CREST", Cluster: "utah", Tag: "cloudlab", Recording: "RECORDING of 2026-01-02 on utah (cloudlab), not your cluster"}
	const want = "RECORDING of 2026-01-02 on utah (cloudlab), not your cluster. CREST on cluster utah."
	if got := whereNote(run); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestOrderNote(t *testing.T) {
	test := func(exp results.Experiment, want string) {
		t.Helper()
		if got := orderNote(&results.Run{ID: "r"}, &exp); got != want {
			t.Errorf("%+v:\n%s\nwant\n%s", exp, got, want)
		}
	}
	test(results.Experiment{Reps: 3, Order: "random", Seed: 7, Cells: make([]results.Cell, 5)}, "Run r: 5 cells × 3 reps, order random, seed 7.")
	test(results.Experiment{Reps: 1, Cells: make([]results.Cell, 1)}, "Run r: 1 cell × 1 rep; order of the reps not recorded.")
	test(results.Experiment{}, "Run r; order of the reps not recorded.")
}

package results

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKnownValues reads the values of AURA v27 that are known; testdata/old-runs/README.md says what was derived.
func TestKnownValues(t *testing.T) {
	run := readDir(t, filepath.Join(testdata, "old-runs/aura_v27_step6_20260101_000000"))
	e := run.Experiments[0]
	if run.System != "AURA" || e.Name != "step6" || e.Reps != 3 || len(e.Cells) != 1 {
		t.Errorf("system %q, experiment %q, %d reps, cells %v", run.System, e.Name, e.Reps, e.Cells)
	}
	want := []line{{"full_v27", 0, 1, Pass, "", 13.64}, {"full_v27", 1, 1, Pass, "", 13.71}, {"full_v27", 2, 1, Pass, "", 13.58}}
	if diff := cmp.Diff(want, short(e)); diff != "" {
		t.Errorf("three reps (-want +got)\n%s", diff)
	}

	run = readDir(t, filepath.Join(testdata, "old-runs/aura_v27_step6_20260101_010000"))
	a := run.Experiments[0].Attempts[0]
	got := map[string]float64{}
	for name, m := range a.Metrics {
		got[name] = m.Value
	}
	wantMetrics := map[string]float64{"tried": 859200, "committed": 822000, "tried_kops": 14.32, "commit_kops": 13.70, "commit_rate": 822. / 859.2, "atomic_per_txn": 12.10}
	if diff := cmp.Diff(wantMetrics, got, approx); diff != "" {
		t.Errorf("one rep (-want +got)\n%s", diff)
	}
	if a.Verdict != Pass {
		t.Errorf("%s: %s", a.Verdict, a.Reason)
	}
}

func TestScripts(t *testing.T) {
	run := readDir(t, write(t, "aura_v27_a1b_smoke_20260101_000000", map[string]string{
		"sgd_rep0/m_client.log": goodLog, "fixed_rep0/m_client.log": goodLog, "zeta_rep0/m_client.log": goodLog, "alpha_rep0/m_client.log": goodLog,
		"rule_rep0/m_client.log": "x\n", "rule_rep10/m_client.log": goodLog, "sgd_rep0/try2/m_client.log": goodLog, "notes/x": "",
		"summary.csv": "\ufeffcell,rep,tried_kops,commit_kops,atomic_per_txn,cn_balance,n_sgd_logs\r\n" +
			"zeta,0,20.0,16.00,1.5,0.98,0\r\n" + // atomics and balance are not in the logs; 0 lines is what awk prints
			"fixed,0,20,16.01,nan,,\r\n" + // disagrees
			"rule,0,20,15,,,\r\n" + // the log has no summary: not used
			"+gone,1,21,17,,,\r\n" + // no directory
			"alpha,x,1,1,,,\r\n" + // no rep
			"fixed,0,20,", // torn
	}))
	e := run.Experiments[0]
	if e.Name != "a1b" {
		t.Errorf("experiment %q", e.Name)
	}
	want := []line{
		{"fixed", 0, 1, Pass, "", 16},
		{"rule", 0, 1, Fail, "client: no summary in the 1 lines of m_client.log", 0},
		{"rule", 10, 1, Pass, "", 16},
		{"sgd", 0, 1, Pass, "", 16},
		{"sgd", 0, 2, Pass, "", 16},
		{"zeta", 0, 1, Pass, "", 16},
		{"gone", 1, 1, Pass, "", 17},
		{"alpha", 0, 1, Pass, "", 16},
	}
	if diff := cmp.Diff(want, short(e)); diff != "" {
		t.Errorf("attempts (-want +got)\n%s", diff)
	}
	warnings := run.Warnings
	for _, a := range e.Attempts {
		warnings = append(warnings, a.Warnings...)
	}
	wantWarnings := []string{
		`summary.csv:3: atomic_per_txn: "nan" is no number and counts as absent`,
		"summary.csv:6: the row does not say which cell and rep",
		"summary.csv:7: the last line is torn and was dropped",
		"commit_kops: summary.csv:3 says 16.01, the logs say 16 (fixed_rep0/m_client.log:2)",
		"n_sgd_logs: summary.csv:2 says 0, which awk also prints for what it did not find; not used",
		"no logs: the numbers are from summary.csv:5",
	}
	if diff := cmp.Diff(wantWarnings, warnings); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
	zeta := e.Attempts[5].Metrics["atomic_per_txn"]
	if diff := cmp.Diff(Metric{Name: "atomic_per_txn", Value: 1.5, Unit: "atomics/txn", Origins: []Origin{{File: "summary.csv", Line: 2}}}, zeta); diff != "" {
		t.Errorf("from summary.csv (-want +got)\n%s", diff)
	}
}

func TestScriptsLabels(t *testing.T) {
	files := map[string]string{}
	for _, cell := range []string{"full_v27", "+a2", "+a1", "baseline", "+a3"} {
		files[cell+"_rep0/m_client.log"] = goodLog
	}
	e := readDir(t, write(t, "aura_v27_step6_1767225600", files)).Experiments[0]
	var labels []string
	for _, c := range e.Cells {
		labels = append(labels, c.Name+"="+c.Label)
	}
	if got := strings.Join(labels, " "); got != "baseline=baseline a1=+a1 a2=+a2 a3=+a3 full_v27=full_v27" {
		t.Errorf("cells %s", got)
	}
}

// TestScriptsBelow reads a run directory whose run.json and journal were lost.
func TestScriptsBelow(t *testing.T) {
	run := readDir(t, write(t, "r1", map[string]string{"step6/a1_rep0/m_client.log": goodLog, "drift/no_drift_rep0/m_client.log": goodLog}))
	if len(run.Experiments) != 2 || run.Experiments[0].Name != "drift" || run.Experiments[1].Attempts[0].Dir != "step6/a1_rep0" {
		t.Errorf("%+v", run.Experiments)
	}
}

func TestScriptNames(t *testing.T) {
	check := func(base, system, experiment string) {
		t.Helper()
		if s, e := scriptNames(base); s != system || e != experiment {
			t.Errorf("%s: %q, %q, want %q, %q", base, s, e, system, experiment)
		}
	}
	check("aura_v27_step6_20260101_000000", "AURA", "step6")
	check("aura_v27_a1b_smoke_1767225600", "AURA", "a1b")
	check("aura_v27_drift_2026-01-01T00:00:00Z", "AURA", "drift")
	check("aura_v27_rdma_dispatch_smoke_20260101", "AURA", "rdma_dispatch")
	check("v26", "", "v26")
}

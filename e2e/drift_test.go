package e2e

import (
	"testing"
	"time"

	"github.com/gotestbed/gotestbed/fixtures"
)

// TestDrift asks RQ2: does the cost model follow a workload whose hot spot moves?
//
//	client ─┬─ cn0 ═╗      phase 0 │ phase 1 │ phase 2 │ …
//	        ├─ cn1 ═╣      hot: a  │ hot: b  │ hot: a  │ …
//	        ├─ cn2 ═╬═ mn
//	        └─ cn3 ═╝      ═ one-sided operations and calls    ─ control; the barrier is memcached on mn
//
// A cell lasts a minute on a real cluster, and the phase switches every five or two seconds of it. On local nodes and guests all
// times are scaled down alike, which the notes of the run say. Each line of weights in the logs is a point of the figure.
func TestDrift(t *testing.T) {
	c := fixtures.NewCluster(t)
	fixtures.NewPlan(t, c, fixtures.Experiment{
		Name:     "drift",
		Question: "RQ2: does the cost model follow a workload whose hot spot moves?",
		System:   program(t, c),
		Full:     time.Minute,
		Short:    5 * time.Second,
		Cells: []fixtures.Cell{
			{Name: "no_drift", Levers: levers, Tuner: "sgd"},
			{Name: "drift_5sec", Levers: levers, Tuner: "sgd", Drift: 5 * time.Second},
			{Name: "drift_2sec", Levers: levers, Tuner: "sgd", Drift: 2 * time.Second},
		},
	}).Run(t)
}

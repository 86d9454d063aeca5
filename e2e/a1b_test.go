package e2e

import (
	"testing"

	"github.com/gotestbed/gotestbed/fixtures"
)

// levers are those of full_v27: the experiments below vary something else.
var levers = []string{"a1", "a2", "a3", "a4"}

// TestA1Tuner asks RQ3: what is gained when the cost model of a1 learns its weights?
//
//	client ─┬─ cn0 ═╗
//	        ├─ cn1 ═╣
//	        ├─ cn2 ═╬═ mn        ═ one-sided operations and calls    ─ control; the barrier is memcached on mn
//	        └─ cn3 ═╝
//
// All levers are on. The weights stay as they are at the start, follow a rule, or are fitted by gradient descent.
func TestA1Tuner(t *testing.T) {
	c := fixtures.NewCluster(t)
	fixtures.NewPlan(t, c, fixtures.Experiment{
		Name:     "a1b",
		Question: "RQ3: what is gained when the cost model learns its weights?",
		System:   program(t, c),
		Cells: []fixtures.Cell{
			{Name: "fixed", Levers: levers, Tuner: "fixed"},
			{Name: "rule", Levers: levers, Tuner: "rule"},
			{Name: "sgd", Levers: levers, Tuner: "sgd"},
		},
	}).Run(t)
}

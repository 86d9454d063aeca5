package e2e

import (
	"testing"

	"github.com/gotestbed/gotestbed/fixtures"
)

// TestStep6 asks RQ1: what does each lever add while the others stand still?
//
//	client ─┬─ cn0 ═╗
//	        ├─ cn1 ═╣
//	        ├─ cn2 ═╬═ mn        ═ one-sided operations    ─ control; the barrier is memcached on mn
//	        └─ cn3 ═╝
//
// The levers are switched on one after another; full_v27 has all four. Like every ablation it runs
// its first cell twice, as baseline and baseline_aa: two cells that differ by chance alone.
func TestStep6(t *testing.T) {
	c := fixtures.NewCluster(t)
	fixtures.NewPlan(t, c, fixtures.Experiment{
		Name:     "step6",
		Question: "RQ1: what does each lever add while the others stand still?",
		System:   program(t, c),
		Cells: []fixtures.Cell{
			{Name: "baseline"},
			{Name: "a1", Label: "+a1", Levers: []string{"a1"}},
			{Name: "a2", Label: "+a2", Levers: []string{"a1", "a2"}},
			{Name: "a3", Label: "+a3", Levers: []string{"a1", "a2", "a3"}},
			{Name: "full_v27", Levers: levers},
		},
	}).Run(t)
}

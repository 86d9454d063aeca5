package e2e

import (
	"testing"

	"github.com/gotestbed/gotestbed/fixtures"
)

// TestScaleOut asks RQ5: what do more compute nodes add?
//
//	client ─┬─ cn0  ═╗
//	        ├─ …     ╬═ mn        ═ one-sided operations and calls    ─ control; the barrier is memcached on mn
//	        └─ cnN-1 ═╝
//
// A cell takes the first compute nodes of the cluster file. What the cluster cannot hold is put off, for a reason that deferrals.yaml
// gives and the report repeats.
func TestScaleOut(t *testing.T) {
	c := fixtures.NewCluster(t)
	fixtures.NewPlan(t, c, fixtures.Experiment{
		Name:     "scaleout",
		Question: "RQ5: what do more compute nodes add?",
		System:   program(t, c),
		NoAA:     true,
		Cells: []fixtures.Cell{
			{Name: "cn1", Label: "1 CN", Levers: levers, CNs: 1},
			{Name: "cn4", Label: "4 CN", Levers: levers, CNs: 4},
			{Name: "cn8", Label: "8 CN", Levers: levers, CNs: 8},
			{Name: "cn12", Label: "12 CN", Levers: levers, CNs: 12},
		},
	}).Run(t)
}

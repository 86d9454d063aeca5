package e2e

import (
	"github.com/gotestbed/gotestbed/fixtures"
	"github.com/gotestbed/gotestbed/reportgen/crestlog"
)

// program is the system under test: minidm, whose logs are CREST's.
func program() fixtures.System { return fixtures.MiniDM(readCell) }

// readCell hands the numbers of a cell directory from the room that parses logs to the one that runs cells.
func readCell(runDir, cellDir string) (fixtures.Result, error) {
	cell, err := crestlog.ReadCell(runDir, cellDir)
	if err != nil {
		return fixtures.Result{}, err
	}
	result := fixtures.Result{Complete: cell.Complete, Reason: cell.Reason, Tail: cell.Tail}
	for _, m := range cell.List() {
		metric := fixtures.Metric{Name: m.Name, Value: m.Value, Unit: m.Unit}
		for _, o := range m.Origins {
			metric.Origins = append(metric.Origins, fixtures.Origin(o))
		}
		result.Metrics = append(result.Metrics, metric)
	}
	return result, nil
}

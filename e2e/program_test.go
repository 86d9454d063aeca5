package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotestbed/gotestbed/fixtures"
	"github.com/gotestbed/gotestbed/reportgen/crestlog"
)

// program is the system under test: minidm, or the one that -system names. All of them log as CREST does.
func program(t *testing.T, c *fixtures.Cluster) fixtures.System {
	t.Helper()
	return fixtures.NewSystem(t, c, readCell)
}

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

// readDetails hands the counters that the compute nodes of a cell left to the experiments that look at them.
func readDetails(cellDir string) ([]*crestlog.Details, error) {
	files, err := filepath.Glob(filepath.Join(cellDir, "m_cn*.details.txt"))
	if err != nil {
		return nil, err
	}
	var all []*crestlog.Details
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		details, err := crestlog.ParseDetails(filepath.Base(file), f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		all = append(all, details)
	}
	return all, nil
}

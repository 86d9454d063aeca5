package crestlog

import (
	"fmt"
	"path"
	"path/filepath"
)

// maxSeries bounds the points of each series of a log. At two lines a second it is more than half a day.
const maxSeries = 100_000

// Series are the points in time that the logs of one cell directory hold, for figures.
type Series struct {
	CNs    []*NodeSeries // by index; nil where there is no log
	Others []*NodeSeries // the client and the memory node, as far as they have logs
}

// A NodeSeries is what one process said over time: the last run that its log holds.
type NodeSeries struct {
	Process   string // cn0, client, mn
	Log       *Log
	Intervals []Interval
	Weights   []Weights
	Phases    []Phase
	Details   *Details // of a compute node, with its histograms; nil if there is no file
	Dropped   int      // points beyond the 100 000 that are kept of a series
}

// ReadSeries reads the logs and details of a cell directory, as ReadCell does, and keeps their series. Names of files are
// relative to runDir, with slashes. The error is an I/O error.
func ReadSeries(runDir, cellDir string) (*Series, error) {
	rel, err := filepath.Rel(runDir, cellDir)
	if err != nil {
		return nil, err
	}
	f, n, err := listFiles(cellDir, filepath.ToSlash(rel))
	if err != nil {
		return nil, err
	}
	s := &Series{CNs: make([]*NodeSeries, n)}
	for i := range n {
		if s.CNs[i], err = f.series(fmt.Sprintf("cn%d", i)); err != nil {
			return nil, err
		}
	}
	for _, process := range []string{RoleClient, RoleMN} {
		node, err := f.series(process)
		if err != nil {
			return nil, err
		}
		if node != nil {
			s.Others = append(s.Others, node)
		}
	}
	return s, nil
}

// series reads the log of a process and the details beside it, nil without a log.
func (f *files) series(process string) (*NodeSeries, error) {
	name := "m_" + process + ".log"
	r, err := f.open(name)
	if r == nil || err != nil {
		return nil, err
	}
	defer r.Close()
	node := &NodeSeries{Process: process}
	if node.Log, err = ParseSeries(path.Join(f.rel, name), r, node.options()); err != nil {
		return nil, err
	}
	node.Details, err = f.detail("m_"+process+".details.txt", isTransactionLatency)
	return node, err
}

func isTransactionLatency(name []byte) bool {
	_, whole := Transaction(string(name))
	return whole
}

func (n *NodeSeries) options() Options {
	return Options{
		Interval: func(v Interval) { n.Intervals = keepPoint(n, n.Intervals, v) },
		Weights:  func(v Weights) { n.Weights = keepPoint(n, n.Weights, v) },
		Phase:    func(v Phase) { n.Phases = keepPoint(n, n.Phases, v) },
		Restart: func() {
			n.Intervals, n.Weights, n.Phases, n.Dropped = nil, nil, nil, 0
		},
	}
}

func keepPoint[T any](n *NodeSeries, list []T, v T) []T {
	if len(list) == maxSeries {
		n.Dropped++
		return list
	}
	return append(list, v)
}

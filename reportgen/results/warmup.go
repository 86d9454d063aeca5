package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gotestbed/gotestbed/reportgen/crestlog"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// maxLines is how many interval lines of a log are kept: those of ten hours.
const maxLines = 72_000

// ticksPerSecond is the clock of the logs: 100 ns.
const ticksPerSecond = 1e7

// FindWarmups looks at how the throughput of every passed attempt began, in the lines that its compute nodes print each half
// second, and sets its Warmup. It reads the logs once more. A run without a directory has none.
func (r *Run) FindWarmups() error {
	if r.Dir == "" {
		return nil
	}
	return r.each(func(e *Experiment, i int) error {
		a := &e.Attempts[i]
		if a.Verdict != Pass || a.Dir == "" {
			return nil
		}
		times, kops, err := readThroughput(filepath.Join(r.Dir, filepath.FromSlash(a.Dir)))
		if err == nil {
			a.Warmup = stats.FindWarmup(times, kops)
		}
		return err
	})
}

// readThroughput returns the committed thousands per second of all compute nodes of a cell directory together, line by line,
// and the seconds from the beginning of the first line's interval to the end of each. It ends where the first of the logs
// does, and is empty if there is none.
func readThroughput(dir string) (seconds, kops []float64, err error) {
	for cn := 0; ; cn++ {
		one, err := readIntervals(filepath.Join(dir, fmt.Sprintf("m_cn%d.log", cn)))
		if errors.Is(err, fs.ErrNotExist) {
			return seconds, kops, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if cn == 0 {
			seconds, kops = timesOf(one), make([]float64, len(one))
		}
		n := min(len(kops), len(one))
		seconds, kops = seconds[:n], kops[:n]
		for i := range kops {
			kops[i] += one[i].CommitKOPS
		}
	}
}

func readIntervals(name string) ([]crestlog.Interval, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() { // opening a FIFO could wait for ever
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []crestlog.Interval
	_, err = crestlog.ParseSeries(name, f, crestlog.Options{Interval: func(in crestlog.Interval) {
		if len(list) < maxLines {
			list = append(list, in)
		}
	}})
	return list, err
}

func timesOf(list []crestlog.Interval) []float64 {
	times := make([]float64, len(list))
	for i, in := range list {
		first := list[0].Tick
		if len(list) > 1 {
			first -= list[1].Tick - list[0].Tick
		}
		times[i] = float64(in.Tick-first) / ticksPerSecond
	}
	return times
}

package figure

import (
	"fmt"
	"testing"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// Benchmark33Cells makes and writes all figures of a run like the paper's: five, three and three cells of three reps, each a
// minute long on four compute nodes. It reports which part of the 5 s that it may take it takes.
func Benchmark33Cells(b *testing.B) {
	const limit = 5.0 // s
	run := &results.Run{Dir: b.TempDir(), Experiments: make([]results.Experiment, 3)}
	for i, e := range []struct {
		name  string
		cells []string
	}{{"step6", []string{"baseline", "a1", "a2", "a3", "full_v27"}}, {"a1b", []string{"fixed", "rule", "sgd"}}, {"drift", []string{"no_drift", "drift_5sec", "drift_2sec"}}} {
		run.Experiments[i].Name = e.name
		for _, name := range e.cells {
			addCell(b, run, &run.Experiments[i], results.Cell{Name: name}, 13.64, 13.71, 13.58)
		}
		for _, a := range run.Experiments[i].Attempts {
			for cn := range 4 {
				write(b, run.Dir, map[string]string{fmt.Sprintf("%s/m_cn%d.log", a.Dir, cn): nodeLogOf(a.Rep, cn, 120, i > 0)})
			}
		}
	}
	dir := b.TempDir()
	files := 0
	for b.Loop() {
		names, err := WriteDir(dir, figuresOf(b, run).Figures)
		if err != nil {
			b.Fatal(err)
		}
		files = len(names)
	}
	b.ReportMetric(float64(files), "files")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/limit, "of-limit")
}

package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// ssdTable has a row for each mode and block size of the sweeps: medians of the reps.
func (b *builder) ssdTable(sweeps []results.SSDSweep) *Table {
	t := &Table{File: "ssd.sweep", Title: "Remote SSD reads by block size", Head: []string{"mode", "block", "n", "MiB/s", "latency µs", "IOPS"}, Right: 1}
	for _, s := range sweeps {
		reps := map[int64][]results.SSDPoint{}
		for _, p := range s.Points {
			reps[p.BlockSize] = append(reps[p.BlockSize], p)
		}
		for _, size := range slices.Backward(slices.Sorted(maps.Keys(reps))) {
			points := reps[size]
			number := func(name string, of func(results.SSDPoint) float64) Cell {
				var values []float64
				var parts []Part
				for i, p := range points {
					values = append(values, of(p))
					parts = append(parts, Part{Text: fmt.Sprintf("rep %d", i), Lines: b.lines(p.Origin)})
				}
				sum := stats.Median(values)
				text := render.FormatNumber(sum.Median, 4)
				return Cell{Text: text, Value: sum.Median, Has: true, Origins: parts, Macros: []Macro{{Of: name, Text: text}}}
			}
			t.Keys = append(t.Keys, s.Mode+" "+blockSize(size))
			t.Rows = append(t.Rows, []Cell{{Text: s.Mode}, {Text: blockSize(size), Value: float64(size), Has: true},
				{Text: strconv.Itoa(len(points)), Value: float64(len(points)), Has: true},
				number("bandwidth", func(p results.SSDPoint) float64 { return p.Bandwidth }),
				number("latency", func(p results.SSDPoint) float64 { return p.LatencyUS }),
				number("iops", func(p results.SSDPoint) float64 { return p.IOPS })})
		}
	}
	return t
}

// blockSize writes a number of bytes: 4 KiB, 16 MiB, 1000 B.
func blockSize(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}

package report

import (
	"fmt"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// ssdTable has a row for each mode and block size of the sweeps.
func (b *builder) ssdTable(sweeps []results.SSDSweep) *Table {
	t := &Table{File: "ssd.sweep", Title: "Remote SSD reads by block size", Head: []string{"mode", "block", "MiB/s", "latency µs", "IOPS"}, Right: 1}
	for _, s := range sweeps {
		for _, p := range s.Points {
			number := func(of string, v float64) Cell {
				text := render.FormatNumber(v, 4)
				return Cell{Text: text, Value: v, Has: true, Origins: []Part{{Text: "one sweep", Lines: b.lines(p.Origin)}}, Macros: []Macro{{Of: of, Text: text}}}
			}
			t.Keys = append(t.Keys, s.Mode+" "+blockSize(p.BlockSize))
			t.Rows = append(t.Rows, []Cell{{Text: s.Mode}, {Text: blockSize(p.BlockSize), Value: float64(p.BlockSize), Has: true},
				number("bandwidth", p.Bandwidth), number("latency", p.LatencyUS), number("iops", p.IOPS)})
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

package figure

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// ssd makes the figure of the remote SSD reads: bandwidth, latency and operations per second over the size of a block.
func ssd(set *Set, run *results.Run) {
	if len(run.SSD) == 0 {
		return
	}
	if n := len(run.SSD); n > maxSeries {
		set.miss("", "ssd", "%d modes were swept, and %d can be told apart", n, maxSeries)
		return
	}
	quantities := []struct {
		axis Axis
		of   func(results.SSDPoint) float64
	}{
		{Axis{Label: "bandwidth (MiB/s)", Scale: Log}, func(p results.SSDPoint) float64 { return p.Bandwidth }},
		{Axis{Label: "latency per block", Scale: Time}, func(p results.SSDPoint) float64 { return p.LatencyUS }},
		{Axis{Label: "blocks per second", Scale: Log}, func(p results.SSDPoint) float64 { return p.IOPS }},
	}
	chart := &Lines{X: Axis{Label: "block size (bytes)", Scale: Bytes}, Cols: len(quantities), Wide: true}
	for _, q := range quantities {
		panel := Panel{Y: &q.axis}
		for i, sweep := range run.SSD {
			panel.Series = append(panel.Series, Series{Name: label(sweep.Mode), Look: Look(i), Points: byBlock(sweep, q.of)})
		}
		chart.Panels = append(chart.Panels, panel)
	}
	if chart.empty() {
		set.miss("", "ssd", "no sweep has a point that a logarithmic axis can show")
		return
	}
	for i, sweep := range run.SSD {
		chart.Keys = append(chart.Keys, Key{label(sweep.Mode), Look(i)})
	}
	f := Figure{Name: "ssd", Title: "Remote SSD reads", Chart: chart, Wide: true}
	f.Caption = "Remote reads of a file on an SSD over the size of a block, medians of the reps. Pinned: the file is mapped and registered, so that it stands in memory before the first read; staged: the server reads the SSD for every block." + source(run)
	f.Alt = "Lines of bandwidth, latency and blocks per second over block size: " + join(sweepEnds(run.SSD)) + "."
	set.add(f)
}

// byBlock has a point for each size of a block, the median of its reps.
func byBlock(sweep results.SSDSweep, of func(results.SSDPoint) float64) []Point {
	reps := map[int64][]Point{}
	for _, p := range sweep.Points {
		reps[p.BlockSize] = append(reps[p.BlockSize], Point{Y: of(p), Origins: []results.Origin{p.Origin}})
	}
	var points []Point
	for _, size := range slices.Sorted(maps.Keys(reps)) {
		if m := median(reps[size]); m != nil {
			m.X = float64(size)
			points = append(points, *m)
		}
	}
	return points
}

func sweepEnds(sweeps []results.SSDSweep) []string {
	var parts []string
	for _, s := range sweeps {
		for _, p := range byBlock(s, func(p results.SSDPoint) float64 { return p.Bandwidth }) {
			parts = append(parts, fmt.Sprintf("%s %s %s MiB/s", label(s.Mode), sizeLabel(p.X), short(p.Y)))
		}
	}
	return parts
}

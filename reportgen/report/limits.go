package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// limits adds what a reader must not conclude from the numbers of the run.
func (b *builder) limits() {
	var items []string
	switch cmp.Or(b.Run.Tag, b.Run.Cluster) {
	case "local":
		items = append(items, "All nodes were processes on one machine, with TCP over loopback in place of RDMA. Ratios between cells and counters mean something; absolute throughput and latency do not.")
	case "rxe":
		items = append(items, "All nodes were virtual machines on one machine, with soft-RoCE in place of an RDMA NIC. Ratios between cells and counters mean something; absolute throughput and latency do not.")
	}
	if b.Run.Recording != "" {
		items = append(items, b.Run.Recording+": nothing was measured for this report.")
	}
	items = append(items, deferrals(b.Run.Experiments)...)
	for _, e := range b.Run.Experiments {
		for _, note := range e.Notes {
			items = append(items, remark(e.Name, note))
		}
	}
	items = append(items, b.fewReps()...)
	if s := b.Run.Sanity; s != nil {
		items = append(items, prefixed("Before the run these checks failed: ", unsound(s, results.No)))
		items = append(items, prefixed("Before the run these checks had no answer: ", unsound(s, results.Unknown)))
	}
	b.add(Section{File: "limits", Title: "Limitations", Blocks: list("", Notes, items)})
}

// prefixed is empty for no names.
func prefixed(text, names string) string {
	if names == "" {
		return ""
	}
	return text + names + "."
}

// fewReps names the experiments whose intervals cannot reach the usual level, those with equally few reps together.
func (b *builder) fewReps() []string {
	names := map[int][]string{} // by the reps of the smallest cell
	for _, t := range b.tables() {
		n := 0
		for _, r := range t.Rows {
			if used := len(r.Used); used > 0 && (n == 0 || used < n) {
				n = used
			}
		}
		if n > 0 && n < stats.TargetReps {
			names[n] = append(names[n], render.Clean(t.Experiment))
		}
	}
	var items []string
	for _, n := range slices.Sorted(maps.Keys(names)) {
		items = append(items, fmt.Sprintf("%s: with %s in the smallest cell no interval of the median reaches %s; that needs %d.",
			and(names[n]), plural(n, "used rep"), stats.FormatLevel(stats.TargetLevel), stats.TargetReps))
	}
	return items
}

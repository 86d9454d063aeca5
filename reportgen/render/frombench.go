package render

import (
	"bytes"
	"cmp"
	"net/url"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// FromBench makes runs of what Bench and the fixtures write: every result with a /cell in its name is a passed attempt. Reps
// are counted in the order of the results. Other results are left out; the runs hold no plan, no order and no attempt that
// did not pass, because the format has no place for them.
func FromBench(list []*benchfmt.Result) []*results.Run {
	var runs []*results.Run
	for _, res := range list {
		base, cell, ok := benchCell(res.Name)
		if !ok {
			continue
		}
		exp := experimentOf(runOf(&runs, res), base)
		a := results.Attempt{Cell: cell, Try: 1, Position: -1, Verdict: results.Pass, Metrics: benchMetrics(res)}
		for _, other := range exp.Attempts {
			if other.Cell == cell {
				a.Rep++
			}
		}
		exp.Attempts = append(exp.Attempts, a)
	}
	for _, run := range runs {
		for i := range run.Experiments {
			run.Experiments[i].GuessBaseline()
		}
	}
	return runs
}

// runOf finds the run that a result belongs to, by its configuration.
func runOf(runs *[]*results.Run, res *benchfmt.Result) *results.Run {
	id, system, cluster := res.GetConfig("run"), res.GetConfig("system"), res.GetConfig("cluster")
	for _, r := range *runs {
		if r.ID == id && r.System == system && r.Cluster == cluster {
			return r
		}
	}
	r := &results.Run{ID: id, System: system, Cluster: cluster}
	*runs = append(*runs, r)
	return r
}

func experimentOf(run *results.Run, base string) *results.Experiment {
	for i := range run.Experiments {
		if run.Experiments[i].Test == "Test"+base {
			return &run.Experiments[i]
		}
	}
	runes := []rune(base)
	runes[0] = unicode.ToLower(runes[0])
	run.Experiments = append(run.Experiments, results.Experiment{Name: string(runes), Test: "Test" + base})
	return &run.Experiments[len(run.Experiments)-1]
}

// benchCell takes Step6/cell=full_v27 apart.
func benchCell(name benchfmt.Name) (base, cell string, ok bool) {
	b, parts := name.Parts()
	for _, part := range parts {
		if value, found := bytes.CutPrefix(part, []byte("/cell=")); found && len(b) > 0 {
			return unescapePart(string(b)), unescapePart(string(value)), true
		}
	}
	return "", "", false
}

func unescapePart(s string) string {
	text, err := url.PathUnescape(s)
	if err != nil {
		return s
	}
	return text
}

// benchMetrics turns the values back into metrics, with the line that they stand in.
func benchMetrics(res *benchfmt.Result) map[string]results.Metric {
	metrics := map[string]results.Metric{}
	file, line := res.Pos()
	for _, u := range benchUnits {
		if v, ok := res.Value(u.unit); ok {
			metrics[u.metric] = results.Metric{Name: u.metric, Value: scale(v, 1/u.factor), Unit: cmp.Or(metricUnits[u.metric], u.unit),
				Origins: []results.Origin{{File: file, Line: line}}}
		}
	}
	return metrics
}

// metricUnits are the units of the metrics whose unit differs from that in benchmark text.
var metricUnits = map[string]string{"tried_kops": "KOPS", "commit_kops": "KOPS", "commit_rate": "ratio", "cn_balance": "ratio"}

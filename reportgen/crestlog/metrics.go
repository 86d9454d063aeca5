package crestlog

import (
	"cmp"
	"fmt"
	"math"
)

// Names and units of the metrics, in the order of docs/run-directory.md.
var metricUnits = [...]struct{ name, unit string }{
	{"tried", "txn"}, {"committed", "txn"},
	{"tried_kops", "KOPS"}, {"commit_kops", "KOPS"},
	{"commit_rate", "ratio"}, {"atomic_per_txn", "atomics/txn"}, {"cn_balance", "ratio"},
	{"avg_us", "us"}, {"p50_us", "us"}, {"p90_us", "us"}, {"p99_us", "us"},
	{"n_sgd_logs", "lines"},
}

// Unit returns the unit of a metric, empty for a name that is not one.
func Unit(metric string) string {
	for _, m := range metricUnits {
		if m.name == metric {
			return m.unit
		}
	}
	return ""
}

// List returns the metrics in the order of docs/run-directory.md.
func (c *Cell) List() []Metric {
	list := make([]Metric, 0, len(c.Metrics))
	for _, m := range metricUnits {
		if v, ok := c.Metrics[m.name]; ok {
			list = append(list, v)
		}
	}
	return list
}

func (c *Cell) set(name string, value float64, origins []Origin) {
	c.Metrics[name] = Metric{Name: name, Value: value, Unit: Unit(name), Origins: origins}
}

func (c *Cell) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

// origin returns where a value of a file stands.
func origin(file string, v Value) Origin { return Origin{File: file, Line: v.Line} }

// totals sets the metrics of the final result: the client's, or without a client the sum over the compute nodes.
func (c *Cell) totals(f *files) {
	totals := []struct {
		name string
		of   func(*Log) Value
	}{
		{"tried", func(l *Log) Value { return l.Tried }},
		{"committed", func(l *Log) Value { return l.Committed }},
		{"tried_kops", func(l *Log) Value { return l.TriedKOPS }},
		{"commit_kops", func(l *Log) Value { return l.CommitKOPS }},
	}
	for _, t := range totals {
		if f.client != nil {
			if v := t.of(f.client); v.OK() {
				c.set(t.name, v.V, []Origin{origin(f.client.Name, v)})
			}
			continue
		}
		if sum, origins, ok := sumOf(f.cns, t.of); ok {
			c.set(t.name, sum, origins)
		}
	}
	c.ratio("commit_rate", "committed", "tried")
	c.latencies(f)
	c.sgd(f)
}

// sumOf adds a value of every compute node up; ok is false unless each of them has it.
func sumOf(cns []*Log, of func(*Log) Value) (sum float64, origins []Origin, ok bool) {
	for _, l := range cns {
		if l == nil || !of(l).OK() {
			return 0, nil, false
		}
		sum += of(l).V
		origins = append(origins, origin(l.Name, of(l)))
	}
	return sum, origins, len(cns) > 0
}

// ratio sets name to one metric divided by another, if both are there and the quotient is a number.
func (c *Cell) ratio(name, numerator, denominator string) {
	a, okA := c.Metrics[numerator]
	b, okB := c.Metrics[denominator]
	if !okA || !okB || a.Value == 0 || b.Value == 0 {
		return
	}
	origins := a.Origins
	if b.Origins[0] != a.Origins[0] {
		origins = append(append([]Origin{}, a.Origins...), b.Origins...)
	}
	c.set(name, a.Value/b.Value, origins)
}

// latencies are the client's. Those of several compute nodes cannot be combined; those of a single one are the cluster's.
func (c *Cell) latencies(f *files) {
	l := f.client
	if l == nil && len(f.cns) == 1 {
		l = f.cns[0]
	}
	if l == nil {
		return
	}
	for _, m := range []struct {
		name  string
		value Value
	}{{"avg_us", l.Avg}, {"p50_us", l.P50}, {"p90_us", l.P90}, {"p99_us", l.P99}} {
		if m.value.OK() {
			c.set(m.name, m.value.V, []Origin{origin(l.Name, m.value)})
		}
	}
}

// sgd counts the tuner's lines over all logs. Its origins are the first such line of each log.
func (c *Cell) sgd(f *files) {
	n := 0
	var origins []Origin
	for _, p := range f.all() {
		if p.log.SGD > 0 {
			n += p.log.SGD
			origins = append(origins, Origin{File: p.log.Name, Line: p.log.FirstSGD})
		}
	}
	if n > 0 {
		c.set("n_sgd_logs", float64(n), origins)
	}
}

// balance sets cn_balance, if every compute node says what it committed. Logs that are all there and print no count, as
// those of the fork may, are no reason for a warning.
func (c *Cell) balance(f *files) {
	least, most := math.Inf(1), 0.0
	var origins []Origin
	problem, lost := "", false
	for i, l := range f.cns {
		switch {
		case l == nil:
			problem, lost = cmp.Or(problem, fmt.Sprintf("no log of cn%d", i)), true
		case !l.Committed.OK():
			problem = cmp.Or(problem, l.Name+" has no committed count")
		default:
			least, most = min(least, l.Committed.V), max(most, l.Committed.V)
			origins = append(origins, origin(l.Name, l.Committed))
		}
	}
	switch {
	case problem != "" && (lost || len(origins) > 0):
		c.warn("cn_balance: %s", problem)
	case problem == "" && most > 0 && c.Metrics["committed"].Value > 0:
		c.set("cn_balance", least/most, origins)
	}
}

// atomics sets atomic_per_txn, if the details of every compute node count atomics. A part of the sum is never used.
func (c *Cell) atomics(f *files) {
	var sum float64
	var origins []Origin
	counting := 0
	var problem string
	for i, d := range f.details {
		if d == nil {
			problem = cmp.Or(problem, fmt.Sprintf("no details of cn%d", i))
			continue
		}
		values, err := d.Atomics()
		if err != nil {
			problem = cmp.Or(problem, err.Error())
			continue
		}
		if len(values) == 0 {
			continue
		}
		counting++
		for _, v := range values {
			sum += v.V
			origins = append(origins, origin(d.Name, v))
		}
	}
	committed := c.Metrics["committed"]
	switch {
	case problem != "":
		c.warn("atomic_per_txn: %s", problem)
	case counting == 0:
	case counting < len(f.details):
		c.warn("atomic_per_txn: only %d of %d compute nodes count atomics", counting, len(f.details))
	case committed.Value > 0:
		c.set("atomic_per_txn", sum/committed.Value, append(origins, committed.Origins...))
	}
}

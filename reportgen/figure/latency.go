package figure

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gotestbed/gotestbed/reportgen/crestlog"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// txnOrder are the transactions of TPC-C in the order of the details files; others come behind them.
var txnOrder = []string{"NEWORDER", "PAYMENT", "DELIVER", "STOCK_LEVEL", "ORDER_STATUS"}

// maxTransactions is how many types of transactions are drawn.
const maxTransactions = 8

// latency makes the figure of the latency of each type of transaction. What there is most of stands in groups, so that no
// more than eight kinds of marks are needed.
func (s *study) latency(set *Set) {
	name := s.slug + "_latency"
	txns := s.transactions()
	if len(txns) == 0 {
		set.miss(s.exp.Name, name, "no details file of %s has latencies of transactions", label(s.exp.Name))
		return
	}
	left := ""
	if n := len(txns); n > maxTransactions {
		left = fmt.Sprintf(" %d more types of transactions are left out.", n-maxTransactions)
		txns = txns[:maxTransactions]
	}
	chart := &Dots{Y: Axis{Label: "latency", Scale: Time}, Low: "p50", High: "p99"}
	byTxn := len(s.cells) <= maxSeries
	if byTxn {
		chart.Series, chart.Groups = labels(s.cells), groups(txns)
	} else {
		chart.Series, chart.Groups = txns, groups(labels(s.cells))
	}
	var alt []string
	for i, c := range s.cells {
		for j, txn := range txns {
			dot, ok := c.latencyOf(txn)
			if !ok {
				continue
			}
			group := i
			dot.Series = j
			if byTxn {
				group, dot.Series = j, i
			}
			chart.Groups[group].Dots = append(chart.Groups[group].Dots, dot)
			alt = append(alt, fmt.Sprintf("%s %s %s and %s", c.label, txn, short(dot.Low.Y), short(dot.High.Y)))
		}
	}
	if chart.empty() {
		set.miss(s.exp.Name, name, "all latencies of %s are 0", label(s.exp.Name))
		return
	}
	if chart.crowded() {
		set.miss(s.exp.Name, name, "%d types of transactions in %d cells are more than can be told apart", len(txns), len(s.cells))
		return
	}
	chart.Wide = len(chart.Series)*len(chart.Groups) > 20
	f := s.figure(name, "Latency per transaction", chart, chart.Wide)
	f.Caption = fmt.Sprintf("Latency of each type of transaction: median (mark) and 99th percentile (bar), each the median of what the compute nodes report in %s; percentiles of several nodes cannot be combined exactly.%s%s",
		s.repsOf(), left, source(s.run))
	f.Alt = "Marks of p50 and p99 latency in microseconds: " + join(alt) + "."
	set.add(f)
}

func labels(cells []*cellData) []string {
	var names []string
	for _, c := range cells {
		names = append(names, c.label)
	}
	return names
}

func groups(names []string) []Group {
	list := make([]Group, len(names))
	for i, name := range names {
		list[i].Label = name
	}
	return list
}

// transactions lists the types that were measured in any cell.
func (s *study) transactions() []string {
	known := map[string]bool{}
	for _, c := range s.cells {
		for _, h := range c.histograms("") {
			known[h.txn] = true
		}
	}
	var list []string
	for _, txn := range txnOrder {
		if known[txn] {
			list = append(list, txn)
			delete(known, txn)
		}
	}
	return append(list, slices.Sorted(maps.Keys(known))...)
}

// A measured is a histogram of one compute node in one rep.
type measured struct {
	txn  string
	file string
	h    crestlog.Histogram
}

// histograms are those of whole transactions of a type, of all types for an empty one. Those of nothing are left out.
func (c *cellData) histograms(txn string) []measured {
	var list []measured
	for _, logs := range c.logs {
		if logs == nil {
			continue
		}
		for _, n := range logs.CNs {
			if n == nil || n.Details == nil {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(n.Details.Histograms)) {
				h := n.Details.Histograms[name]
				if t, whole := crestlog.Transaction(name); whole && !h.Empty() && (txn == "" || label(t) == txn) {
					list = append(list, measured{label(t), n.Details.Name, h})
				}
			}
		}
	}
	return list
}

// latencyOf is the median over nodes and reps of p50 and of p99.
func (c *cellData) latencyOf(txn string) (Dot, bool) {
	var low, high []Point
	for _, m := range c.histograms(txn) {
		from := []results.Origin{{File: m.file, Line: m.h.Line}}
		low = append(low, Point{Y: m.h.P50, Origins: from})
		high = append(high, Point{Y: m.h.P99, Origins: from})
	}
	p50, p99 := median(low), median(high)
	if p50 == nil || p99 == nil {
		return Dot{}, false
	}
	p50.Level, p99.Level = 0, 0
	return Dot{Low: *p50, High: p99}, true
}

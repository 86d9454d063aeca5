package crestlog

import "bytes"

// A Histogram is what a details file says of a latency, in microseconds. A histogram of nothing is printed as zeros.
type Histogram struct {
	Line                    int
	Average, P50, P99, P999 float64
}

// Empty reports whether nothing was measured.
func (h Histogram) Empty() bool { return h.Average == 0 && h.P50 == 0 && h.P99 == 0 && h.P999 == 0 }

var latencySuffix = []byte(".lat")

// Transaction returns the name of a transaction type, and true for the latency of whole transactions: NEWORDER for
// tpcc.NEWORDER.lat, but not for tpcc.NEWORDER.read.lat, which is a part of it.
func Transaction(histogram string) (name string, whole bool) {
	b, ok := bytes.CutSuffix([]byte(histogram), latencySuffix)
	workload, txn, found := bytes.Cut(b, []byte("."))
	if !ok || !found || len(workload) == 0 || len(txn) == 0 || bytes.IndexByte(txn, '.') >= 0 {
		return "", false
	}
	return string(txn), true
}

// histogram takes `tpcc.NEWORDER.lat:   average:   2.20   p50:   1.90   p99:   3.55   p999:   3.55`.
func (p *detailsParser) histogram(name, values []byte) {
	if !p.keep(name) {
		return
	}
	h := Histogram{Line: p.number}
	rest := values
	for _, f := range []struct {
		label string
		dst   *float64
	}{{"average:", &h.Average}, {"p50:", &h.P50}, {"p99:", &h.P99}, {"p999:", &h.P999}} {
		after, ok := bytes.CutPrefix(skipBlanks(rest), []byte(f.label))
		if !ok {
			p.bad("%s: no %s", sanitise(name, maxCounterName), f.label)
			return
		}
		v, after, kind := parseNumber(after)
		switch {
		case kind != number || v < 0:
			p.bad("%s: %s no latency", sanitise(name, maxCounterName), f.label)
			return
		case p.torn && len(after) == 0:
			p.bad("%s: the file ends inside the latency", sanitise(name, maxCounterName))
			return
		}
		*f.dst, rest = v, after
	}
	p.addHistogram(name, h)
}

func (p *detailsParser) addHistogram(name []byte, h Histogram) {
	if p.d.Blocks == 0 {
		p.begin()
	}
	p.counted = true
	if p.d.Histograms == nil {
		p.d.Histograms = map[string]Histogram{}
	}
	if _, known := p.d.Histograms[string(name)]; !known && (len(p.d.Histograms) >= maxCounters || len(name) > maxCounterName) {
		p.bad("more than %d histograms, or a name longer than %d bytes", maxCounters, maxCounterName)
		return
	}
	p.d.Histograms[string(name)] = h
}

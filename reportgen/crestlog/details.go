package crestlog

import (
	"bytes"
	"fmt"
	"io"

	"github.com/gotestbed/gotestbed/reportgen/internal/lines"
)

const (
	maxCounters    = 4096
	maxCounterName = 128
)

// Details is the last block of a details file, which a compute node appends to at the end of each run.
type Details struct {
	Name     string
	Blocks   int
	Line     int // of the last block's first line
	Threads  int // 0 if the block does not say
	Coros    int
	Counters map[string]Value // tpcc.NEWORDER.rdma.atomic.total → …; histograms are not counters

	Histograms map[string]Histogram // tpcc.NEWORDER.lat → …

	Bad      []*SyntaxError
	BadLines int
}

// ParseDetails reads a details file. The error is an I/O error.
func ParseDetails(name string, r io.Reader) (*Details, error) {
	return parseDetails(name, r, func([]byte) bool { return true })
}

// parseDetails reads a details file and keeps the counters whose name keep likes. The others are only looked at.
func parseDetails(name string, r io.Reader, keep func([]byte) bool) (*Details, error) {
	in := readers.Get().(*lines.Reader)
	defer readers.Put(in)
	in.Reset(r)
	defer in.Reset(nil)
	p := detailsParser{d: &Details{Name: name}, keep: keep}
	for in.Next() {
		p.number, p.torn = in.Number(), in.Torn()
		if in.TooLong() {
			p.bad("line is longer than %d bytes", lines.MaxLine)
			continue
		}
		p.line(stripEdges(in.Bytes()))
	}
	if err := in.Err(); err != nil {
		return p.d, fmt.Errorf("%s:%d: %w", name, in.Number()+1, err)
	}
	return p.d, nil
}

type detailsParser struct {
	d      *Details
	keep   func(name []byte) bool
	number int
	torn   bool

	counted bool // the block has a counter
}

func (p *detailsParser) bad(format string, args ...any) {
	p.d.BadLines++
	if len(p.d.Bad) < maxErrors {
		p.d.Bad = append(p.d.Bad, &SyntaxError{p.d.Name, p.number, fmt.Sprintf(format, args...)})
	}
}

func (p *detailsParser) line(b []byte) {
	switch {
	case len(b) == 0:
	case bytes.HasPrefix(b, []byte("[Threads:")):
		p.begin()
		p.header(b)
	case bytes.HasPrefix(b, []byte("[Statistics]")):
		if p.counted {
			p.begin()
		}
	case b[0] != '[':
		p.counter(b)
	}
}

// begin drops what an earlier block said.
func (p *detailsParser) begin() {
	p.d.Blocks++
	p.d.Line, p.d.Threads, p.d.Coros = p.number, 0, 0
	p.counted = false
	clear(p.d.Counters)
	clear(p.d.Histograms)
}

// header takes `[Threads: 1  Coroutine: 2 ]`.
func (p *detailsParser) header(b []byte) {
	_, rest, _ := bytes.Cut(b, []byte("Threads:"))
	threads, rest, kind := parseNumber(rest)
	_, rest, found := bytes.Cut(rest, []byte("Coroutine:"))
	coros, _, kindC := parseNumber(rest)
	if kind != number || !found || kindC != number {
		p.bad("block header without its counts: %q", sanitise(b, 64))
		return
	}
	p.d.Threads, p.d.Coros = int(threads), int(coros)
}

// counter takes `tpcc.NEWORDER.abort:        44`. The line of a histogram has words behind the colon.
func (p *detailsParser) counter(b []byte) {
	name, value, ok := splitCounter(b)
	switch {
	case !ok:
		return
	case bytes.HasSuffix(name, latencySuffix):
		p.histogram(name, value)
		return
	}
	v, rest, kind := parseNumber(value)
	switch {
	case kind != number || v < 0 || len(skipBlanks(rest)) > 0:
		p.bad("%s: no count: %q", sanitise(name, maxCounterName), sanitise(skipBlanks(value), 32))
		return
	case p.torn:
		p.bad("%s: the file ends inside the count", sanitise(name, maxCounterName))
		return
	}
	p.add(name, v)
}

func (p *detailsParser) add(name []byte, v float64) {
	if p.d.Blocks == 0 {
		p.begin()
	}
	p.counted = true
	if !p.keep(name) {
		return
	}
	if p.d.Counters == nil {
		p.d.Counters = map[string]Value{}
	}
	if _, known := p.d.Counters[string(name)]; !known && (len(p.d.Counters) >= maxCounters || len(name) > maxCounterName) {
		p.bad("more than %d counters, or a name longer than %d bytes", maxCounters, maxCounterName)
		return
	}
	p.d.Counters[string(name)] = Value{v, p.number}
}

// atomicTransactions are the transaction types whose atomics count in atomics per transaction. STOCK_LEVEL only reads.
var atomicTransactions = [...]string{"NEWORDER", "PAYMENT", "DELIVER", "ORDER_STATUS"}

func isAtomicCounter(name []byte) bool { return bytes.HasSuffix(name, []byte(".rdma.atomic.total")) }

// Atomics returns the counters of RDMA atomics that make up atomics per transaction. It returns none without an
// error if the program does not count them, and an error that says which is missing if only a part is there: a part
// must not pass for the sum.
func (d *Details) Atomics() ([]Value, error) {
	found := make([]Value, 0, len(atomicTransactions))
	missing := ""
	for _, txn := range atomicTransactions {
		name := "tpcc." + txn + ".rdma.atomic.total"
		if v := d.Counters[name]; v.OK() {
			found = append(found, v)
		} else if missing == "" {
			missing = name
		}
	}
	if len(found) > 0 && missing != "" {
		return nil, &SyntaxError{d.Name, d.Line, "the block has no " + missing}
	}
	return found, nil
}

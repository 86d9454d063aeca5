package crestlog

import (
	"bytes"
	"math"
)

// message takes a line that is not an interval line, without its prefix and without escape codes.
func (p *parser) message(msg []byte) {
	if len(msg) == 0 {
		return
	}
	switch msg[0] {
	case ' ', '\t':
		if p.counter(msg) {
			return
		}
	case 'T', 'C', 'A':
		if p.summary(msg) {
			return
		}
	case 'M':
		if p.memoryNode(msg) {
			return
		}
	case 'R':
		if bytes.HasPrefix(msg, []byte("Read configuration file")) {
			p.startsRun()
			return
		}
	case 'c', 'f', 'm':
		if p.resultsRow(msg) || p.consistency(msg) {
			return
		}
	}
	p.anywhere(msg)
}

// summary takes the three lines of a final result.
func (p *parser) summary(msg []byte) bool {
	l := p.log
	switch {
	case bytes.HasPrefix(msg, []byte("Tried:")):
		p.counts(msg)
	case beginsRates(msg):
		p.rates(msg)
	case bytes.HasPrefix(msg, []byte("Average latency:")):
		p.field(&l.Avg, msg, "Average latency:", "us")
		p.field(&l.P50, msg, "P50 latency:", "us")
		p.field(&l.P90, msg, "P90 latency:", "us")
		p.field(&l.P99, msg, "P99 latency:", "us")
		p.field(&l.P999, msg, "P999 latency:", "us")
	default:
		return false
	}
	return true
}

// counts takes `Tried: 1078 Committed: 996`. It begins a summary, so what an earlier one said no longer counts.
func (p *parser) counts(msg []byte) {
	l := p.log
	if l.Tried.OK() {
		p.warn("a second summary; only the last one is used")
		l.TriedKOPS, l.CommitKOPS, l.Complete = Value{}, Value{}, false
		l.Avg, l.P50, l.P90, l.P99, l.P999 = Value{}, Value{}, Value{}, Value{}, Value{}
	}
	l.Tried, l.Committed = Value{}, Value{}
	var tried, committed Value
	if !p.field(&tried, msg, "Tried:", "") {
		return
	}
	if !p.field(&committed, msg, "Committed:", "") {
		p.bad("summary line ends before the committed count")
		return
	}
	if tried.V != math.Trunc(tried.V) || committed.V != math.Trunc(committed.V) {
		p.bad("a count of transactions has a fraction")
		return
	}
	if tried.OK() && committed.OK() {
		l.Tried, l.Committed = tried, committed
	}
}

func beginsRates(msg []byte) bool {
	return bytes.HasPrefix(msg, []byte("Tried Throughput:")) ||
		bytes.HasPrefix(msg, []byte("Commit Troughput:")) || bytes.HasPrefix(msg, []byte("Commit Throughput:"))
}

// rates takes `Tried Throughput: 6.82 KOPS, Commit Troughput: 6.30 KOPS `, in the program's spelling or the right
// one. Its second half is what completes a result.
func (p *parser) rates(msg []byte) {
	l := p.log
	l.TriedKOPS, l.CommitKOPS, l.Complete = Value{}, Value{}, false
	p.field(&l.TriedKOPS, msg, "Tried Throughput:", "KOPS")
	for _, label := range []string{"Commit Troughput:", "Commit Throughput:"} {
		l.Complete = l.Complete || p.field(&l.CommitKOPS, msg, label, "KOPS")
	}
	if !l.Complete {
		p.bad("summary line ends before the commit throughput")
	}
}

// field sets dst to the number behind label. It returns whether the label and something behind it are there; a value
// that is no number, or negative, or cut off, is reported and stays absent.
func (p *parser) field(dst *Value, msg []byte, label, unit string) bool {
	i := bytes.Index(msg, []byte(label))
	if i < 0 {
		return false
	}
	v, rest, kind := parseNumber(msg[i+len(label):])
	rest = skipBlanks(rest)
	switch {
	case kind == malformed:
		p.bad("%s no number: %q", label, sanitise(firstWord(msg[i+len(label):]), 32))
	case p.torn && len(rest) == 0:
		p.bad("%s the file ends inside the number", label)
		return false
	case unit != "" && len(rest) > 0 && !bytes.HasPrefix(rest, []byte(unit)) && !(p.torn && bytes.HasPrefix([]byte(unit), rest)):
		p.bad("%s unit is %q, not %s", label, sanitise(firstWord(rest), 16), unit)
	case kind == notFinite:
		p.warn("%s is not a finite number", label)
	case v < 0:
		p.bad("%s %v is negative", label, v)
	default:
		*dst = Value{v, p.number}
	}
	return true
}

func firstWord(b []byte) []byte {
	b = skipBlanks(b)
	if i := bytes.IndexAny(b, " \t,"); i >= 0 {
		return b[:i]
	}
	return b
}

// resultsRow takes a row of results.txt: `crest <tried> <commit> <avg> <p50> <p90> <p99> <p999> <exec> <validate>
// <commit_lat>`.
func (p *parser) resultsRow(msg []byte) bool {
	i := bytes.IndexByte(msg, ' ')
	if i < 0 {
		return false
	}
	system := string(msg[:i])
	if system != SystemCREST && system != SystemFORD && system != SystemMotor && system != SystemMinidm {
		return false
	}
	var values [10]Value
	rest := msg[i:]
	for n := range values {
		v, after, kind := parseNumber(rest)
		if kind == malformed || v < 0 {
			if n > 0 {
				p.bad("row of %d numbers, want %d", n, len(values))
			}
			return n > 0
		}
		if kind == number {
			values[n] = Value{v, p.number}
		} else {
			p.warn("number %d of the row is not finite", n+1)
		}
		rest = after
	}
	if p.torn {
		p.bad("the file ends inside the last number of the row")
		values[9] = Value{}
	}
	l := p.log
	l.System, l.Complete = system, true
	for n, dst := range []*Value{&l.TriedKOPS, &l.CommitKOPS, &l.Avg, &l.P50, &l.P90, &l.P99, &l.P999, &l.Exec, &l.Validate, &l.CommitLat} {
		*dst = values[n]
	}
	return true
}

// counter takes `  tpcc.NEWORDER.abort:        44` out of the statistics that a compute node prints before its summary.
func (p *parser) counter(msg []byte) bool {
	name, value, ok := splitCounter(msg)
	if !ok {
		return false
	}
	txn, ok := bytes.CutSuffix(name, []byte(".abort"))
	if !ok {
		return true
	}
	if i := bytes.IndexByte(txn, '.'); i >= 0 {
		txn = txn[i+1:]
	}
	v, rest, kind := parseNumber(value)
	if kind != number || v < 0 || p.torn && len(rest) == 0 {
		p.bad("%s: no count", sanitise(name, 64))
		return true
	}
	if p.log.Aborts == nil {
		p.log.Aborts = make(map[string]Value)
	}
	if _, known := p.log.Aborts[string(txn)]; known || len(p.log.Aborts) < maxTxnTypes {
		p.log.Aborts[sanitise(txn, 64)] = Value{v, p.number}
	}
	return true
}

// splitCounter takes a right-aligned `name:value` apart. The value's ten columns may leave no blank behind the colon.
func splitCounter(line []byte) (name, value []byte, ok bool) {
	line = skipBlanks(line)
	i := bytes.IndexByte(line, ':')
	if i <= 0 || bytes.IndexByte(line[:i], '.') <= 0 || bytes.IndexByte(line[:i], ' ') >= 0 {
		return nil, nil, false
	}
	return line[:i], line[i+1:], true
}

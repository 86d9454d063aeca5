package crestlog

import (
	"bytes"
	"math"
	"path"
	"strings"
)

// parser holds the state of one pass over a log.
type parser struct {
	log        *Log
	opts       Options
	number     int    // of the current line
	torn       bool   // the current line is the last one and has no end
	tick       []byte // digits of the current line's tick
	intervalAt int    // where the message of the last interval line began
	runs       int    // processes that wrote into this log
	scratch    []byte
}

var (
	intervalPrefix = []byte("Tried txn thpt:")
	committedThpt  = []byte("committed txn thpt:")
	abortRate      = []byte("abort rate:")
)

// longestInterval is more than an interval line ever has; a longer line holds something else as well.
const longestInterval = 160

// line takes one line. Nearly all lines of a long log are interval lines, so they are told first.
func (p *parser) line(raw []byte) {
	if p.likeTheLast(raw) {
		p.log.Intervals++
		return
	}
	b := raw
	if len(b) > 0 && (b[0] == esc || b[len(b)-1] == 'm' || b[len(b)-1] == '\r') {
		b = stripEdges(b)
	}
	if len(b) == 0 {
		return
	}
	msg, source := b, []byte(nil)
	p.tick = nil
	if b[0] == '[' {
		p.tick, source, msg = splitPrefix(b)
	}
	if len(raw) < longestInterval && bytes.HasPrefix(msg, intervalPrefix) {
		p.intervalAt = cap(raw) - cap(msg) // msg is the end of raw, perhaps without its last bytes
		p.interval(msg)
		return
	}
	if source != nil && p.log.System == "" {
		p.system(source)
	}
	if bytes.IndexByte(msg, esc) >= 0 {
		msg = p.withoutEscapes(msg)
	}
	p.message(msg)
}

// likeTheLast reports whether the line is an interval line that only needs to be counted, by looking where the message of
// the last one stood: all lines of a process have a prefix of the same length.
func (p *parser) likeTheLast(raw []byte) bool {
	at := p.intervalAt
	return at >= 2 && p.log.Progress && p.opts.Interval == nil && len(raw) < longestInterval && len(raw) > at &&
		raw[at-2] == ']' && (raw[0] == esc || raw[0] == '[') && bytes.HasPrefix(raw[at:], intervalPrefix)
}

// splitPrefix takes `[      10300][BenchRunner.cc:130] message` (tick and source) and `[qp_impl.hpp:152] message` apart.
func splitPrefix(b []byte) (tick, source, msg []byte) {
	i := bytes.IndexByte(b, ']')
	if i < 0 {
		return nil, nil, b
	}
	first, rest := skipBlanks(b[1:i]), b[i+1:]
	if len(rest) > 0 && rest[0] == '[' && len(first) > 0 && isDigit(first[0]) {
		if j := bytes.IndexByte(rest, ']'); j > 0 {
			return first, rest[1:j], skipBlanks(rest[j+1:])
		}
	}
	if c := bytes.LastIndexByte(first, ':'); c > 0 && c+1 < len(first) && isDigit(first[c+1]) && bytes.IndexByte(first, '.') > 0 {
		return nil, first, skipBlanks(rest)
	}
	return nil, nil, b
}

// system concludes the program from the source file that a log line names.
func (p *parser) system(source []byte) {
	switch {
	case bytes.HasPrefix(source, []byte("qp_impl.hpp:")):
		p.log.System = SystemFORD
	case bytes.Contains(source, []byte("minidm")), bytes.Contains(source, []byte(".go:")):
		p.log.System = SystemMinidm
	case bytes.Contains(source, []byte(".cc:")), bytes.Contains(source, []byte(".h:")):
		p.log.System = SystemCREST
	}
}

func (p *parser) withoutEscapes(b []byte) []byte {
	p.scratch = p.scratch[:0]
	for len(b) > 0 {
		if b[0] == esc {
			b = b[max(1, sequenceLen(b)):]
			continue
		}
		p.scratch = append(p.scratch, b[0])
		b = b[1:]
	}
	return p.scratch
}

// interval takes `Tried txn thpt: 0.01 KOPS, committed txn thpt: 0.01 KOPS, abort rate: 0.18`.
func (p *parser) interval(msg []byte) {
	p.log.Intervals++
	if p.log.Progress && p.opts.Interval == nil {
		return
	}
	i := bytes.Index(msg, committedThpt)
	if i < 0 {
		p.bad("interval line without %q", committedThpt)
		return
	}
	committed, _, kind := parseNumber(msg[i+len(committedThpt):])
	if kind == malformed {
		p.bad("committed throughput of an interval is not a number")
		return
	}
	if kind == number && committed > 0 {
		p.log.Progress = true
	}
	if p.opts.Interval != nil {
		p.emitInterval(msg, i)
	}
}

func (p *parser) emitInterval(msg []byte, committedAt int) {
	tick, _, kind := parseNumber(p.tick)
	if kind != number {
		p.bad("interval line without a tick")
		return
	}
	v := Interval{Line: p.number, Tick: int64(tick), AbortRate: math.NaN()}
	v.TriedKOPS = orNaN(msg[len(intervalPrefix):])
	v.CommitKOPS = orNaN(msg[committedAt+len(committedThpt):])
	if i := bytes.Index(msg, abortRate); i >= 0 {
		v.AbortRate = orNaN(msg[i+len(abortRate):])
	}
	p.opts.Interval(v)
}

func orNaN(b []byte) float64 {
	v, _, kind := parseNumber(b)
	if kind != number {
		return math.NaN()
	}
	return v
}

// startsRun is called on the first line of a process. A log that was appended to holds several runs: the last one counts.
func (p *parser) startsRun() {
	p.runs++
	if p.runs == 1 && !p.log.Complete {
		return
	}
	l := p.log
	p.log = &Log{Name: l.Name, System: l.System, Bad: l.Bad, BadLines: l.BadLines, Warnings: l.Warnings}
	p.warn("the log holds an earlier run; only the last one is used")
	if p.opts.Restart != nil {
		p.opts.Restart()
	}
}

// finish draws the conclusions that need the whole log.
func (p *parser) finish() {
	l := p.log
	if l.Error == "" && !l.Complete && l.Intervals > 0 && !l.Progress {
		l.Error = ErrNoProgress
	}
	switch base := path.Base(l.Name); {
	case strings.HasPrefix(base, "m_client."):
		l.Role = RoleClient
	case strings.HasPrefix(base, "m_mn."):
		l.Role = RoleMN
	case strings.HasPrefix(base, "m_cn"):
		l.Role = RoleCN
	case l.Role == "" && (l.System != "" || l.Complete || l.Intervals > 0 || l.Error != ""):
		l.Role = RoleCN
	}
	if l.System == "" && (l.Complete || l.Tried.OK()) {
		l.System = SystemCREST
	}
	if l.Tried.OK() && l.Committed.V > l.Tried.V {
		l.Warnings = append(l.Warnings, (&SyntaxError{l.Name, l.Tried.Line, "more transactions committed than tried"}).Error())
	}
}

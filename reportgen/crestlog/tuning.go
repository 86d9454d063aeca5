package crestlog

import (
	"bytes"
	"math"
)

var driftPhase = []byte("drift: phase ")

// weights takes what follows `[t=` in `[t=5.10s] atomic=0.480 rpc=1.100 move=2.520 load=0.200`.
func (p *parser) weights(b []byte) {
	if !bytes.Contains(b, []byte("s] ")) {
		return // another program's time, or a line that was cut off
	}
	w := Weights{Line: p.number}
	seconds, rest, ok := p.clock(b, "weights")
	if !ok {
		return
	}
	w.Seconds = seconds
	for _, f := range []struct {
		label string
		dst   *float64
	}{{"atomic=", &w.Atomic}, {"rpc=", &w.RPC}, {"move=", &w.Move}, {"load=", &w.Load}} {
		i := bytes.Index(rest, []byte(f.label))
		if i < 0 {
			p.bad("weights: no %s", f.label)
			return
		}
		v, after, kind := parseNumber(rest[i+len(f.label):])
		if kind != number || p.torn && len(after) == 0 {
			p.bad("weights: %s no number", f.label)
			return
		}
		*f.dst = v
	}
	p.log.WeightPoints++
	if p.opts.Weights != nil {
		p.opts.Weights(w)
	}
}

// phase takes `2 hot=0-3 ` and `5.00s]` out of `drift: phase 2 hot=0-3 [t=5.00s]`.
func (p *parser) phase(what, b []byte) {
	n, text, kind := parseNumber(what)
	if kind != number || n < 0 || n != math.Trunc(n) || n > math.MaxInt32 {
		p.bad("phase: no number in %q", sanitise(what, 32))
		return
	}
	seconds, _, ok := p.clock(b, "phase")
	if !ok {
		return
	}
	p.log.PhasePoints++
	if p.opts.Phase != nil {
		p.opts.Phase(Phase{Line: p.number, Seconds: seconds, N: int(n), Text: sanitise(bytes.TrimSpace(text), maxText)})
	}
}

// clock takes the time out of `5.10s] …`.
func (p *parser) clock(b []byte, what string) (seconds float64, rest []byte, ok bool) {
	digits, rest, found := bytes.Cut(b, []byte("s]"))
	if !found {
		return 0, nil, false
	}
	v, after, kind := parseNumber(digits)
	if kind != number || v < 0 || len(after) > 0 {
		p.bad("%s: no time in %q", what, sanitise(digits, 32))
		return 0, nil, false
	}
	return v, rest, true
}

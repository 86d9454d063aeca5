package crestlog

import (
	"bytes"
	"strconv"
)

// memoryNode takes `MN0 waits for incomming connection` and `MN0 establishes connection with CN1 succeed`.
func (p *parser) memoryNode(msg []byte) bool {
	if len(msg) < 3 || msg[1] != 'N' || !isDigit(msg[2]) {
		return false
	}
	switch {
	case bytes.Contains(msg, []byte("waits for incom")):
		p.log.Ready = Value{1, p.number}
	case bytes.Contains(msg, []byte("establishes connection with ")):
		_, peer, _ := bytes.Cut(msg, []byte("establishes connection with "))
		if len(p.log.Connected) < maxConnected {
			p.log.Connected = append(p.log.Connected, sanitise(firstWord(peer), 16))
		}
	default:
		return false
	}
	p.log.Role = RoleMN
	return true
}

// consistency takes `consistency: ok …` or `consistency: FAILED …`.
func (p *parser) consistency(msg []byte) bool {
	rest, ok := bytes.CutPrefix(msg, []byte("consistency:"))
	if !ok {
		return false
	}
	p.log.Consistency, p.log.ConsistencyLine = sanitise(skipBlanks(rest), maxText), p.number
	if !p.log.Consistent() {
		p.fail(ErrConsistency, msg)
	}
	return true
}

// Consistent reports whether no consistency check failed; a log without one is consistent.
func (l *Log) Consistent() bool {
	return l.ConsistencyLine == 0 || len(l.Consistency) >= 2 && bytes.EqualFold([]byte(l.Consistency[:2]), []byte("ok"))
}

// faults are the errors that are told by a phrase anywhere in a line.
var faults = []struct {
	phrase []byte
	class  string
}{
	{[]byte("build connection failed"), ErrConnect},
	{[]byte("onnection refused"), ErrConnect},
	{[]byte("terminate called"), ErrTerminate},
}

// anywhere takes the lines that are told by what stands inside them.
func (p *parser) anywhere(msg []byte) {
	if i := bytes.Index(msg, []byte("[t=")); i >= 0 {
		if d := bytes.Index(msg[:i], driftPhase); d >= 0 {
			p.phase(msg[d+len(driftPhase):i], msg[i+3:])
		} else {
			p.weights(msg[i+3:])
		}
	}
	if i := bytes.Index(msg, []byte("self-tuned")); i >= 0 && bytes.Contains(msg[i:], []byte("sgd")) {
		p.log.SGD++
		if p.log.FirstSGD == 0 {
			p.log.FirstSGD = p.number
		}
	}
	for _, f := range faults {
		if bytes.Contains(msg, f.phrase) {
			p.fail(f.class, msg)
		}
	}
	p.process(msg)
}

// process takes what the process, its runtime or the wrapper around it says about its end.
func (p *parser) process(msg []byte) {
	switch {
	case bytes.Contains(msg, []byte("completion error: ")):
		p.completion(msg)
	case bytes.HasPrefix(msg, []byte("panic: ")), bytes.HasPrefix(msg, []byte("fatal error: ")):
		p.fail(ErrPanic, msg)
	case bytes.Contains(msg, []byte("dumped core")), bytes.Contains(msg, []byte("core dumped")):
		p.log.CoreDumped = true
	case bytes.HasPrefix(msg, []byte("input your command:")), bytes.HasPrefix(msg, []byte("Successfully Set Server Number")):
		p.log.Role = RoleMN
	}
}

// completion takes `poll till completion error: 12 transport retry counter exceeded`.
func (p *parser) completion(msg []byte) {
	_, rest, _ := bytes.Cut(msg, []byte("completion error: "))
	n := 0
	for n < len(rest) && isDigit(rest[n]) {
		n++
	}
	status, err := strconv.Atoi(string(rest[:min(n, 4)]))
	if err != nil || p.torn && n == len(rest) {
		p.bad("completion error without its status")
		p.fail(ErrCompletion, msg)
		return
	}
	const retryExceeded = 12 // IBV_WC_RETRY_EXC_ERR
	class := ErrCompletion
	if status == retryExceeded {
		class = ErrTransportRetry
	}
	if p.log.WCStatus == 0 {
		p.log.WCStatus = status
	}
	p.fail(class, msg)
}

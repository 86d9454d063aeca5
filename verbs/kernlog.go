package verbs

import (
	"io"
	"regexp"
	"strconv"
	"strings"
)

// EventKind classifies a line of a kernel log.
type EventKind string

// The kinds of kernel events.
const (
	EventPanic    EventKind = "panic"
	EventOops     EventKind = "oops" // a bug in the kernel that it survived
	EventOOM      EventKind = "oom"
	EventMR       EventKind = "mr-overflow" // memory registration or pinning failed
	EventLinkDown EventKind = "link-down"
	EventLinkUp   EventKind = "link-up"
	EventHealth   EventKind = "mlx5-health" // the card or its firmware reports trouble
	EventSegfault EventKind = "segfault"
	EventHung     EventKind = "hung-task"
)

// OOMScope tells whose memory was used up.
type OOMScope string

// The scopes of an OOM kill.
const (
	OOMNode   OOMScope = "node"          // of the whole machine
	OOMCgroup OOMScope = "cgroup"        // a limit of a control group; the node is well
	OOMPolicy OOMScope = "memory-policy" // of the NUMA nodes that the process may use
)

// A KernelEvent is one event; several lines about one OOM kill are one event.
type KernelEvent struct {
	Kind       EventKind
	Line       int      // from 1
	Time       *float64 // seconds since boot; nil when the log has other stamps
	Text       string   // the line, shortened
	PCI        string   // 0000:81:00.0
	Device     string   // RDMA device
	Netdev     string
	Process    string // killed, crashed or hung
	PID        int    // 0 when not told
	Scope      OOMScope
	Suppressed uint64 // lines of this kind that the kernel left out before this one
}

// A KernelLog is what a kernel log tells.
type KernelLog struct {
	Events    []KernelEvent
	Host      string // from a broadcast of syslogd
	Truncated bool   // the last line has no end, or lines were too long or too many to read
	Dropped   int    // events beyond those kept
}

// Of returns the events of a kind.
func (k KernelLog) Of(kind EventKind) []KernelEvent {
	var out []KernelEvent
	for _, e := range k.Events {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

// NodeFaults returns the events after which the node is not to be trusted: panic, oops, trouble of the card, and an
// OOM kill that is not one of a control group.
func (k KernelLog) NodeFaults() []KernelEvent {
	var out []KernelEvent
	for _, e := range k.Events {
		switch {
		case e.Kind == EventPanic, e.Kind == EventOops, e.Kind == EventHealth, e.Kind == EventOOM && e.Scope != OOMCgroup:
			out = append(out, e)
		}
	}
	return out
}

// LinkUp tells from its last event whether the link of a netdev is up; unknown without any.
func (k KernelLog) LinkUp(netdev string) Probe {
	for i := len(k.Events) - 1; i >= 0; i-- {
		switch e := k.Events[i]; {
		case e.Netdev != netdev:
		case e.Kind == EventLinkUp:
			return yes("kernel log line %d: %s", e.Line, e.Text)
		case e.Kind == EventLinkDown:
			return no("kernel log line %d: %s", e.Line, e.Text)
		}
	}
	return unknown("the kernel log has no link event of %s", netdev)
}

const maxEvents = 4096

// ParseKernelLog reads `dmesg`, `journalctl -k` or the broadcasts of syslogd for events. A log without any is a
// value without events; an input that is no kernel log is an error, compatible with ErrPermission where
// dmesg was refused.
func ParseKernelLog(r io.Reader) (KernelLog, error) {
	l := newLines(r)
	p := kernlog{}
	found := false
	for l.next() {
		found = p.line(l.text, l.num) || found || kernelStamp.MatchString(l.text)
	}
	if l.err != nil || !found {
		return KernelLog{}, l.inputError("kernel log", "kernel message")
	}
	p.Truncated = l.cut || l.partial()
	return p.KernelLog, nil
}

type kernlog struct {
	KernelLog
	suppressed uint64
}

var (
	kernTime       = regexp.MustCompile(`\[ *(\d+\.\d+)\]`)
	kernHost       = regexp.MustCompile(`^Message from syslogd@(\S+) at`)
	kernSuppressed = regexp.MustCompile(`: (\d+) callbacks suppressed`)
)

// line takes one line and reports whether it was an event.
func (p *kernlog) line(text string, num int) bool {
	if strings.HasPrefix(text, "Message from") {
		if m := kernHost.FindStringSubmatch(text); m != nil {
			p.Host = m[1]
			return true
		}
	}
	if strings.HasSuffix(text, " callbacks suppressed") {
		if m := kernSuppressed.FindStringSubmatch(text); m != nil {
			p.suppressed, _ = decimal(m[1])
			return true
		}
	}
	base := KernelEvent{Line: num, Text: shorten(strings.TrimSpace(text)), Suppressed: p.suppressed}
	found := p.oom(text, base) || p.match(text, base)
	p.suppressed = 0
	return found
}

// match tries the events that take one line.
func (p *kernlog) match(text string, e KernelEvent) bool {
	for _, k := range kernEvents {
		if !strings.Contains(text, k.word) {
			continue
		}
		m := k.re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		e.Kind = k.kind
		for i, name := range k.re.SubexpNames() {
			e.detail(name, m[i])
		}
		p.add(e)
		if e.Kind == EventPanic && strings.Contains(text, "Out of memory") {
			e.Kind, e.Scope = EventOOM, OOMNode
			p.add(e)
		}
		return true
	}
	return false
}

func (p *kernlog) add(e KernelEvent) {
	if len(p.Events) >= maxEvents {
		p.Dropped++
		return
	}
	if m := kernTime.FindStringSubmatch(e.Text); m != nil {
		if t, ok := float(m[1]); ok {
			e.Time = &t
		}
	}
	p.Events = append(p.Events, e)
}

func (e *KernelEvent) detail(name, value string) {
	switch name {
	case "pci":
		e.PCI = value
	case "device":
		e.Device = value
	case "netdev":
		e.Netdev = value
	case "process":
		e.Process = value
	case "pid":
		e.PID, _ = strconv.Atoi(value)
	case "way":
		e.Kind = EventLinkDown
		if w := strings.ToLower(value); w == "up" || w == "active" {
			e.Kind = EventLinkUp
		}
	}
}

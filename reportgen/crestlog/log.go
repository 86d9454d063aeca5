package crestlog

import (
	"fmt"
	"io"
	"sync"

	"github.com/gotestbed/gotestbed/reportgen/internal/lines"
)

// The programs whose logs are told apart.
const (
	SystemCREST  = "crest"
	SystemFORD   = "ford"
	SystemMotor  = "motor"
	SystemMinidm = "minidm"
)

// The roles of a process.
const (
	RoleMN     = "mn"
	RoleCN     = "cn"
	RoleClient = "client"
)

// The classes of error that a log can end in.
const (
	ErrConnect        = "connect"         // no memory node, or no memcached, to connect to
	ErrTransportRetry = "transport-retry" // work completion status 12: the peer is gone, or the path MTUs differ
	ErrCompletion     = "completion"      // another work completion status
	ErrTerminate      = "terminate"       // an uncaught C++ exception
	ErrPanic          = "panic"           // a Go runtime error
	ErrConsistency    = "consistency"     // the check at the end of the run failed
	ErrNoProgress     = "no-progress"     // nothing was ever committed and there is no summary
)

const (
	maxErrors    = 16  // bad lines that are kept; all are counted
	maxTxnTypes  = 64  // transaction types with an abort counter
	maxConnected = 256 // compute nodes that a memory node names
	maxText      = 256 // bytes of a line that is kept as text
)

// A Log is what one process's log says. Counts are in transactions, rates in thousands per second, latencies in
// microseconds.
type Log struct {
	Name   string
	System string // one of the System constants; empty if nothing tells
	Role   string // one of the Role constants; empty if nothing tells
	Lines  int

	Tried, Committed      Value // Tried: … Committed: …
	TriedKOPS, CommitKOPS Value // Tried Throughput: … KOPS, Commit Troughput: … KOPS
	Avg, P50, P90, P99    Value // Average latency: … us, P50 latency: …
	P999                  Value // results.txt only, as the next three
	Exec, Validate        Value
	CommitLat             Value

	Complete  bool // a final result was printed
	Intervals int  // lines that report on half a second
	Progress  bool // an interval committed something
	Aborts    map[string]Value

	SGD          int // lines that match self-tuned.*sgd
	FirstSGD     int // the first of them
	WeightPoints int // [t=…s] atomic=… rpc=… move=… load=…
	PhasePoints  int // drift: phase … [t=…s]

	Ready     Value    // the line on which the memory node began to wait for connections; V is 1
	Connected []string // compute nodes that connected to the memory node, in order

	Consistency     string // what the consistency check at the end said
	ConsistencyLine int

	Error      string // class of the first error, one of the Err constants; empty if there is none
	ErrorLine  int
	ErrorText  string
	WCStatus   int // work completion status of the first completion error
	CoreDumped bool

	Bad      []*SyntaxError // the first bad lines
	BadLines int            // all of them
	Warnings []string       // doubts about the numbers, with file:line
}

// An Interval is what a compute node reports every half second. A number that was printed as nan is NaN.
type Interval struct {
	Line                  int
	Tick                  int64 // 100 ns since the process started
	TriedKOPS, CommitKOPS float64
	AbortRate             float64
}

// Weights are the tuner's four cost weights at one moment.
type Weights struct {
	Line                    int
	Seconds                 float64
	Atomic, RPC, Move, Load float64
}

// A Phase is a switch of a drifting workload: `drift: phase 2 hot=0-3 [t=5.00s]`. Seconds are on the clock of Weights.
type Phase struct {
	Line    int
	Seconds float64
	N       int    // as printed
	Text    string // what the line says between the number and the time, such as hot=0-3
}

// Options ask for the series of a log, which Parse only counts.
type Options struct {
	Interval func(Interval)
	Weights  func(Weights)
	Phase    func(Phase)
	Restart  func() // a later run begins in the log: what was handed out until now belongs to an earlier one
}

var readers = sync.Pool{New: func() any { return lines.New(nil) }}

// Parse reads a log, or a results.txt. name stands in the messages. The error is an I/O error; everything else is in the
// Log, which is returned in any case with what was read so far.
func Parse(name string, r io.Reader) (*Log, error) { return ParseSeries(name, r, Options{}) }

// ParseSeries is Parse that also hands out the series that o asks for, point by point.
func ParseSeries(name string, r io.Reader, o Options) (*Log, error) {
	in := readers.Get().(*lines.Reader)
	defer readers.Put(in)
	in.Reset(r)
	defer in.Reset(nil)
	p := parser{log: &Log{Name: name}, opts: o}
	for in.Next() {
		p.number, p.torn = in.Number(), in.Torn()
		if in.TooLong() {
			p.bad("line is longer than %d bytes", lines.MaxLine)
			continue
		}
		p.line(in.Bytes())
	}
	p.log.Lines = in.Number()
	p.finish()
	if err := in.Err(); err != nil {
		return p.log, fmt.Errorf("%s:%d: %w", name, in.Number()+1, err)
	}
	return p.log, nil
}

func (p *parser) bad(format string, args ...any) {
	p.log.BadLines++
	if len(p.log.Bad) < maxErrors {
		p.log.Bad = append(p.log.Bad, &SyntaxError{p.log.Name, p.number, fmt.Sprintf(format, args...)})
	}
}

func (p *parser) warn(format string, args ...any) {
	if len(p.log.Warnings) < maxErrors {
		p.log.Warnings = append(p.log.Warnings, fmt.Sprintf("%s:%d: ", p.log.Name, p.number)+fmt.Sprintf(format, args...))
	}
}

func (p *parser) fail(class string, text []byte) {
	if p.log.Error == "" {
		p.log.Error, p.log.ErrorLine, p.log.ErrorText = class, p.number, sanitise(text, maxText)
	}
}

// Window returns the measured seconds that the counts and rates imply, 0 if they imply none.
func (l *Log) Window() float64 {
	if !l.Tried.OK() || !l.TriedKOPS.OK() || l.TriedKOPS.V <= 0 {
		return 0
	}
	return l.Tried.V / l.TriedKOPS.V / 1000
}

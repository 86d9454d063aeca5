package verbs

import (
	"net/netip"
	"slices"
	"strings"
)

// Perftest is the output of one run of a perftest tool (ib_write_bw, ib_read_lat, …), or of both ends of
// a run in one terminal.
type Perftest struct {
	Tool      string // ib_write_bw, …; empty when the capture does not tell
	Title     string // RDMA_Write BW Test
	Device    string
	Link      string // IB or Ethernet
	Transport string // IB, IW, …
	Conn      string // RC, UD, …
	GIDIndex  *int
	MTU       *MTU
	QPs       *int

	Bidirectional bool // rows without Side sum both directions
	Local, Remote netip.Addr

	Rows    []PerfRow
	Failure *PerfFailure // the first cause, not what followed from it
	Signal  string       // SIGSEGV, … when the shell reports that the tool was killed

	Waiting   bool // a server that no client has reached
	Truncated bool // the capture begins or ends inside the output
	Flags     []PerfFlag
}

// A PerfFlag says what to bear in mind when using the numbers.
type PerfFlag string

// The flags of a run.
const (
	FlagCPUFrequency PerfFlag = "cpu-frequency"       // the clock was not at its maximum: the rates come from it
	FlagSameGID      PerfFlag = "same-gid-both-sides" // the data went to the host itself
	FlagLoopback     PerfFlag = "loopback"            // both ends are in the capture, on one address
	FlagDuration     PerfFlag = "duration"            // -D: only the middle of the time is counted
	FlagNoRelaxed    PerfFlag = "no-relaxed-ordering" // the CPU does not comply with PCIe relaxed ordering
)

// Has reports whether the run has the flag.
func (p Perftest) Has(f PerfFlag) bool { return slices.Contains(p.Flags, f) }

func (p *Perftest) flag(f PerfFlag) {
	if !p.Has(f) {
		p.Flags = append(p.Flags, f)
	}
}

// A PerfRow is one row of results. A nil pointer is a value that was not measured or not printed.
type PerfRow struct {
	Bytes      uint64 // size of one message
	Iterations uint64
	Side       string // local or remote, where the two directions are told apart (--report-both)

	Peak    *float64 // bandwidth in Unit; nil where perftest prints a literal 0.00
	Average *float64 // bandwidth in Unit
	Unit    Unit     // empty when it is not told (JSON) and the numbers do not tell either
	MsgRate *float64 // millions of messages a second

	// Latencies in microseconds, or in clock cycles with -C.
	Min, Max, Typical, Avg, Stdev, P99, P999 *float64
	LatencyUnit                              string // usec or cycles
	TPS                                      *float64
	CPU                                      *float64 // per cent
}

// BytesPerSec returns the average bandwidth, from the printed one or from the rate and the size of the messages, whichever
// lost less to rounding: the rate has six decimals, the bandwidth two.
func (r PerfRow) BytesPerSec() (float64, bool) {
	rate := r.MsgRate != nil && *r.MsgRate > 0
	printed := r.Average != nil && r.Unit != ""
	switch {
	case rate && (!printed || 1e-6 / *r.MsgRate <= 1e-2 / *r.Average):
		return *r.MsgRate * 1e6 * float64(r.Bytes), true
	case printed:
		return *r.Average * r.Unit.BytesPer(), true
	}
	return 0, false
}

// GbitPerSec returns the average bandwidth in 10^9 bits a second.
func (r PerfRow) GbitPerSec() (float64, bool) {
	b, ok := r.BytesPerSec()
	return b * 8 / 1e9, ok
}

// Consistent tells whether size × message rate agrees with the printed bandwidth within the rounding of
// both; no is a sign of a damaged row. It is unknown where one of them is missing.
func (r PerfRow) Consistent() Probe {
	if r.MsgRate == nil || r.Average == nil || r.Unit == "" {
		return unknown("bandwidth, unit or message rate is missing")
	}
	if r.fits(r.Unit) {
		return yes("bandwidth and message rate agree")
	}
	return no("%d bytes × %g Mpps are not %g %s", r.Bytes, *r.MsgRate, *r.Average, r.Unit)
}

// fits reports whether the row agrees with itself when its bandwidth is in u.
func (r PerfRow) fits(u Unit) bool {
	fromRate := *r.MsgRate * 1e6 * float64(r.Bytes) / u.BytesPer()
	rounding := 0.011 + 1e-6*1e6*float64(r.Bytes)/u.BytesPer() // two decimals; six of the rate
	diff := fromRate - *r.Average
	return max(diff, -diff) <= rounding+0.001*fromRate
}

// guessUnit sets the unit of a row whose output does not name it, when exactly one unit fits.
func (r *PerfRow) guessUnit() {
	if r.Unit != "" || r.MsgRate == nil || r.Average == nil || *r.MsgRate == 0 {
		return
	}
	mib, gb := r.fits(MiBPerSec), r.fits(GbPerSec)
	switch {
	case mib && !gb:
		r.Unit = MiBPerSec
	case gb && !mib:
		r.Unit = GbPerSec
	}
}

// perfTool names the tool after the words of its title.
func perfTool(title, conn string) string {
	verb := ""
	for _, v := range []struct{ word, verb string }{{"RDMA_Write", "write"}, {"RDMA_Read", "read"}, {"Send", "send"}, {"Atomic", "atomic"}} {
		if strings.HasPrefix(title, v.word) {
			verb = v.verb
		}
	}
	kind := ""
	switch {
	case strings.Contains(title, "BW"):
		kind = "bw"
	case strings.Contains(title, "Latency"):
		kind = "lat"
	}
	switch {
	case verb == "" || kind == "":
		return ""
	case conn == "RawEth":
		return "raw_ethernet_" + kind
	}
	return "ib_" + verb + "_" + kind
}

package verbs

import "fmt"

// Nanoseconds is a span of time; it converts to a time.Duration.
type Nanoseconds int64

// RCParams are the attributes of an RC queue pair that say how long it waits and how much it keeps in flight.
type RCParams struct {
	Timeout         uint8  // 0 to 31: an answer is awaited for 4.096 µs × 2^Timeout; 0 waits for ever
	RetryCnt        uint8  // 0 to 7: how often a request without an answer is sent again
	RNRRetry        uint8  // 0 to 6: how often a request is sent again to a peer that has no receive posted; 7 is for ever
	MinRNRTimer     uint8  // 0 to 31: how long the peer is told to wait when there is no receive posted here, see RNRDelay
	MaxRdAtomic     uint8  // READs and atomics in flight from here; at most the MaxDestRdAtomic of the peer
	MaxDestRdAtomic uint8  // READs and atomics in flight from the peer
	SQPSN           uint32 // 24 bits: number of the first packet sent; the peer's RQ_PSN
}

// DefaultRC returns the usual values: an answer is awaited for 67 ms and asked for eight times, so that a dead peer is noticed after
// half a second at the earliest; a peer without a receive is waited for without end; one READ or atomic is in flight each
// way, which holds on any device but leaves one faster than that idle. The packet numbers start from 0. A random start keeps packets of an
// earlier connection with the same queue pair number from being taken for this one's; where numbers are soon used again, set one.
func DefaultRC() RCParams {
	return RCParams{Timeout: 14, RetryCnt: 7, RNRRetry: 7, MinRNRTimer: 12, MaxRdAtomic: 1, MaxDestRdAtomic: 1}
}

// Check says which value does not fit into its bits.
func (p RCParams) Check() error {
	for _, f := range []struct {
		name       string
		value, max uint32
	}{
		{"timeout", uint32(p.Timeout), 31},
		{"retry_cnt", uint32(p.RetryCnt), 7},
		{"rnr_retry", uint32(p.RNRRetry), 7},
		{"min_rnr_timer", uint32(p.MinRNRTimer), 31},
		{"sq_psn", p.SQPSN, max24},
	} {
		if f.value > f.max {
			return fmt.Errorf("%s %d: at most %d", f.name, f.value, f.max)
		}
	}
	return nil
}

// max24 is the largest number of 24 bits: packet sequence numbers and queue pair numbers have so many.
const max24 = 1<<24 - 1

// AckTimeout is how long an answer is awaited at least, 4.096 µs × 2^Timeout; 0 stands for ever. A device may wait up to four times
// as long, and some have a floor of their own. InfiniBand Architecture Specification, volume 1, section 9.7.6.1.3.
func (p RCParams) AckTimeout() Nanoseconds {
	if p.Timeout == 0 {
		return 0
	}
	return 4096 << p.Timeout
}

// DeadPeer is how long it takes until a request to a peer that does not answer completes with IBV_WC_RETRY_EXC_ERR: RetryCnt+1
// times the wait, which may be up to four times AckTimeout. It is false when that never happens. Soft-RoCE (rdma_rxe, seen in
// Linux 6.1) takes RetryCnt 7, the default here, for ever: a request to a dead peer ends there only by its caller's deadline.
func (p RCParams) DeadPeer() (least, most Nanoseconds, ok bool) {
	if p.Timeout == 0 {
		return 0, 0, false
	}
	least = Nanoseconds(p.RetryCnt+1) * p.AckTimeout()
	return least, 4 * least, true
}

// NotReadyPeer is how long it takes at least until a SEND to a peer that posts no receive completes with IBV_WC_RNR_RETRY_EXC_ERR,
// where timer is the MinRNRTimer of the peer. It is false when that never happens, as with the default: then only a deadline of one's own helps.
func (p RCParams) NotReadyPeer(timer uint8) (Nanoseconds, bool) {
	if p.RNRRetry == 7 {
		return 0, false
	}
	return Nanoseconds(p.RNRRetry) * RNRDelay(timer), true
}

// RNRDelay is the wait that a code of min_rnr_timer stands for; codes have five bits. The codes from 1 rise by about √2 a step, from 10 µs
// to 491.52 ms; 0 is the longest, 655.36 ms. InfiniBand Architecture Specification, volume 1, table 45 (RNR NAK timer values).
func RNRDelay(code uint8) Nanoseconds {
	hundredths := [32]Nanoseconds{65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152}
	return hundredths[code&31] * 10_000
}

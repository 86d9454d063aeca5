package verbs

import (
	"bytes"
	"crypto/rand"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var testToken = Token(bytes.Repeat([]byte{0x5a}, 32))

func clientQP() QueuePair {
	return QueuePair{Link: LinkEthernet, GID: netip.MustParseAddr("::ffff:10.10.1.4"), QPN: 0x11, PSN: 0xabcdef, MTU: 4096,
		MaxRdAtomic: 16, MaxDestRdAtomic: 1}
}

func serverQP() QueuePair {
	return QueuePair{Link: LinkEthernet, GID: netip.MustParseAddr("::ffff:10.10.1.3"), LID: 7, QPN: 0xfffffe, PSN: 0, MTU: 1024,
		MaxRdAtomic: 2, MaxDestRdAtomic: 4, RKey: 0xdeadbeef, Address: 0x7f0011223344, Length: 1 << 30}
}

func offerOf(side Side) Offer {
	o := Offer{Side: side, Token: testToken, Random: rand.Reader, Local: clientQP()}
	if side == ServerSide {
		o.Local = serverQP()
	}
	return o
}

func accept(Agreement) error { return nil }

// An end is one end of an exchange in a test.
type end struct {
	offer   Offer
	connect func(Agreement) error
	got     Agreement
	err     error
}

// meet runs both ends over a pipe, which is closed at an end that returns.
func meet(t *testing.T, a, b *end) {
	t.Helper()
	ca, cb := net.Pipe()
	deadline := time.Now().Add(10 * time.Second)
	ca.SetDeadline(deadline)
	cb.SetDeadline(deadline)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer cb.Close()
		b.got, b.err = Exchange(cb, b.offer, b.connect)
	}()
	a.got, a.err = Exchange(ca, a.offer, a.connect)
	ca.Close()
	<-done
}

var sameAddr = cmpopts.EquateComparable(netip.Addr{})

func TestExchangeAgrees(t *testing.T) {
	c, s := &end{offer: offerOf(ClientSide), connect: accept}, &end{offer: offerOf(ServerSide), connect: accept}
	meet(t, c, s)
	if c.err != nil || s.err != nil {
		t.Fatalf("client: %v, server: %v", c.err, s.err)
	}
	want := Agreement{Local: clientQP(), Peer: serverQP(), MTU: 1024, MaxRdAtomic: 4, MaxDestRdAtomic: 1}
	if d := cmp.Diff(want, c.got, sameAddr); d != "" {
		t.Errorf("client (-want +got):\n%s", d)
	}
	want = Agreement{Local: serverQP(), Peer: clientQP(), MTU: 1024, MaxRdAtomic: 1, MaxDestRdAtomic: 4}
	if d := cmp.Diff(want, s.got, sameAddr); d != "" {
		t.Errorf("server (-want +got):\n%s", d)
	}
}

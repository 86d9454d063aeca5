package verbs

import (
	"bytes"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
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

func newEnd(side Side) *end { return &end{offer: offerOf(side), connect: accept} }

func (e *end) run(conn net.Conn) {
	defer conn.Close()
	e.got, e.err = Exchange(conn, e.offer, e.connect)
}

// meet runs both ends over a pipe without any buffer: if both wrote at once, neither would come to an end.
func meet(t *testing.T, client, server *end) {
	t.Helper()
	c, s := net.Pipe()
	for _, conn := range []net.Conn{c, s} {
		conn.SetDeadline(time.Now().Add(10 * time.Second))
	}
	together(func() { client.run(c) }, func() { server.run(s) })
}

// together returns when both functions have.
func together(a, b func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		b()
	}()
	a()
	<-done
}

// wantErrors compares what both ends say, and that an error comes without a value.
func wantErrors(t *testing.T, client, server *end, wantClient, wantServer string) {
	t.Helper()
	for _, c := range []struct {
		e    *end
		want string
	}{{client, wantClient}, {server, wantServer}} {
		got := "ok"
		if c.e.err != nil {
			got = c.e.err.Error()
			if c.e.got != (Agreement{}) {
				t.Errorf("%v: a value beside an error: %+v", c.e.offer.Side, c.e.got)
			}
		}
		if got != c.want {
			t.Errorf("%v says\n\t%s\nwant\n\t%s", c.e.offer.Side, got, c.want)
		}
	}
}

var sameAddr = cmpopts.EquateComparable(netip.Addr{})

func TestExchangeAgrees(t *testing.T) {
	c, s := newEnd(ClientSide), newEnd(ServerSide)
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

func TestNotes(t *testing.T) {
	c, s := newEnd(ClientSide), newEnd(ServerSide)
	meet(t, c, s)
	want := []string{"active MTU 4096 here and 1024 at the peer: both use 1024", "16 READs and atomics wanted in flight and the peer serves 4: 4 are used"}
	if d := cmp.Diff(want, c.got.Notes()); d != "" {
		t.Errorf("client (-want +got):\n%s", d)
	}
	s.offer.Local.MTU, s.offer.Local.MaxDestRdAtomic = 4096, 16
	meet(t, c, s)
	if got := c.got.Notes(); got != nil {
		t.Errorf("client: nothing to note, got %q", got)
	}
}

// The client's connect runs before the server's, and neither end returns before both have run.
func TestReadyAfterBothConnected(t *testing.T) {
	var order []string // each step is behind a message of the other side
	c, s := newEnd(ClientSide), newEnd(ServerSide)
	c.connect = func(a Agreement) error { order = append(order, "client", a.Peer.GID.String()); return nil }
	s.connect = func(a Agreement) error { order = append(order, "server", a.Peer.GID.String()); return nil }
	atEnd := func(e *end) func(net.Conn) {
		return func(conn net.Conn) {
			e.run(conn)
			if len(order) != 4 {
				t.Errorf("%v returns after %q", e.offer.Side, order)
			}
		}
	}
	a, b := net.Pipe()
	together(func() { atEnd(c)(a) }, func() { atEnd(s)(b) })
	if want := []string{"client", "::ffff:10.10.1.3", "server", "::ffff:10.10.1.4"}; !cmp.Equal(want, order) || c.err != nil || s.err != nil {
		t.Errorf("got %q, %v, %v", order, c.err, s.err)
	}
}

// Two exchanges and then other traffic on one stream: no byte of what follows is read.
func TestStreamIsLeftClean(t *testing.T) {
	a, b := net.Pipe()
	a.SetDeadline(time.Now().Add(10 * time.Second))
	b.SetDeadline(time.Now().Add(10 * time.Second))
	twice := func(conn net.Conn, side Side) {
		for range 2 {
			if _, err := Exchange(conn, offerOf(side), accept); err != nil {
				t.Error(err)
			}
		}
	}
	got := make([]byte, 7)
	together(
		func() { twice(a, ClientSide); a.Write([]byte("traffic")) },
		func() { twice(b, ServerSide); b.Read(got) })
	if string(got) != "traffic" {
		t.Errorf("got %q", got)
	}
}

// What one side finds, both sides say.
func TestRefusals(t *testing.T) {
	check := func(name string, change func(c, s *end), wantClient, wantServer string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			c, s := newEnd(ClientSide), newEnd(ServerSide)
			change(c, s)
			meet(t, c, s)
			wantErrors(t, c, s, wantClient, wantServer)
		})
	}
	// byClient and byServer are refusals that one side makes and the other is told while it reads.
	byClient := func(name string, change func(c, s *end), step, reads, cause string) {
		t.Helper()
		said := "client: exchange: " + step + ": " + cause
		check(name, change, said, "server: exchange: read "+reads+": the peer gave up: "+said)
	}
	byServer := func(name string, change func(c, s *end), step, reads, cause string) {
		t.Helper()
		said := "server: exchange: " + step + ": " + cause
		check(name, change, "client: exchange: read "+reads+": the peer gave up: "+said, said)
	}
	const differ = "not authenticated: the two sides hold different tokens, or a message was altered or replayed"
	noRegion := func(c, s *end) { c.offer.Need = 1<<30 + 1 }
	byServer("wrong token", func(c, s *end) { c.offer.Token[31] ^= 1 }, "read hello", "hello", differ)
	byClient("no token", func(c, s *end) { c.offer.Token = Token{} }, "check offer", "hello", "no token")
	byServer("no token at the server", func(c, s *end) { c.offer.Token[0]++; s.offer.Token = Token{} }, "read hello", "hello", differ)
	byServer("no nonces at the server", func(c, s *end) { s.offer.Random = nil }, "check offer", "hello", "no source of nonces")
	byClient("no nonce", func(c, s *end) { c.offer.Random = bytes.NewReader(make([]byte, 31)) }, "send hello", "hello", "nonce: unexpected EOF")
	byClient("QPN of 25 bits", func(c, s *end) { c.offer.Local.QPN = 1 << 24 }, "check offer", "hello", "QPN of the client: 0x1000000 is not from 2 to 0xfffffe")
	byServer("own GID zero", func(c, s *end) { s.offer.Local.GID = netip.IPv6Unspecified() }, "check offer", "hello",
		"GID of the server: zero: RoCE cannot address a peer without one; the GID index names an empty entry")
	byClient("region too short", noRegion, "read card", "ready", "region of the server: 1073741824 bytes, and the client asks for 1073741825")
	byServer("region too short for the server", func(c, s *end) { s.offer.Need = 1 }, "read card", "card",
		"region of the client: 0 bytes, and the server asks for 1")
	byServer("two link layers", func(c, s *end) { c.offer.Local.Link, c.offer.Local.LID = LinkInfiniBand, 1 }, "read card", "card",
		"link layer of the client: InfiniBand, and Ethernet at the server")
	broken := func(Agreement) error { return errors.New("ibv_modify_qp:\n\tinvalid argument\x1b[31m") }
	check("client cannot connect", func(c, s *end) { c.connect = broken },
		"client: exchange: connect queue pair: ibv_modify_qp:\n\tinvalid argument\x1b[31m",
		"server: exchange: read ready: the peer gave up: client: exchange: connect queue pair: ibv_modify_qp: invalid argument [31m")
	check("server cannot connect", func(c, s *end) { s.connect = broken },
		"client: exchange: read ready: the peer gave up: server: exchange: connect queue pair: ibv_modify_qp: invalid argument [31m",
		"server: exchange: connect queue pair: ibv_modify_qp:\n\tinvalid argument\x1b[31m")
	check("just enough", func(c, s *end) { c.offer.Need = 1 << 30 }, "ok", "ok")
}

// No QP is connected to one that was refused.
func TestRefusedIsNotConnected(t *testing.T) {
	c, s := newEnd(ClientSide), newEnd(ServerSide)
	c.offer.Need = 1<<30 + 1
	never := func(Agreement) error { t.Error("connected"); return nil }
	c.connect, s.connect = never, never
	meet(t, c, s)
	var qp *QueuePairError
	if !errors.As(c.err, &qp) || qp.Whose != ServerSide || qp.Field != "region" {
		t.Errorf("client: %v", c.err)
	}
	var told *AbortError
	if !errors.As(s.err, &told) {
		t.Errorf("server: %v", s.err)
	}
}

func TestNoSide(t *testing.T) {
	_, err := Exchange(nil, Offer{}, accept)
	if err == nil || err.Error() != "side 0: exchange: check offer: neither client nor server" {
		t.Errorf("got %v", err)
	}
}

// Two honest sides agree, whatever they bring.
func TestHonestSidesAgree(t *testing.T) {
	r := mathrand.New(mathrand.NewPCG(5, 3))
	random := func(link LinkLayer) QueuePair {
		var gid [16]byte
		for i := range gid {
			gid[i] = byte(r.Uint32())
		}
		return QueuePair{Link: link, GID: netip.AddrFrom16(gid), LID: uint16(1 + r.IntN(0xbfff)), QPN: 2 + r.Uint32N(max24-2), PSN: r.Uint32N(max24 + 1),
			MTU: MTUOfCode(uint8(1 + r.IntN(5))), MaxRdAtomic: uint8(r.Uint32()), MaxDestRdAtomic: uint8(r.Uint32()), RKey: r.Uint32(),
			Address: r.Uint64() >> 1, Length: r.Uint64() >> 1}
	}
	for range 200 {
		c, s := newEnd(ClientSide), newEnd(ServerSide)
		link := linkCodes[1+r.IntN(2)]
		c.offer.Local, s.offer.Local = random(link), random(link)
		meet(t, c, s)
		if c.err != nil || s.err != nil {
			t.Fatalf("%+v and %+v: client %v, server %v", c.offer.Local, s.offer.Local, c.err, s.err)
		}
		mirror := Agreement{Local: s.got.Peer, Peer: s.got.Local, MTU: s.got.MTU, MaxRdAtomic: s.got.MaxDestRdAtomic, MaxDestRdAtomic: s.got.MaxRdAtomic}
		if d := cmp.Diff(mirror, c.got, sameAddr); d != "" || c.got.Local != c.offer.Local || c.got.Peer != s.offer.Local {
			t.Fatalf("the sides differ (-server +client):\n%s", d)
		}
		if a := c.got; a.MTU > min(a.Local.MTU, a.Peer.MTU) || a.MaxRdAtomic > min(a.Local.MaxRdAtomic, a.Peer.MaxDestRdAtomic) {
			t.Fatalf("more is used than a side offers: %+v", a)
		}
	}
}

package verbs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"
)

// A flood is a stream without end that counts what is taken of it.
type flood struct{ taken int }

func (e *flood) Read(b []byte) (int, error) { e.taken += len(b); return len(b), nil }

// A header that is wrong is refused before anything of what follows is read.
func TestWrongHeaders(t *testing.T) {
	check := func(name string, header []byte, want string, target error) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			rest := &flood{}
			peer := &tape{says: io.MultiReader(bytes.NewReader(header), rest)}
			_, err := Exchange(peer, offerOf(ClientSide), accept)
			if want = "client: exchange: read hello: " + want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if target != nil && !errors.Is(err, target) {
				t.Errorf("%v is not %v", err, target)
			}
			if rest.taken != 0 {
				t.Errorf("%d bytes were read after the header", rest.taken)
			}
			// Whoever speaks the exchange is told why; a stranger would not understand.
			if told := strings.Contains(peer.told.String(), want); told == errors.Is(err, ErrNotExchange) {
				t.Errorf("told the peer: %v", told)
			}
		})
	}
	header := func(k kind, side Side, length uint32) []byte {
		return binary.BigEndian.AppendUint32(appendHeader(nil, k, side, 0)[:8], length)
	}
	version := header(kindHello, ServerSide, 64)
	version[4], version[5] = 1, 2
	check("4 GiB", header(kindHello, ServerSide, 1<<32-1), "the peer sent hello of 4294967295 bytes where hello of 64 bytes is due", nil)
	check("one byte more", header(kindHello, ServerSide, 65), "the peer sent hello of 65 bytes where hello of 64 bytes is due", nil)
	check("one byte less", header(kindHello, ServerSide, 63), "the peer sent hello of 63 bytes where hello of 64 bytes is due", nil)
	check("card in place of hello", header(kindCard, ServerSide, 88), "the peer sent card of 88 bytes where hello of 64 bytes is due", nil)
	check("no such kind", header(9, ServerSide, 64), "the peer sent message kind 9 of 64 bytes where hello of 64 bytes is due", nil)
	check("kind 0", header(0, ServerSide, 64), "the peer sent message kind 0 of 64 bytes where hello of 64 bytes is due", nil)
	check("long reason", header(kindAbort, ServerSide, 513), "the peer sent abort of 513 bytes where hello of 64 bytes is due", nil)
	check("version", version, "this side speaks version 1 of the exchange, the peer version 258", nil)
	check("same side", header(kindHello, ClientSide, 64), "both ends have the same side: client", ErrSameSide)
	check("no side", header(kindHello, 0, 64), "the peer does not speak the queue-pair exchange: it calls itself side 0", ErrNotExchange)
	check("third side", header(kindHello, 3, 64), "the peer does not speak the queue-pair exchange: it calls itself side 3", ErrNotExchange)
	check("another protocol", []byte("SSH-2.0-Open"), `the peer does not speak the queue-pair exchange: it sent "SSH-2.0-Open"`, ErrNotExchange)
	check("almost", []byte("GTQp\x00\x01\x01\x02\x00\x00\x00\x40"), `the peer does not speak the queue-pair exchange: it sent "GTQp\x00\x01\x01\x02\x00\x00\x00@"`, ErrNotExchange)
}

func TestShortGarbage(t *testing.T) {
	_, err := Exchange(&tape{says: strings.NewReader("ERR\n")}, offerOf(ServerSide), accept)
	want := `server: exchange: read hello: the peer does not speak the queue-pair exchange: it sent "ERR\n": the peer closed the connection: unexpected EOF`
	if err == nil || err.Error() != want || !errors.Is(err, ErrNotExchange) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// The reason of a peer is shown clean, and not answered.
func TestReasonOfThePeer(t *testing.T) {
	reason := "server: no memory\x1b[31m\r\n" + strings.Repeat("x", 488)
	peer := &tape{says: io.MultiReader(bytes.NewReader(appendHeader(nil, kindAbort, ServerSide, maxReason)), strings.NewReader(reason))}
	_, err := Exchange(peer, offerOf(ClientSide), accept)
	var told *AbortError
	if !errors.As(err, &told) || told.Reason != "server: no memory [31m "+strings.Repeat("x", 488) {
		t.Errorf("got %v", err)
	}
	if n := peer.told.Len(); n != headerSize+nonceSize+macSize {
		t.Errorf("%d bytes were sent, not one hello", n)
	}
}

// A queue pair that the holder of the token describes wrongly is still refused.
func TestWrongCards(t *testing.T) {
	check := func(field string, change func(*QueuePair), want string) {
		t.Helper()
		q := serverQP()
		change(&q)
		err := parseCard([cardSize]byte(q.appendCard(nil))).check(ServerSide)
		var wrong *QueuePairError
		if !errors.As(err, &wrong) || wrong.Field != field || wrong.Whose != ServerSide || wrong.Error() != field+" of the server: "+want {
			t.Errorf("%s: got %v, want %s", field, err, want)
		}
	}
	fine := func(name string, change func(*QueuePair)) {
		t.Helper()
		q := serverQP()
		change(&q)
		if err := parseCard([cardSize]byte(q.appendCard(nil))).check(ServerSide); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	ib := func(lid uint16) func(q *QueuePair) {
		return func(q *QueuePair) { q.Link, q.LID, q.GID = LinkInfiniBand, lid, netip.Addr{} }
	}
	const zero = "zero: RoCE cannot address a peer without one; the GID index names an empty entry"
	check("link layer", func(q *QueuePair) { q.Link = "iWARP" }, `"" is neither InfiniBand nor Ethernet`)
	check("GID", func(q *QueuePair) { q.GID = netip.Addr{} }, zero)
	check("GID", func(q *QueuePair) { q.GID = netip.IPv6Unspecified() }, zero)
	check("LID", ib(0), "0x0 is not from 1 to 0xbfff: has a subnet manager set up the port?")
	check("LID", ib(0xc000), "0xc000 is not from 1 to 0xbfff: has a subnet manager set up the port?")
	fine("LIDs", ib(1))
	fine("LIDs", ib(0xbfff))
	for qpn, text := range map[uint32]string{0: "0x0", 1: "0x1", 0xffffff: "0xffffff", 0x1000000: "0x1000000", 1<<32 - 1: "0xffffffff"} {
		check("QPN", func(q *QueuePair) { q.QPN = qpn }, text+" is not from 2 to 0xfffffe")
	}
	fine("QPN", func(q *QueuePair) { q.QPN = 2 })
	check("PSN", func(q *QueuePair) { q.PSN = 1 << 24 }, "0x1000000 is more than 24 bits")
	fine("PSN", func(q *QueuePair) { q.PSN = 1<<24 - 1 })
	check("MTU", func(q *QueuePair) { q.MTU = 1500 }, "not 256, 512, 1024, 2048 or 4096 bytes")
	check("region", func(q *QueuePair) { q.Address, q.Length = 1<<64-4096, 4097 }, "4097 bytes from 0xfffffffffffff000 run past the end of memory")
	fine("region to the end of memory", func(q *QueuePair) { q.Address, q.Length = 1<<64-4096, 4096 })
	fine("region of one byte", func(q *QueuePair) { q.Length = 1 })
	fine("no region", func(q *QueuePair) { q.Address, q.Length = 1<<64-1, 0 })
}

// A peer that holds the token and sends such a card is refused, told why, and not connected.
func TestWrongCardOfTokenHolder(t *testing.T) {
	conn, far := net.Pipe()
	for _, c := range []net.Conn{conn, far} {
		c.SetDeadline(time.Now().Add(10 * time.Second))
	}
	client := newEnd(ClientSide)
	client.connect = func(Agreement) error { t.Error("connected"); return nil }
	wrong := serverQP()
	wrong.QPN = 1
	var told error
	together(func() { client.run(conn) }, func() {
		w := newWire(far, ServerSide, testToken)
		_, err := w.receive(kindHello)
		err = errors.Join(err, w.send(kindHello, make([]byte, nonceSize)))
		_, cardErr := w.receive(kindCard)
		if err = errors.Join(err, cardErr, w.send(kindCard, wrong.appendCard(nil))); err != nil {
			t.Error(err)
		}
		_, told = w.receive(kindReady)
		far.Close()
	})
	const want = "client: exchange: read card: QPN of the server: 0x1 is not from 2 to 0xfffffe"
	if client.err == nil || client.err.Error() != want || client.got != (Agreement{}) {
		t.Errorf("got %+v, %v", client.got, client.err)
	}
	if told == nil || told.Error() != "the peer gave up: "+want {
		t.Errorf("told: %v", told)
	}
}

// A code beyond the table is no link layer.
func TestUnknownLinkCode(t *testing.T) {
	b := [cardSize]byte(serverQP().appendCard(nil))
	for _, code := range []byte{0, 3, 255} {
		b[18] = code
		if q := parseCard(b); q.Link != "" || q.check(ServerSide) == nil {
			t.Errorf("code %d is %q", code, q.Link)
		}
	}
}

// A peer that stalls ends with the deadline of the connection, at whatever message.
func TestStall(t *testing.T) {
	for n, step := range map[int]string{0: "read hello", 11: "read hello", 75: "read hello", 76: "read card", 176: "read ready"} {
		conn, peer := net.Pipe()
		conn.SetDeadline(time.Now().Add(50 * time.Millisecond))
		go io.Copy(io.Discard, peer)
		go peer.Write(serverSays()[:n])
		_, err := Exchange(conn, fixedNonce(ClientSide), accept)
		var e *ExchangeError
		if !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &e) || e.Step != step || e.Side != ClientSide {
			t.Errorf("after %d bytes: got %v, want %s", n, err, step)
		}
		peer.Close()
	}
}

// A stream that takes nothing is an error of the step that sends.
func TestWriteError(t *testing.T) {
	conn, peer := net.Pipe()
	peer.Close()
	_, err := Exchange(conn, offerOf(ClientSide), accept)
	if !errors.Is(err, io.ErrClosedPipe) || !strings.HasPrefix(err.Error(), "client: exchange: send hello: ") {
		t.Errorf("got %v", err)
	}
}

// Two clients find each other out and both say so; two servers wait for the deadline. Both speak first, so the stream must have room.
func TestSameSideTwice(t *testing.T) {
	both := func(side Side, wait time.Duration, target error) {
		t.Helper()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		a, b := newEnd(side), newEnd(side)
		run := func(e *end, conn net.Conn, err error) {
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { conn.Close() })
			conn.SetDeadline(time.Now().Add(wait))
			e.got, e.err = Exchange(conn, e.offer, e.connect)
		}
		together(
			func() { conn, err := l.Accept(); run(a, conn, err) },
			func() { conn, err := net.Dial("tcp", l.Addr().String()); run(b, conn, err) })
		for _, e := range []*end{a, b} {
			if !errors.Is(e.err, target) {
				t.Errorf("two of side %v: got %v, want %v", side, e.err, target)
			}
		}
	}
	both(ClientSide, 10*time.Second, ErrSameSide)
	both(ServerSide, 50*time.Millisecond, os.ErrDeadlineExceeded)
}

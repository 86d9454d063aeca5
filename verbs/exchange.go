package verbs

import (
	"errors"
	"fmt"
	"io"
)

// A Side is the part of one end in an exchange: the client speaks first.
type Side uint8

// The sides.
const (
	ClientSide Side = 1
	ServerSide Side = 2
)

func (s Side) String() string {
	switch s {
	case ClientSide:
		return "client"
	case ServerSide:
		return "server"
	}
	return fmt.Sprintf("side %d", uint8(s))
}

func (s Side) other() Side { return ClientSide + ServerSide - s }

// An Offer is what one end brings into an exchange.
type Offer struct {
	Side   Side
	Token  Token     // the same at both ends
	Random io.Reader // source of nonces, crypto/rand.Reader but in tests
	Local  QueuePair // in state INIT
	Need   uint64    // bytes that the region of the peer must have at least
}

// Exchange tells the peer of a queue pair and learns of the peer's, over a stream such as a TCP connection, and returns
// when both queue pairs are in RTS.
//
//	client                                server
//	hello: nonce            ────────────►
//	                        ◄────────────  hello: nonce
//	card: queue pair        ────────────►
//	                        ◄────────────  card: queue pair
//	connect
//	ready                   ────────────►
//	                                       connect
//	                        ◄────────────  ready
//
// The function connect takes the local queue pair to RTR and RTS with what was agreed; it is called once, when
// the peer has proved that it holds the token and its queue pair suits. After Exchange either side may send at once: a request to a
// queue pair that is not in RTR yet is lost, and retried only after the whole timeout.
//
// The token never travels: each message carries a MAC over all messages so far, so that one which a stranger made, altered, recorded
// earlier or sent back is refused. A server's hello proves the token before the client shows its card, and a client's card before the server
// shows its own. The messages are not secret.
//
// A side that fails tells the peer why, which then gets an *AbortError. All errors are *ExchangeError, and with an error there is no
// Agreement; the caller destroys the queue pair. A server may return without error while its last word does not reach the client.
//
// Exchange holds less than 1 KiB of what the peer sends, reads nothing beyond its own messages, so that the stream can be used on, and
// waits as long as the stream does: set a deadline on it first.
func Exchange(rw io.ReadWriter, offer Offer, connect func(Agreement) error) (Agreement, error) {
	if offer.Side != ClientSide && offer.Side != ServerSide {
		return Agreement{}, &ExchangeError{Side: offer.Side, Step: "check offer", Err: errors.New("neither client nor server")}
	}
	x := &exchange{wire: newWire(rw, offer.Side, offer.Token), offer: offer, connect: connect}
	for _, s := range x.steps() {
		if err := s.do(); err != nil {
			return Agreement{}, x.fail(s.name, err)
		}
	}
	return x.agreed, nil
}

type exchange struct {
	*wire
	offer   Offer
	connect func(Agreement) error
	agreed  Agreement
}

type exchangeStep struct {
	name string
	do   func() error
}

// steps are those of a side, in order. One side writes while the other reads, and what can fail is done in a side's turn
// to write, so that the reason can be told.
func (x *exchange) steps() []exchangeStep {
	check := exchangeStep{"check offer", x.check}
	sendHello, readHello := exchangeStep{"send hello", x.sendHello}, exchangeStep{"read hello", x.readHello}
	sendCard, readCard := exchangeStep{"send card", x.sendCard}, exchangeStep{"read card", x.readCard}
	sendReady, readReady := exchangeStep{"send ready", x.sendReady}, exchangeStep{"read ready", x.readReady}
	connect := exchangeStep{"connect queue pair", func() error { return x.connect(x.agreed) }}
	if x.side == ClientSide {
		return []exchangeStep{check, sendHello, readHello, sendCard, readCard, connect, sendReady, readReady}
	}
	return []exchangeStep{readHello, check, sendHello, readCard, sendCard, readReady, connect, sendReady}
}

func (x *exchange) check() error {
	if x.offer.Token == (Token{}) {
		return errors.New("no token")
	}
	if x.offer.Random == nil {
		return errors.New("no source of nonces")
	}
	return x.offer.Local.check(x.side)
}

func (x *exchange) sendHello() error {
	var nonce [nonceSize]byte
	if _, err := io.ReadFull(x.offer.Random, nonce[:]); err != nil {
		return fmt.Errorf("nonce: %w", err)
	}
	return x.send(kindHello, nonce[:])
}

func (x *exchange) readHello() error {
	_, err := x.receive(kindHello)
	return err
}

func (x *exchange) sendCard() error { return x.send(kindCard, x.offer.Local.appendCard(nil)) }

func (x *exchange) readCard() error {
	b, err := x.receive(kindCard)
	if err != nil {
		return err
	}
	peer := parseCard([cardSize]byte(b))
	if err := peer.check(x.side.other()); err != nil {
		return err
	}
	x.agreed, err = agree(x.side, x.offer.Local, peer, x.offer.Need)
	return err
}

func (x *exchange) sendReady() error { return x.send(kindReady, nil) }

func (x *exchange) readReady() error {
	_, err := x.receive(kindReady)
	return err
}

// fail names the side and the step of an error, and tells the peer, unless that is where the error comes from.
func (x *exchange) fail(step string, err error) error {
	e := &ExchangeError{Side: x.side, Step: step, Err: err}
	var told *AbortError
	if !x.broken && !errors.As(err, &told) && !errors.Is(err, ErrNotExchange) {
		x.abort(e.Error())
	}
	return e
}

package verbs

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

// A Token is the secret that both sides of an exchange hold. It travels over SSH beforehand and never in the exchange. It
// does not print.
type Token [32]byte

// NewToken reads a token from a source of randomness.
func NewToken(random io.Reader) (Token, error) {
	var t Token
	if _, err := io.ReadFull(random, t[:]); err != nil {
		return Token{}, fmt.Errorf("token: %w", err)
	}
	return t, nil
}

// ParseToken reads what Hex wrote.
func ParseToken(s string) (Token, error) {
	var t Token
	if len(s) != hex.EncodedLen(len(t)) {
		return Token{}, fmt.Errorf("token: %d characters, not %d", len(s), hex.EncodedLen(len(t)))
	}
	if _, err := hex.Decode(t[:], []byte(s)); err != nil {
		return Token{}, errors.New("token: not hexadecimal")
	}
	return t, nil
}

// Hex returns the token in 64 hexadecimal digits, for the way over SSH.
func (t Token) Hex() string { return hex.EncodeToString(t[:]) }

// Format keeps the token out of logs.
func (t Token) Format(f fmt.State, _ rune) { io.WriteString(f, "[token]") }

// The message format, version 1; docs/exchange.md lays it out.
const (
	exchangeMagic   = "GTQP"
	exchangeVersion = 1
	headerSize      = 12 // magic, version, kind, side, length of what follows
	nonceSize       = 32
	macSize         = sha256.Size
	maxBody         = max(nonceSize+macSize, cardSize+macSize, macSize, maxReason)
)

// A kind is the kind of a message.
type kind uint8

const (
	kindHello kind = 1 + iota // a nonce
	kindCard                  // a queue pair
	kindReady                 // nothing: the sender's queue pair is in RTS
	kindAbort                 // why the sender gives up; the only one without a MAC
)

func (k kind) String() string {
	names := [...]string{kindHello: "hello", kindCard: "card", kindReady: "ready", kindAbort: "abort"}
	if k == 0 || int(k) >= len(names) {
		return fmt.Sprintf("message kind %d", uint8(k))
	}
	return names[k]
}

// size is the length of a message's body without its MAC.
func (k kind) size() int {
	return map[kind]int{kindHello: nonceSize, kindCard: cardSize}[k]
}

// A wire carries the messages of one exchange. Every message but abort ends with the HMAC-SHA256, under the token, of all
// bytes that were sent and received up to there, in the order of the exchange.
type wire struct {
	rw     io.ReadWriter
	side   Side
	mac    hash.Hash
	broken bool // the stream failed: nothing more can be said
}

func newWire(rw io.ReadWriter, side Side, token Token) *wire {
	return &wire{rw: rw, side: side, mac: hmac.New(sha256.New, token[:])}
}

func appendHeader(b []byte, k kind, side Side, length int) []byte {
	b = append(b, exchangeMagic...)
	b = binary.BigEndian.AppendUint16(b, exchangeVersion)
	b = append(b, uint8(k), uint8(side))
	return binary.BigEndian.AppendUint32(b, uint32(length))
}

// send writes a message with its MAC.
func (w *wire) send(k kind, body []byte) error {
	b := append(appendHeader(nil, k, w.side, len(body)+macSize), body...)
	w.mac.Write(b)
	sum := w.mac.Sum(nil)
	w.mac.Write(sum)
	return w.write(append(b, sum...))
}

// abort tells the peer why this side gives up. The peer may be gone: the reason counts, not whether it could be told.
func (w *wire) abort(reason string) {
	reason = cleanReason(reason)
	w.write(append(appendHeader(nil, kindAbort, w.side, len(reason)), reason...))
}

// receive reads the message of a kind and returns its body, once it is proved that the peer holds the token. It reads no byte
// beyond the message, and nothing of a message whose header is wrong.
func (w *wire) receive(want kind) ([]byte, error) {
	var buf [headerSize + maxBody]byte
	header := buf[:headerSize]
	if n, err := w.read(header); err != nil {
		if s := strange(header[:n]); s != nil {
			err = fmt.Errorf("%w: %w", s, err)
		}
		return nil, err
	}
	got, length, err := w.readHeader(header)
	if err != nil {
		return nil, err
	}
	aborted := got == kindAbort && length <= maxReason
	if due := uint32(want.size() + macSize); !aborted && (got != want || length != due) {
		return nil, &MessageError{Got: got.String(), Length: length, Want: want.String(), Due: due}
	}
	body := buf[headerSize : headerSize+length]
	if _, err := w.read(body); err != nil {
		return nil, err
	}
	if aborted {
		return nil, &AbortError{Reason: cleanReason(string(body))}
	}
	return w.verify(header, body)
}

// strange is the error for a message that begins as none of the exchange does.
func strange(header []byte) error {
	if n := min(len(header), len(exchangeMagic)); string(header[:n]) != exchangeMagic[:n] {
		return fmt.Errorf("%w: it sent %q", ErrNotExchange, header)
	}
	return nil
}

// readHeader takes a header apart. What it says is not authenticated yet and may only lead to an error.
func (w *wire) readHeader(h []byte) (kind, uint32, error) {
	if err := strange(h); err != nil {
		return 0, 0, err
	}
	if v := binary.BigEndian.Uint16(h[4:]); v != exchangeVersion {
		return 0, 0, &VersionError{Ours: exchangeVersion, Theirs: v}
	}
	k, side := kind(h[6]), Side(h[7])
	if side == w.side {
		return 0, 0, fmt.Errorf("%w: %v", ErrSameSide, side)
	}
	if side != w.side.other() {
		return 0, 0, fmt.Errorf("%w: it calls itself %v", ErrNotExchange, side)
	}
	return k, binary.BigEndian.Uint32(h[8:]), nil
}

// verify checks the MAC at the end of a message and returns what stands before it.
func (w *wire) verify(header, body []byte) ([]byte, error) {
	data, sum := body[:len(body)-macSize], body[len(body)-macSize:]
	w.mac.Write(header)
	w.mac.Write(data)
	if !hmac.Equal(sum, w.mac.Sum(nil)) {
		return nil, ErrToken
	}
	w.mac.Write(sum)
	return data, nil
}

// read fills b from the stream and returns how far it came.
func (w *wire) read(b []byte) (int, error) {
	n, err := io.ReadFull(w.rw, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("the peer closed the connection: %w", io.ErrUnexpectedEOF)
	}
	w.broken = w.broken || err != nil
	return n, err
}

// write sends a whole message.
func (w *wire) write(b []byte) error {
	_, err := w.rw.Write(b)
	w.broken = w.broken || err != nil
	return err
}

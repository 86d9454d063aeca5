package verbs

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A tape is a peer whose bytes are known beforehand: it says them whatever it is told, and then closes.
type tape struct {
	says io.Reader
	told bytes.Buffer
}

func (t *tape) Read(b []byte) (int, error)  { return t.says.Read(b) }
func (t *tape) Write(b []byte) (int, error) { return t.told.Write(b) }

// fixedNonce offers a nonce that is known, so that each side of an exchange always says the same.
func fixedNonce(side Side) Offer {
	o := offerOf(side)
	o.Random = bytes.NewReader(bytes.Repeat([]byte{0xc0 + byte(side)}, nonceSize))
	return o
}

// handMade writes the six messages of an exchange from docs/exchange.md alone, without the code under test.
func handMade() (messages [6][]byte) {
	mac := hmac.New(sha256.New, bytes.Repeat([]byte{0x5a}, 32))
	seal := func(header, body string) []byte {
		b, err := hex.DecodeString(strings.ReplaceAll(header+body, " ", ""))
		if err != nil {
			panic(err)
		}
		mac.Write(b)
		sum := mac.Sum(nil)
		mac.Write(sum)
		return append(b, sum...)
	}
	messages[0] = seal("47545150 0001 01 01 00000040", strings.Repeat("c1", 32))
	messages[1] = seal("47545150 0001 01 02 00000040", strings.Repeat("c2", 32))
	messages[2] = seal("47545150 0001 02 01 00000058", "00000000000000000000ffff0a0a0104 0000 02 05 00000011 00abcdef 10 01 0000 00000000 00000000 0000000000000000 0000000000000000")
	messages[3] = seal("47545150 0001 02 02 00000058", "00000000000000000000ffff0a0a0103 0007 02 03 00fffffe 00000000 02 04 0000 deadbeef 00000000 00007f0011223344 0000000040000000")
	messages[4] = seal("47545150 0001 03 01 00000020", "")
	messages[5] = seal("47545150 0001 03 02 00000020", "")
	return messages
}

func clientSays() []byte { m := handMade(); return slices.Concat(m[0], m[2], m[4]) }
func serverSays() []byte { m := handMade(); return slices.Concat(m[1], m[3], m[5]) }

// Both sides must say and understand exactly the bytes of the document.
func TestBytesOfTheDocument(t *testing.T) {
	for _, side := range []Side{ClientSide, ServerSide} {
		says, hears := clientSays(), serverSays()
		if side == ServerSide {
			says, hears = hears, says
		}
		peer := &tape{says: bytes.NewReader(hears)}
		if _, err := Exchange(peer, fixedNonce(side), accept); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(hex.Dump(says), hex.Dump(peer.told.Bytes())); d != "" {
			t.Errorf("%v says (-want +got):\n%s", side, d)
		}
	}
}

// The dump in the repository shows what version 1 is, MACs included: when it changes, so must the version.
func TestGoldenBytes(t *testing.T) {
	var b strings.Builder
	for i, m := range handMade() {
		fmt.Fprintf(&b, "%v %v\n%s\n", []Side{ClientSide, ServerSide}[i%2], kind(1+i/2), hex.Dump(m))
	}
	golden := filepath.Join("testdata", "exchange.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Whatever bit is turned on the way to a side, in a header, a body or a MAC, that side refuses and connects nothing but what was agreed.
func TestEveryBitIsProtected(t *testing.T) {
	for _, side := range []Side{ClientSide, ServerSide} {
		whole := serverSays()
		if side == ServerSide {
			whole = clientSays()
		}
		for i := range whole {
			for bit := range 8 {
				altered := slices.Clone(whole)
				altered[i] ^= 1 << bit
				connected := false
				_, err := Exchange(&tape{says: bytes.NewReader(altered)}, fixedNonce(side), func(Agreement) error { connected = true; return nil })
				if err == nil {
					t.Fatalf("%v accepts with bit %d of byte %d turned", side, bit, i)
				}
				if ready := len(whole) - headerSize - macSize; connected && i < ready {
					t.Fatalf("%v connects with bit %d of byte %d turned", side, bit, i)
				}
			}
		}
	}
}

// A peer that closes after any number of bytes is an error of the stream that says so.
func TestEveryEarlyClose(t *testing.T) {
	for _, side := range []Side{ClientSide, ServerSide} {
		whole := serverSays()
		if side == ServerSide {
			whole = clientSays()
		}
		for n := range whole {
			peer := &tape{says: bytes.NewReader(whole[:n])}
			_, err := Exchange(peer, fixedNonce(side), accept)
			step := "read hello"
			if n >= 12+32+32 {
				step = "read card"
			}
			if n >= 12+32+32+12+56+32 {
				step = "read ready"
			}
			want := fmt.Sprintf("%v: exchange: %s: the peer closed the connection: unexpected EOF", side, step)
			if !errors.Is(err, io.ErrUnexpectedEOF) || err.Error() != want {
				t.Fatalf("after %d bytes: got %v, want %s", n, err, want)
			}
			if got := peer.told.Bytes(); bytes.Contains(got, []byte("closed")) {
				t.Fatalf("after %d bytes: a peer that is gone is told: %q", n, got)
			}
		}
	}
}

// What was heard once does not open a second exchange, in which this side's nonce is another.
func TestReplay(t *testing.T) {
	check := func(side Side, heard []byte, want string) {
		t.Helper()
		connect := func(Agreement) error { t.Errorf("%v connects", side); return nil }
		_, err := Exchange(&tape{says: bytes.NewReader(heard)}, offerOf(side), connect)
		if !errors.Is(err, ErrToken) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	check(ClientSide, serverSays(), "client: exchange: read hello: ")
	check(ServerSide, clientSays(), "server: exchange: read card: ")
}

// A stranger to whom the token is unknown learns nothing of the queue pair: neither card is sent before the other side is proved.
func TestStrangerLearnsNothing(t *testing.T) {
	for _, side := range []Side{ClientSide, ServerSide} {
		heard := serverSays()
		if side == ServerSide {
			heard = clientSays()
		}
		peer := &tape{says: bytes.NewReader(heard)}
		offer := offerOf(side)
		offer.Local.GID = serverQP().GID
		Exchange(peer, offer, accept)
		if gid := offer.Local.GID.As16(); bytes.Contains(peer.told.Bytes(), gid[:]) || peer.told.Len() == 0 {
			t.Errorf("%v shows its card: %x", side, peer.told.Bytes())
		}
	}
}

// An echo holds no token, and is told from a peer even if it claims to be the other side.
func TestReflection(t *testing.T) {
	var hello tape
	hello.says = strings.NewReader("")
	offer := fixedNonce(ClientSide)
	Exchange(&hello, offer, accept)
	back := hello.told.Bytes()
	_, err := Exchange(&tape{says: bytes.NewReader(back)}, fixedNonce(ClientSide), accept)
	if !errors.Is(err, ErrSameSide) || err.Error() != "client: exchange: read hello: both ends have the same side: client" {
		t.Errorf("got %v", err)
	}
	back[7] = byte(ServerSide)
	if _, err = Exchange(&tape{says: bytes.NewReader(back)}, fixedNonce(ClientSide), accept); !errors.Is(err, ErrToken) {
		t.Errorf("got %v", err)
	}
}

func TestReasons(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		if got := cleanReason(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		checkReason(t, cleanReason(in))
	}
	check("", "")
	check("cn0: no such device", "cn0: no such device")
	check(" a\r\n\tb\x00\x1b[2Jc\u202ed\u00a0e\xffµ ", "a b [2Jc d e µ")
	check(strings.Repeat("x", 600), strings.Repeat("x", 512))
	check(strings.Repeat("x", 511)+"µ", strings.Repeat("x", 511))
	if got := (&AbortError{}).Error(); got != "the peer gave up: it gave no reason" {
		t.Errorf("got %q", got)
	}
}

func TestToken(t *testing.T) {
	token, err := NewToken(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ParseToken(token.Hex()); err != nil || again != token || token == (Token{}) {
		t.Errorf("got %x back, %v", again[:], err)
	}
	for _, s := range []string{fmt.Sprint(token), fmt.Sprintf("%v %+v %#v %x %s %d", token, token, &token, token, token, token), fmt.Sprintf("%+v", Offer{Token: testToken})} {
		if strings.Contains(s, token.Hex()[:6]) || strings.Contains(s, "5a5a") || strings.Contains(s, "90") && strings.Contains(s, "[90") || !strings.Contains(s, "[token]") {
			t.Errorf("printed: %s", s)
		}
	}
	check := func(in, want string) {
		t.Helper()
		got, err := ParseToken(in)
		if err == nil || err.Error() != want || got != (Token{}) {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
	check("", "token: 0 characters, not 64")
	check(token.Hex()+"\n", "token: 65 characters, not 64")
	check(token.Hex()[:62]+"zz", "token: not hexadecimal")
	if got, err := NewToken(strings.NewReader("short")); !errors.Is(err, io.ErrUnexpectedEOF) || got != (Token{}) {
		t.Errorf("got %v", err)
	}
}

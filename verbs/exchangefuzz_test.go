package verbs

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Whatever a peer says that does not know the token, an exchange ends with the stream, without a queue pair and with a clean reason.
func FuzzExchange(f *testing.F) {
	for _, seed := range [][]byte{nil, clientSays(), serverSays(), []byte("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"),
		appendHeader(nil, kindCard, ServerSide, 1<<32-1), append(appendHeader(nil, kindAbort, ServerSide, 9), "no\x00 \xff\n\u202etoken"...)} {
		f.Add(true, seed)
		f.Add(false, seed)
	}
	f.Fuzz(func(t *testing.T, client bool, says []byte) {
		offer := offerOf(ServerSide)
		if client {
			offer = offerOf(ClientSide)
		}
		stream := bytes.NewReader(says)
		a, err := Exchange(&tape{says: stream}, offer, func(Agreement) error { t.Error("connects a stranger"); return nil })
		var e *ExchangeError
		if !errors.As(err, &e) || a != (Agreement{}) {
			t.Fatalf("got %+v, %v", a, err)
		}
		if read := len(says) - stream.Len(); read > 2*headerSize+maxBody+nonceSize+macSize {
			t.Errorf("%d bytes were read of a stranger", read)
		}
		var told *AbortError
		if errors.As(err, &told) {
			checkReason(t, told.Reason)
		}
	})
}

func checkReason(t *testing.T, s string) {
	t.Helper()
	if len(s) > maxReason || !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("not a clean reason: %q", s)
	}
}

// A card that passes for a queue pair is read and written alike; others are an error of the value that is wrong.
func FuzzCard(f *testing.F) {
	f.Add(clientQP().appendCard(nil))
	f.Add(serverQP().appendCard(nil))
	f.Add(make([]byte, cardSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) != cardSize {
			return
		}
		q := parseCard([cardSize]byte(b))
		if err := q.check(ServerSide); err != nil {
			var wrong *QueuePairError
			if !errors.As(err, &wrong) || wrong.Whose != ServerSide || wrong.Field == "" {
				t.Errorf("got %#v", err)
			}
			return
		}
		clear(b[30:32]) // reserved
		clear(b[36:40])
		if got := q.appendCard(nil); !bytes.Equal(got, b) {
			t.Errorf("got %x, want %x", got, b)
		}
		if q.QPN>>24 != 0 || q.PSN>>24 != 0 || q.Link == LinkEthernet && !q.GID.IsValid() {
			t.Errorf("passes: %+v", q)
		}
	})
}

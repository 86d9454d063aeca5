package verbs

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An ExchangeError reports the side on which an exchange failed, the step, and the cause. An error of the stream is passed
// through: a stall is compatible with errors.Is(err, os.ErrDeadlineExceeded), an early end with io.ErrUnexpectedEOF.
type ExchangeError struct {
	Side Side
	Step string // for instance "read hello"
	Err  error
}

func (e *ExchangeError) Error() string {
	return fmt.Sprintf("%v: exchange: %s: %v", e.Side, e.Step, e.Err)
}

// Unwrap returns the cause.
func (e *ExchangeError) Unwrap() error { return e.Err }

var (
	// ErrNotExchange says that the peer speaks something else.
	ErrNotExchange = errors.New("the peer does not speak the queue-pair exchange")
	// ErrSameSide says that both ends have the same part.
	ErrSameSide = errors.New("both ends have the same side")
	// ErrToken says that the peer did not prove that it holds the token of this side.
	ErrToken = errors.New("not authenticated: the two sides hold different tokens, or a message was altered or replayed")
)

// A VersionError reports a peer of another version of the exchange.
type VersionError struct{ Ours, Theirs uint16 }

func (e *VersionError) Error() string {
	return fmt.Sprintf("this side speaks version %d of the exchange, the peer version %d", e.Ours, e.Theirs)
}

// A MessageError reports a message of another kind or length than the one due. Its body was not read.
type MessageError struct {
	Got, Want   string // kinds of message
	Length, Due uint32 // bytes after the header, as claimed and as due
}

func (e *MessageError) Error() string {
	return fmt.Sprintf("the peer sent %s of %d bytes where %s of %d bytes is due", e.Got, e.Length, e.Want, e.Due)
}

// A QueuePairError says which value of a queue pair cannot be right, or does not suit the other side.
type QueuePairError struct {
	Whose Side
	Field string
	Msg   string
}

func (e *QueuePairError) Error() string {
	return fmt.Sprintf("%s of the %v: %s", e.Field, e.Whose, e.Msg)
}

// An AbortError is the reason that the peer gave before it gave up: the cause is there. The reason is for people; it is
// not authenticated.
type AbortError struct{ Reason string }

func (e *AbortError) Error() string {
	return "the peer gave up: " + cmp.Or(e.Reason, "it gave no reason")
}

// maxReason bounds the text of an abort message, in bytes.
const maxReason = 512

// cleanReason makes one line of printable text of at most maxReason bytes.
func cleanReason(s string) string {
	if len(s) > maxReason {
		s = s[:maxReason]
	}
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// An input is compared by its digest after values were taken out of it and all that is redacted was made equal (scrub). Beyond maxInput
// it is compared as it is.

// payload is the part of an input that counts: a pushed file is followed by its own digest, which says nothing more.
func payload(hint clusterenv.Hint, data []byte) []byte {
	if hint != clusterenv.HintFileIn || len(data) < 2*sha256.Size {
		return data
	}
	file, tail := data[:len(data)-2*sha256.Size], data[len(data)-2*sha256.Size:]
	if string(tail) != digest(file) {
		return data
	}
	return file
}

// recorded makes the Input of what was read.
func (s seenInput) recorded(hint clusterenv.Hint, opaque bool, red *redactor) Input {
	in := Input{Kind: InputDigest, Size: s.size, Digest: s.digest}
	switch {
	case s.none:
		return Input{Kind: InputNone}
	case opaque:
		in.Kind = InputOpaque
	case !s.whole:
		in.Kind = InputPartial
	case s.size <= maxInput:
		data := red.bytes(payload(hint, s.data), nil)
		scrubbed, _ := red.scrubRecorded(data)
		in.Size, in.Digest = int64(len(data)), digest(scrubbed)
		if len(data) <= keptInput {
			in.Kind, in.Data = InputKept, data
		}
	}
	if in.Size == 0 && in.Kind != InputPartial {
		return Input{Kind: InputNone}
	}
	return in
}

// asked are the digests by which an input may be known in a recording.
type asked struct {
	digests []string
	data    []byte // as it would be recorded, for the eye; nil if it is long
	size    int64
}

// readInput reads an input to its end.
func readInput(r io.Reader, hint clusterenv.Hint, values *Values, red *redactor) (asked, error) {
	if r == nil {
		return asked{}, nil
	}
	sum := sha256.New()
	data, err := io.ReadAll(io.TeeReader(io.LimitReader(r, maxInput+1), sum))
	if err != nil {
		return asked{}, err
	}
	if len(data) > maxInput {
		n, err := io.Copy(sum, r)
		return asked{digests: []string{hex.EncodeToString(sum.Sum(nil))}, size: int64(len(data)) + n}, err
	}
	plain := values.takeOut(payload(hint, data))
	asRecorded, _ := red.scrubRecorded(plain)
	foreign, _ := red.scrub(payload(hint, data))
	return asked{digests: []string{digest(asRecorded), digest(foreign)}, data: plain, size: int64(len(plain))}, nil
}

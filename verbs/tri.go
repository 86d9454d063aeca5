package verbs

import "fmt"

// Tri is the answer of a probe. The zero value is Unknown, so that a probe that was never made
// cannot pass for an answer.
type Tri uint8

// The three answers.
const (
	Unknown Tri = iota
	Yes
	No
)

func (t Tri) String() string {
	switch t {
	case Yes:
		return "yes"
	case No:
		return "no"
	default:
		return "unknown"
	}
}

// A Probe is an answer with its reason: the evidence for yes and no, what was missing for unknown.
type Probe struct {
	Answer Tri
	Reason string
}

func (p Probe) String() string {
	if p.Reason == "" {
		return p.Answer.String()
	}
	return p.Answer.String() + ": " + p.Reason
}

func yes(format string, a ...any) Probe     { return Probe{Yes, fmt.Sprintf(format, a...)} }
func no(format string, a ...any) Probe      { return Probe{No, fmt.Sprintf(format, a...)} }
func unknown(format string, a ...any) Probe { return Probe{Unknown, fmt.Sprintf(format, a...)} }

// MarshalText writes yes, no or unknown.
func (t Tri) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Package claims holds a paper's sentences to the numbers of a run. A file lists them (docs/claims.md): which cells, which metric,
// what is said about them, how exactly, and where in the paper it stands. Judging gives each of them a verdict, which is drawn from
// intervals, never from medians alone: what the reps cannot decide is too little data, and not support.
package claims

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// A File is a list of claims about one program.
type File struct {
	Name     string
	System   string            // the program that the claims are about; empty: any
	Recorded map[string]string // where absolute values were measured: cluster, profile, site, kind, hardware, or the name of a fact
	Claims   []Claim
}

// A Claim is one sentence of the paper. Exactly one of Order and Cell says what it is about.
type Claim struct {
	Line       int // of the file
	Text       string
	Paper      string // where it stands
	Experiment string
	Metric     string

	Cell  string   // whose value, or ratio to that of To, has the bounds
	To    string   // empty: the claim is about a value
	Order []string // cells by rising value

	Is, AtLeast, AtMost *float64
	Tolerance           Tolerance
	Level               float64 // that the interval must have at least, in (0, 1)
}

// DefaultLevel is the level that three reps give the interval of a median.
const DefaultLevel = 0.75

// A Tolerance is by how much a number may miss: an amount in the metric's unit, or a part of the claimed number.
type Tolerance struct {
	Amount   float64
	Relative bool
}

// of returns the amount for a claimed number.
func (t Tolerance) of(claimed float64) float64 {
	if t.Relative {
		return math.Abs(claimed) * t.Amount
	}
	return t.Amount
}

func (t Tolerance) String() string {
	switch {
	case t.Amount == 0:
		return ""
	case t.Relative:
		return fmt.Sprintf(" ± %v %%", math.Round(t.Amount*1e6)/1e4)
	}
	return " ± " + render.FormatFull(t.Amount)
}

// absolute reports whether the claim is about a number that depends on the hardware.
func (c *Claim) absolute() bool { return c.To == "" && c.Order == nil }

// oneSided reports whether only one end of the interval matters.
func (c *Claim) oneSided() bool { return c.Is == nil }

// bounds are the smallest and the largest number that the claim allows.
func (c *Claim) bounds() (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if c.Is != nil {
		lo, hi = *c.Is-c.Tolerance.of(*c.Is), *c.Is+c.Tolerance.of(*c.Is)
	}
	if c.AtLeast != nil {
		lo = *c.AtLeast - c.Tolerance.of(*c.AtLeast)
	}
	if c.AtMost != nil {
		hi = *c.AtMost + c.Tolerance.of(*c.AtMost)
	}
	return lo, hi
}

// Statement is what the claim says, in signs: "commit_kops: full_v27 ÷ baseline ≥ 1.5".
func (c *Claim) Statement() string {
	var b strings.Builder
	b.WriteString(c.Metric + ": ")
	if c.Order != nil {
		b.WriteString(strings.Join(c.Order, " < ") + c.Tolerance.String())
	} else {
		b.WriteString(c.Cell)
		if c.To != "" {
			b.WriteString(" ÷ " + c.To)
		}
		for _, part := range []struct {
			sign  string
			value *float64
		}{{"=", c.Is}, {"≥", c.AtLeast}, {"≤", c.AtMost}} {
			if part.value != nil {
				fmt.Fprintf(&b, " %s %s", part.sign, render.FormatFull(*part.value))
			}
		}
		b.WriteString(c.Tolerance.String())
	}
	if c.Level != DefaultLevel {
		b.WriteString(" at " + stats.FormatLevel(c.Level))
	}
	return b.String()
}

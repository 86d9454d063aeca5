package claims

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/page"
	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// badges are the colours of the verdicts.
var badges = map[string]page.Badge{
	string(Supported): page.Good, string(NotSupported): page.Bad, string(TooLittle): page.Doubt, string(NotComparable): page.Doubt,
}

// Document is the table of verdicts.
func Document(f *File, list []Judgement) *page.Document {
	g := &render.Grid{Title: "Claims and what the runs say", Label: "claims", Right: -1,
		Head: []string{"no.", "where", "verdict", "claimed", "measured [interval]", "level", "n", "run", "claim"}}
	for _, j := range list {
		g.Rows = append(g.Rows, []string{fmt.Sprint(j.Number), orDash(j.Claim.Paper), string(j.Verdict), j.Claim.Statement(), j.measured(),
			j.level(), j.n(), orDash(j.Run), j.Claim.Text})
		if j.Reason != "" {
			g.Notes = append(g.Notes, fmt.Sprintf("Claim %d (%s:%d)%s: %s: %s.", j.Number, f.Name, j.Claim.Line, in(j.Run), j.Verdict, j.Reason))
		}
	}
	g.Notes = append(g.Notes, "A claim is supported if the whole interval agrees with it, not supported if the whole interval speaks against it; else there is too "+
		"little data. The level is that at which the claim follows from its intervals, all steps of an order together.")
	return &page.Document{Title: "Claims of " + f.Name, Intro: []string{Tally(list)},
		Sections: []page.Section{{Title: "Verdicts", Grid: g, Narrow: narrow(g, list), Badges: badges}}}
}

// narrow is the table for a page: what was claimed and measured stands in its notes.
func narrow(g *render.Grid, list []Judgement) *render.Grid {
	n := &render.Grid{Title: g.Title, Label: g.Label, Right: -1, Head: []string{"no.", "where", "verdict", "claim"}}
	for _, j := range list {
		n.Rows = append(n.Rows, []string{fmt.Sprint(j.Number), orDash(j.Claim.Paper), string(j.Verdict), j.Claim.Text})
		n.Notes = append(n.Notes, fmt.Sprintf("%d. %s. Measured%s: %s, level %s, n %s.", j.Number, j.Claim.Statement(), in(j.Run), j.measured(), j.level(), j.n()))
	}
	n.Notes = append(n.Notes, g.Notes...)
	return n
}

// Tally counts the verdicts: "5 supported, 1 not supported".
func Tally(list []Judgement) string {
	var parts []string
	for _, v := range []Verdict{Supported, NotSupported, TooLittle, NotComparable} {
		if n := Count(list, v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}

func in(run string) string {
	if run == "" {
		return ""
	}
	return " in " + run
}

func orDash(s string) string {
	if s == "" {
		return "—"
	}
	return s
}

// measured prints what was measured, by step.
func (j *Judgement) measured() string {
	var parts []string
	for _, m := range j.Measures {
		text := m.interval()
		if j.Claim.Order != nil {
			text = m.What + " " + text
		}
		parts = append(parts, text)
	}
	return orDash(strings.Join(parts, ", "))
}

func (j *Judgement) level() string {
	if j.Level == 0 {
		return "—"
	}
	return stats.FormatLevel(j.Level)
}

func (j *Judgement) n() string {
	var parts []string
	for _, m := range j.Measures {
		if m.N != "" && (len(parts) == 0 || parts[len(parts)-1] != m.N) {
			parts = append(parts, m.N)
		}
	}
	return orDash(strings.Join(parts, "; "))
}

// WriteCSV writes a line for each measure, in full precision.
func WriteCSV(w io.Writer, f *File, list []Judgement) error {
	g := render.Grid{Head: []string{"number", "line", "claim", "paper", "experiment", "claimed", "run", "verdict", "measure", "value", "lo", "hi", "interval_level", "n", "level", "reason"}}
	for _, j := range list {
		measures := j.Measures
		if len(measures) == 0 {
			measures = []Measure{{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}}
		}
		for _, m := range measures {
			g.Rows = append(g.Rows, []string{fmt.Sprint(j.Number), fmt.Sprintf("%s:%d", f.Name, j.Claim.Line), j.Claim.Text, j.Claim.Paper, j.Claim.Experiment,
				j.Claim.Statement(), j.Run, string(j.Verdict), m.What, render.FormatFull(m.Value), render.FormatFull(m.Lo), render.FormatFull(m.Hi),
				positive(m.Level), m.N, positive(j.Level), j.Reason})
		}
	}
	return g.WriteCSV(w)
}

func positive(v float64) string {
	if v == 0 {
		return ""
	}
	return render.FormatFull(v)
}

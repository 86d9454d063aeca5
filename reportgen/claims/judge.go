package claims

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
	"github.com/gotestbed/gotestbed/reportgen/stats"
)

// A Verdict says what a run's numbers mean for a claim.
type Verdict string

// The verdicts. NotComparable is about another program, or an absolute value on other hardware.
const (
	Supported     Verdict = "supported"
	NotSupported  Verdict = "not supported"
	TooLittle     Verdict = "too little data"
	NotComparable Verdict = "not comparable"
)

// A Judgement is the verdict on one claim by one run.
type Judgement struct {
	Claim    *Claim
	Number   int    // of the claim, from 1
	Run      string // empty if no run has the experiment
	Verdict  Verdict
	Measures []Measure // one, or for an order one for each step
	Level    float64   // at which all measures hold together; 0 if one has no interval
	Reason   string    // for a verdict other than Supported, and for doubts
}

// A Measure is what the run has for a claim.
type Measure struct {
	What   string // full_v27 ÷ baseline
	Value  float64
	Lo, Hi float64 // NaN if there is no interval
	Level  float64 // of the interval, 0 if there is none
	N      string  // reps: 3, or 3 and 6
	Reason string  // why there is no value or no interval
}

// Judge holds the claims to every run that has the experiment.
func (f *File) Judge(runs []*results.Run) []Judgement {
	var list []Judgement
	for i := range f.Claims {
		c := &f.Claims[i]
		found := false
		for _, run := range runs {
			if exp := find(run, c.Experiment); exp != nil {
				found = true
				j := f.judge(c, run, exp)
				j.Claim, j.Number, j.Run = c, i+1, run.ID
				list = append(list, j)
			}
		}
		if !found {
			list = append(list, Judgement{Claim: c, Number: i + 1, Verdict: TooLittle, Reason: "no run has the experiment " + c.Experiment})
		}
	}
	return list
}

// find looks for the experiment by its name, or by that of its test: results.txt knows no other.
func find(run *results.Run, name string) *results.Experiment {
	for i := range run.Experiments {
		if e := &run.Experiments[i]; e.Name == name || e.Test == name {
			return e
		}
	}
	return nil
}

func (f *File) judge(c *Claim, run *results.Run, exp *results.Experiment) Judgement {
	if f.System != "" && run.System != f.System {
		if run.System == "" {
			return Judgement{Verdict: NotComparable, Reason: "the claim is about " + f.System + "; the run did not record its program"}
		}
		return Judgement{Verdict: NotComparable, Reason: fmt.Sprintf("the claim is about %s, the run is of %s", f.System, run.System)}
	}
	j := Judgement{Measures: c.measure(values(run, exp, c.Metric))}
	j.decide(c)
	if !c.absolute() {
		return j
	}
	comparable, why := f.comparable(run)
	if !comparable {
		j.Verdict = NotComparable
	}
	if why != "" {
		j.Reason = strings.TrimPrefix(j.Reason+"; "+why, "; ")
	}
	return j
}

// values are those of the used attempts, by cell; a cell without any is absent.
func values(run *results.Run, exp *results.Experiment, metric string) map[string][]float64 {
	list := map[string][]float64{}
	for _, r := range render.NewTable(run, exp).Rows {
		for _, a := range r.Used {
			if m, ok := a.Metrics[metric]; ok {
				list[r.Cell.Name] = append(list[r.Cell.Name], m.Value)
			}
		}
	}
	return list
}

// measure returns what the claim is about: a median, a ratio, or the ratio of each step of an order to the one before.
func (c *Claim) measure(cells map[string][]float64) []Measure {
	switch {
	case c.Order != nil:
		var list []Measure
		for i, cell := range c.Order[1:] {
			list = append(list, ratio(cells, c.Order[i], cell))
		}
		return list
	case c.To != "":
		return []Measure{ratio(cells, c.To, c.Cell)}
	}
	return []Measure{median(cells, c.Cell)}
}

func ratio(cells map[string][]float64, base, cell string) Measure {
	m := Measure{What: cell + " ÷ " + base, Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	for _, name := range []string{base, cell} {
		if len(cells[name]) == 0 {
			m.Reason = "no value of " + name
			return m
		}
	}
	d := stats.Compare(cells[base], cells[cell])
	m.N = fmt.Sprintf("%d and %d", d.N, d.NBase)
	if d.N == d.NBase {
		m.N = fmt.Sprint(d.N)
	}
	if d.HasValue() {
		m.Value = factor(d.Percent)
	}
	if d.HasInterval() {
		m.Lo, m.Hi, m.Level = factor(d.Lo), factor(d.Hi), d.Level
	} else {
		m.Reason = strings.Join(d.Warnings, "; ")
	}
	return m
}

// factor turns a difference in percent back into a ratio.
func factor(percent float64) float64 { return 1 + percent/100 }

func median(cells map[string][]float64, cell string) Measure {
	s := stats.Summarize(cells[cell])
	m := Measure{What: cell, Value: s.Median, Lo: s.Lo, Hi: s.Hi, Level: s.Level, N: fmt.Sprint(s.N)}
	if len(cells[cell]) == 0 {
		m.Reason = "no value of " + cell
	} else if !s.HasInterval() {
		m.Reason = strings.Join(s.Warnings, "; ")
	}
	return m
}

// decide draws the verdict from the intervals. An order is refuted by one step that goes the other way.
func (j *Judgement) decide(c *Claim) {
	lo, hi := c.bounds()
	if c.Order != nil {
		lo = 1 - c.Tolerance.Amount
	}
	missing := 0.0 // chance that one of the intervals misses
	var open, refuted []string
	for _, m := range j.Measures {
		level := m.confidence(c)
		missing += 1 - level
		text := fmt.Sprintf("%s is %s", m.What, m.interval())
		against := m.Hi < lo || m.Lo > hi || c.Order != nil && m.Hi <= lo
		switch {
		case level == 0:
			open = append(open, m.Reason)
		case against && level >= c.Level-rounding:
			refuted = append(refuted, text)
		case against:
			open = append(open, fmt.Sprintf("%s, which speaks against it, but at %s only", text, stats.FormatLevel(level)))
		case m.Lo < lo || m.Hi > hi || c.Order != nil && m.Lo <= lo:
			open = append(open, text+": that may be so or not")
		}
	}
	j.Level = max(0, 1-missing)
	j.conclude(c, open, refuted)
}

// rounding is what the sum of a few levels may be off.
const rounding = 1e-9

func (j *Judgement) conclude(c *Claim, open, refuted []string) {
	switch {
	case len(refuted) > 0:
		j.Verdict, j.Reason = NotSupported, strings.Join(refuted, "; ")
	case len(open) > 0:
		j.Verdict, j.Reason = TooLittle, strings.Join(open, "; ")
	case j.Level < c.Level-rounding:
		j.Verdict = TooLittle
		j.Reason = fmt.Sprintf("the reps say so at %s, and %s is asked for", stats.FormatLevel(j.Level), stats.FormatLevel(c.Level))
	default:
		j.Verdict = Supported
	}
}

// confidence is at which level the claim follows from the interval. Of a ratio that must be on one side of a number, only one
// end of the interval can miss; its two ends miss equally often. The interval of a median may be lopsided, and is taken whole.
func (m *Measure) confidence(c *Claim) float64 {
	if m.Level == 0 || c.absolute() || !c.oneSided() || c.AtLeast != nil && c.AtMost != nil {
		return m.Level
	}
	return 1 - (1-m.Level)/2
}

func (m *Measure) interval() string {
	if m.Level == 0 {
		return digits(m.Value)
	}
	return fmt.Sprintf("%s [%s, %s]", digits(m.Value), digits(m.Lo), digits(m.Hi))
}

func digits(v float64) string {
	if math.IsNaN(v) {
		return "—"
	}
	return render.FormatNumber(v, 4)
}

// Count returns how many judgements have the verdict.
func Count(list []Judgement, v Verdict) int {
	n := 0
	for _, j := range list {
		if j.Verdict == v {
			n++
		}
	}
	return n
}

// Hold reports whether a check of the claims passes: all that can be compared are supported, and there is one.
func Hold(list []Judgement) bool {
	return Count(list, NotSupported) == 0 && Count(list, TooLittle) == 0 && Count(list, Supported) > 0
}

package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// A Fault is a finding with all the places and attempts in which it was made.
type Fault struct {
	results.Finding          // the first one: its evidence is that of the first attempt and place
	Places          []string // processes and nodes; the same in every attempt
	Attempts        []NotUsed
}

// faultKey names what makes the findings of two attempts the same: everything but their evidence.
type faultKey struct {
	fault, cause, cure, follows, places string
	certain                             bool
}

func (f *Fault) key() faultKey {
	return faultKey{f.Fault, f.Cause, f.Cure, f.Follows, strings.Join(f.Places, "\n"), f.Certain}
}

// faultsOf collects the findings of the attempts that were not used, each once, in the order of the attempts. A finding that
// follows from another one comes after it.
func faultsOf(list []NotUsed) []Fault {
	var faults []Fault
	at := map[faultKey]int{}
	for _, n := range list {
		for _, f := range faultsIn(n) {
			if i, known := at[f.key()]; known {
				faults[i].Attempts = append(faults[i].Attempts, n)
				continue
			}
			at[f.key()] = len(faults)
			faults = append(faults, f)
		}
	}
	return effectsLast(faults)
}

// faultsIn collects the findings of one attempt: what several processes or nodes have in common is one fault.
func faultsIn(n NotUsed) []Fault {
	var faults []Fault
	at := map[faultKey]int{}
	for _, finding := range n.Attempt.Findings {
		f := Fault{Finding: finding, Attempts: []NotUsed{n}}
		i, known := at[f.key()] // as yet without places
		if !known {
			i = len(faults)
			at[f.key()] = i
			faults = append(faults, f)
		}
		if p := place(finding); p != "" && !slices.Contains(faults[i].Places, p) {
			faults[i].Places = append(faults[i].Places, p)
		}
	}
	return faults
}

// same reports whether o is the same attempt.
func (n NotUsed) same(o NotUsed) bool {
	return n.Cell.Name == o.Cell.Name && n.First == o.First && n.Try == o.Try
}

// effectsLast puts each fault that follows from another one behind the first fault of that name that it shares an attempt
// with. One whose cause is not there keeps its place.
func effectsLast(faults []Fault) []Fault {
	placed := make([]bool, len(faults))
	var sorted []Fault
	var put func(i int)
	put = func(i int) {
		placed[i] = true
		sorted = append(sorted, faults[i])
		for j := range faults {
			if !placed[j] && faults[j].followsFrom(&faults[i]) {
				put(j)
			}
		}
	}
	for i := range faults {
		caused := slices.ContainsFunc(faults, func(f Fault) bool { return faults[i].followsFrom(&f) })
		if !placed[i] && !caused {
			put(i)
		}
	}
	for i := range faults { // that follow from each other
		if !placed[i] {
			put(i)
		}
	}
	return sorted
}

func (f *Fault) followsFrom(cause *Fault) bool {
	return f.Follows != "" && f.Follows == cause.Fault && f.Fault != cause.Fault &&
		slices.ContainsFunc(f.Attempts, func(n NotUsed) bool { return slices.ContainsFunc(cause.Attempts, n.same) })
}

// place is the process or the node that has the fault: "client on mn", or one of them.
func place(f results.Finding) string {
	if f.Process != "" && f.Node != "" && f.Process != f.Node {
		return f.Process + " on " + f.Node
	}
	return cmp.Or(f.Process, f.Node)
}

// maxNamed is how many attempts are named with a fault; the rest is counted.
const maxNamed = 6

// attempts names the attempts: "+a2 rep 0, 1; full_v27 rep 2 (try 1)". A try is named where the rep has several.
func (f *Fault) attempts(several func(NotUsed) bool) string {
	var b strings.Builder
	last := ""
	for i, n := range f.Attempts[:min(len(f.Attempts), maxNamed)] {
		switch {
		case n.Cell.Name == last:
			b.WriteString(", ")
		case i > 0:
			b.WriteString("; ")
			fallthrough
		default:
			b.WriteString(short(labelOf(n.Cell)) + " rep ")
		}
		last = n.Cell.Name
		b.WriteString(n.reps())
		if several(n) {
			fmt.Fprintf(&b, " (try %d)", n.Try)
		}
	}
	if more := len(f.Attempts) - maxNamed; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

// severalTries reports whether the rep of an attempt was tried more than once.
func (t *Table) severalTries(n NotUsed) bool {
	if n.Try > 1 {
		return true
	}
	other := func(o NotUsed) bool { return o.Cell.Name == n.Cell.Name && o.First == n.First && o.Try != n.Try }
	if slices.ContainsFunc(t.NotUsed, other) {
		return true
	}
	for _, r := range t.Rows {
		for _, a := range r.Used {
			if r.Cell.Name == n.Cell.Name && a.Rep == n.First {
				return true
			}
		}
	}
	return false
}

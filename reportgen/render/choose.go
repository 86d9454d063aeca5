package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// choose splits the attempts of a cell. Of each rep the last try that passed is used; all others, and the planned reps that
// have no attempt, are returned as not used.
func choose(cell results.Cell, reps int, attempts []results.Attempt) (used []results.Attempt, notUsed []NotUsed) {
	attempts = slices.DeleteFunc(slices.Clone(attempts), func(a results.Attempt) bool { return a.Verdict == results.NotRun && a.Rep < reps })
	slices.SortStableFunc(attempts, func(a, b results.Attempt) int {
		return cmp.Or(cmp.Compare(a.Rep, b.Rep), cmp.Compare(a.Try, b.Try))
	})
	next := 0 // the first rep not accounted for
	for len(attempts) > 0 {
		rep := attempts[0].Rep
		n := 1
		for n < len(attempts) && attempts[n].Rep == rep {
			n++
		}
		notUsed = appendNotRun(notUsed, cell, next, min(rep, reps)-1)
		u, others := chooseTry(cell, attempts[:n])
		used, notUsed = append(used, u...), append(notUsed, others...)
		next, attempts = rep+1, attempts[n:]
	}
	return used, appendNotRun(notUsed, cell, next, reps-1)
}

// chooseTry picks the last passed one of the tries of one rep.
func chooseTry(cell results.Cell, tries []results.Attempt) (used []results.Attempt, notUsed []NotUsed) {
	last := -1
	for i, a := range tries {
		if a.Verdict == results.Pass {
			last = i
		}
	}
	for i, a := range tries {
		if i == last {
			used = append(used, a)
			continue
		}
		if a.Verdict == results.Pass {
			a.Reason = fmt.Sprintf("superseded by try %d", tries[last].Try)
		}
		notUsed = append(notUsed, NotUsed{Cell: cell, First: a.Rep, Last: a.Rep, Try: a.Try, Attempt: a})
	}
	return used, notUsed
}

func appendNotRun(list []NotUsed, cell results.Cell, first, last int) []NotUsed {
	if first > last {
		return list
	}
	never := results.Attempt{Cell: cell.Name, Rep: first, Position: -1, Verdict: results.NotRun}
	return append(list, NotUsed{Cell: cell, First: first, Last: last, Attempt: never})
}

// reps is how the entry's reps are printed: 1, or 0-2.
func (n NotUsed) reps() string {
	if n.First == n.Last {
		return fmt.Sprint(n.First)
	}
	return fmt.Sprintf("%d-%d", n.First, n.Last)
}

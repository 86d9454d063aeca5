package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// choose splits the attempts of a cell. Of each rep the last try that passed is used; all others are returned as not used,
// and so are the reps that were planned and never started, runs of them as one entry.
func choose(cell results.Cell, attempts []results.Attempt) (used []results.Attempt, notUsed []NotUsed) {
	attempts = slices.Clone(attempts)
	slices.SortStableFunc(attempts, func(a, b results.Attempt) int {
		return cmp.Or(cmp.Compare(a.Rep, b.Rep), cmp.Compare(a.Try, b.Try))
	})
	for len(attempts) > 0 {
		n := 1
		for n < len(attempts) && attempts[n].Rep == attempts[0].Rep {
			n++
		}
		started := slices.DeleteFunc(slices.Clone(attempts[:n]), func(a results.Attempt) bool { return a.Verdict == results.NotRun })
		if len(started) == 0 {
			notUsed = appendNotRun(notUsed, cell, attempts[0])
		} else {
			u, others := chooseTry(cell, started)
			used, notUsed = append(used, u...), append(notUsed, others...)
		}
		attempts = attempts[n:]
	}
	return used, notUsed
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

// appendNotRun adds a rep that was never started, to the entry before it if that is one of the same kind.
func appendNotRun(list []NotUsed, cell results.Cell, a results.Attempt) []NotUsed {
	if n := len(list); n > 0 {
		last := &list[n-1]
		if last.Attempt.Verdict == results.NotRun && last.Attempt.Reason == a.Reason && last.Last+1 == a.Rep {
			last.Last = a.Rep
			return list
		}
	}
	return append(list, NotUsed{Cell: cell, First: a.Rep, Last: a.Rep, Attempt: a})
}

// reps is how the entry's reps are printed: 1, or 0-2.
func (n NotUsed) reps() string {
	if n.First == n.Last {
		return fmt.Sprint(n.First)
	}
	return fmt.Sprintf("%d-%d", n.First, n.Last)
}

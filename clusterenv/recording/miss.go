package recording

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// miss makes the error for a question without an answer; r.mu is held.
func (r *Replay) miss(q *question, reason string) error {
	e := &MissError{Recording: r.dir, Node: q.node, Scope: q.scope, Reason: reason}
	r.missed = append(r.missed, e)
	asked := describe(q.canonical, q.input.size, q.input.data)
	e.Request = strings.Join(asked, "\n")
	if _, ok := r.scopes[q.scope]; !ok {
		e.never = true
		e.Reason = "nothing was ever recorded in this scope; record it: " + remedy(r.dir, r.header.Tag)
		return e
	}
	if near := r.nearest(q, asked); near != nil {
		e.Nearest = strings.Join(near, "\n")
		e.Diff = strings.Join(diff(near, asked), "\n")
		if e.Diff == "" {
			e.Diff = "none"
		}
	}
	return e
}

// Missed lists the requests that were asked and are not in the recording, in the order in which they were asked.
func (r *Replay) Missed() []*MissError {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.missed)
}

// nearest is the recorded request of the same scope and node that has most lines in common with the asked one; of several, one that was
// not asked yet.
func (r *Replay) nearest(q *question, asked []string) []string {
	g := r.groups[groupKey{q.scope, q.node}]
	if g == nil {
		return nil
	}
	var best []string
	top := -1
	for _, e := range g.entries {
		lines := describe(e.Argv, e.Input.Size, e.Input.Data)
		score := 4*inCommon(lines, asked) - 2*len(lines)
		if nameOf(e.Argv) == nameOf(q.canonical) {
			score += 2
		}
		if !e.asked {
			score++
		}
		if best == nil || score > top {
			best, top = lines, score
		}
	}
	return best
}

// inCommon counts the lines that two texts have in common, wherever they stand.
func inCommon(a, b []string) int {
	count := map[string]int{}
	for _, line := range a {
		count[line]++
	}
	n := 0
	for _, line := range b {
		if count[line] > 0 {
			count[line]--
			n++
		}
	}
	return n
}

// describe shows a request, an argument or a line of one on a line.
func describe(argv []string, size int64, input []byte) []string {
	var lines []string
	for i, arg := range argv {
		if !strings.Contains(arg, "\n") {
			lines = append(lines, fmt.Sprintf("argument %d: %s", i, quoteUnlessPlain(arg)))
			continue
		}
		lines = append(lines, fmt.Sprintf("argument %d:", i))
		lines = append(lines, block(arg)...)
	}
	switch {
	case size == 0:
	case input == nil:
		lines = append(lines, fmt.Sprintf("input: %d bytes", size))
	default:
		lines = append(lines, fmt.Sprintf("input: %d bytes:", size))
		lines = append(lines, block(string(input))...)
	}
	return lines
}

func block(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, "  | "+quoteUnlessPlain(strings.TrimSuffix(line, "\n")))
	}
	return lines
}

// quoteUnlessPlain keeps a terminal from being changed by what stands in a request.
func quoteUnlessPlain(s string) string {
	plain := utf8.ValidString(s) && !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
	if plain && s != "" {
		return s
	}
	return fmt.Sprintf("%q", s)
}

func indent(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }

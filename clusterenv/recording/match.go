package recording

import (
	"fmt"
	"slices"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// A question is a request on replay.
type question struct {
	scope, node string
	argv        []string // as it is asked
	hint        clusterenv.Hint
	canonical   []string // with placeholders
	input       asked
}

func (r *Replay) question(scope, node string, cmd clusterenv.Command) *question {
	q := &question{scope: scope, node: node, argv: cmd.Argv, hint: cmd.Hint}
	for _, arg := range cmd.Argv {
		q.canonical = append(q.canonical, string(r.values.takeOut([]byte(arg))))
	}
	return q
}

// candidates are the recorded requests with this command line, in order.
func (r *Replay) candidates(q *question) []*entry {
	g := r.groups[groupKey{q.scope, q.node}]
	if g == nil {
		return nil
	}
	if list := g.byArgv[argvKey(q.canonical)]; len(list) > 0 {
		return list
	}
	var key []string
	foreign := false
	for _, arg := range q.argv {
		scrubbed, f := r.red.scrub([]byte(arg))
		key = append(key, string(scrubbed))
		foreign = foreign || f
	}
	if !foreign {
		return nil
	}
	var list []*entry
	for _, e := range g.entries {
		if slices.EqualFunc(e.Argv, key, func(recorded, want string) bool {
			scrubbed, _ := r.red.scrubRecorded([]byte(recorded))
			return string(scrubbed) == want
		}) {
			list = append(list, e)
		}
	}
	return list
}

// blind returns the next answer if it does not depend on an input, which may never end.
func (r *Replay) blind(q *question) *entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.candidates(q) {
		if e.asked {
			continue
		}
		if e.Input.Kind == InputPartial || e.End.AtStart {
			r.take(e)
			return e
		}
		return nil
	}
	return nil
}

// match returns the first request that was recorded and not asked yet, or a *MissError.
func (r *Replay) match(q *question) (*entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	candidates := r.candidates(q)
	used := 0
	for _, e := range candidates {
		switch {
		case !e.Input.matches(q.input):
		case e.asked:
			used++
		default:
			r.take(e)
			return e, nil
		}
	}
	switch {
	case used > 0:
		return nil, r.miss(q, fmt.Sprintf("asked more often than the %d times that were recorded", used))
	case len(candidates) > 0:
		return nil, r.miss(q, "its input differs")
	}
	return nil, r.miss(q, "no such request")
}

func (r *Replay) take(e *entry) {
	e.asked = true
	r.scopes[e.Scope].change()
}

func (in *Input) matches(a asked) bool {
	switch in.Kind {
	case InputOpaque, InputPartial:
		return true
	case InputNone:
		return a.size == 0
	}
	return slices.Contains(a.digests, in.Digest)
}

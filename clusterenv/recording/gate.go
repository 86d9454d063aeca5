package recording

import (
	"context"
	"time"
)

// A scope is what was asked in one scope, of all nodes.
//
// Answers come at once, with one exception. A request that lasted until something else on its node ended, such as the wait for a
// daemon, must not be answered before that could have happened: the test would see a process end that it has not yet told to.
// It is held until all that was asked during it in the recorded run has been asked again, and those that ended before it have
// been answered.
type scope struct {
	entries []*entry
	held    []*entry
	changed chan struct{} // closed and replaced when a request is asked or a held one is answered
}

// change wakes all that are held; the replay's mu is held.
func (s *scope) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// free reports whether e may be answered; the replay's mu is held.
func (s *scope) free(e *entry) bool {
	for _, h := range s.held {
		if h.Ended < e.Ended {
			return false
		}
	}
	for _, q := range s.entries {
		if !q.asked && q.Began > e.Began && q.Began < e.Ended {
			return false
		}
	}
	return true
}

// first reports whether e is the first of those held to have ended.
func (s *scope) first(e *entry) bool {
	for _, h := range s.held {
		if h.Ended < e.Ended {
			return false
		}
	}
	return true
}

// hold returns when e may be answered, or with the cause of ctx's end. The answer is to be followed by answered.
func (r *Replay) hold(ctx context.Context, e *entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.scopes[e.Scope]
	s.held = append(s.held, e)
	for !s.free(e) {
		changed := s.changed
		r.mu.Unlock()
		late := time.NewTimer(r.Patience)
		expired := false
		select {
		case <-changed:
		case <-late.C:
			expired = true
		case <-ctx.Done():
		}
		late.Stop()
		r.mu.Lock()
		if ctx.Err() != nil {
			r.drop(s, e)
			return context.Cause(ctx)
		}
		if expired && changed == s.changed && s.first(e) {
			return nil
		}
	}
	return nil
}

// apart is the time between two answers to requests that were held. Were there none, the goroutines that get them might tell the test
// in the other order.
const apart = time.Millisecond

// answered says that a request that was held has its answer.
func (r *Replay) answered(e *entry) {
	time.AfterFunc(apart, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.drop(r.scopes[e.Scope], e)
	})
}

func (r *Replay) drop(s *scope, e *entry) {
	for i, h := range s.held {
		if h == e {
			s.held = append(s.held[:i:i], s.held[i+1:]...)
			break
		}
	}
	s.change()
}

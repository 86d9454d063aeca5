package recording

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// patience is how long a request that waited for others in the recorded run is held back for them.
const patience = 5 * time.Second

// A Replay is the recording of one top-level test, opened. Each request in it answers once. It is safe for concurrent use.
type Replay struct {
	// Patience bounds how long a request that lasted until something else ended (clusterenv.HintEnd) waits for the requests that were
	// made meanwhile in the recorded run, after the last request of its scope. It is used up only when those are no longer made.
	// Set it before the first request; default 5 s.
	Patience time.Duration

	dir    string
	header Header
	spec   *clusterenv.Spec
	values Values
	red    *redactor

	mu     sync.Mutex
	groups map[groupKey]*group
	scopes map[string]*scope
	missed []*MissError
}

type groupKey struct{ scope, node string }

// A group is what was asked of one node in one scope, in order.
type group struct {
	entries []*entry
	byArgv  map[string][]*entry
}

// An entry is a recorded request and what became of it on replay.
type entry struct {
	*Request
	node  string
	asked bool
}

// Open opens a directory that a Recorder has written, as in testdata/recordings/TestStep6. One that does not exist is an error
// compatible with errors.Is(err, ErrNeverRecorded); one that is damaged, or not of this version, is a *FormatError.
func Open(dir string) (*Replay, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, neverRecorded(dir)
	}
	if err != nil {
		return nil, err
	}
	r := &Replay{Patience: patience, dir: dir, groups: map[groupKey]*group{}, scopes: map[string]*scope{}}
	text, err := r.readSpec()
	if err != nil {
		return nil, err
	}
	for _, n := range r.spec.Nodes {
		if err := r.readNode(n.Name, digest(text)); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		if _, known := r.spec.Node(f.Name()); !known && f.Name() != specFile {
			return nil, r.bad(f.Name(), 0, "does not belong to a recording: no node of %s is called so", specFile)
		}
	}
	r.prepare()
	return r, nil
}

func (r *Replay) bad(name string, offset int64, format string, args ...any) error {
	return &FormatError{File: filepath.Join(r.dir, name), Offset: offset, Msg: fmt.Sprintf(format, args...), Remedy: remedy(r.dir, r.header.Tag)}
}

func (r *Replay) readSpec() ([]byte, error) {
	text, err := readFile(filepath.Join(r.dir, specFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, r.bad(specFile, 0, "is missing: not a recording, or not all of it")
	}
	if err != nil {
		return nil, err
	}
	r.spec, err = clusterenv.Parse(specFile, text)
	if err != nil {
		return nil, r.bad(specFile, 0, "%v", err)
	}
	r.spec.SSH.Config = "" // what this machine's OpenSSH is told has no bearing on a recording
	return text, nil
}

func (r *Replay) readNode(node, spec string) error {
	rec, err := Read(filepath.Join(r.dir, node))
	if errors.Is(err, fs.ErrNotExist) {
		return r.bad(node, 0, "is missing: not all of a recording")
	}
	if err != nil {
		return err
	}
	h := &rec.Header
	if r.header.run == "" {
		r.header = *h
	}
	switch {
	case h.node != node:
		return r.bad(node, 0, "is the file of node %s", h.node)
	case h.Test != filepath.Base(r.dir):
		return r.bad(node, 0, "is of %s, not of %s", h.Test, filepath.Base(r.dir))
	case h.spec != spec:
		return r.bad(specFile, 0, "was edited or replaced: it does not agree with its checksum in %s", node)
	case h.run != r.header.run:
		return r.bad(node, 0, "is of another run than the files before it")
	}
	r.add(node, rec.Requests)
	return nil
}

// add sorts requests in.
func (r *Replay) add(node string, requests []*Request) {
	requests = slices.Clone(requests)
	slices.SortStableFunc(requests, func(a, b *Request) int { return a.Began - b.Began })
	for _, req := range requests {
		key := groupKey{req.Scope, node}
		g := r.groups[key]
		if g == nil {
			g = &group{byArgv: map[string][]*entry{}}
			r.groups[key] = g
		}
		e := &entry{Request: req, node: node}
		g.entries = append(g.entries, e)
		g.byArgv[argvKey(req.Argv)] = append(g.byArgv[argvKey(req.Argv)], e)
		s := r.scopes[req.Scope]
		if s == nil {
			s = &scope{changed: make(chan struct{})}
			r.scopes[req.Scope] = s
		}
		s.entries = append(s.entries, e)
	}
}

func (r *Replay) prepare() {
	r.values.also = r.header.standIns
	for name, value := range r.header.standIns {
		r.values.Set(name, value)
	}
	r.red = newRedactor(&r.values, driver())
	r.red.learnNetwork(r.spec)
}

func argvKey(argv []string) string { return strings.Join(argv, "\x00") }

// Header says where the recording is from. Every replayed test should say it, too.
func (r *Replay) Header() Header { return r.header }

// Spec is the cluster of the recording, redacted. Network addresses of the experiment, devices, roles and notes are as they were.
func (r *Replay) Spec() *clusterenv.Spec { return r.spec }

// Values are this run's values. Those that are not set have stand-ins of the same shape as the recorded ones.
func (r *Replay) Values() *Values { return &r.values }

// Dialer returns a Dialer whose transports answer from the recording. They go nowhere.
func (r *Replay) Dialer() clusterenv.Dialer {
	return func(ctx context.Context, _ *clusterenv.Spec, node clusterenv.NodeSpec) (clusterenv.Transport, error) {
		if _, known := r.spec.Node(node.Name); !known {
			return nil, fmt.Errorf("%w: %s has no node %s", clusterenv.ErrNotRecorded, r.dir, node.Name)
		}
		return newReplayTransport(r, node.Name), nil
	}
}

// Recorded reports whether anything was recorded of a test, or of what it is made of: "TestStep6/full_v27/rep0" or "TestStep6/full_v27". A test
// that was not can be skipped before it asks.
func (r *Replay) Recorded(test string) bool {
	for name := range r.scopes {
		if name == test || strings.HasPrefix(name, test+"/") {
			return true
		}
	}
	return false
}

// An Unasked is what was recorded in one scope and not asked for.
type Unasked struct {
	Scope    string
	Asked    int      // requests of the scope that were
	Requests []string // "cn0: sha256sum", in recorded order
}

// Unasked lists the scopes with requests that were not asked for, by name. A scope of which nothing was asked is most likely one that
// -run did not select.
func (r *Replay) Unasked() []Unasked {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Unasked
	for name, s := range r.scopes {
		u := Unasked{Scope: name}
		ordered := slices.Clone(s.entries)
		slices.SortStableFunc(ordered, func(a, b *entry) int { return a.Began - b.Began })
		for _, e := range ordered {
			if e.asked {
				u.Asked++
			} else {
				u.Requests = append(u.Requests, e.node+": "+nameOf(e.Argv))
			}
		}
		if len(u.Requests) > 0 {
			list = append(list, u)
		}
	}
	slices.SortFunc(list, func(a, b Unasked) int { return strings.Compare(a.Scope, b.Scope) })
	return list
}

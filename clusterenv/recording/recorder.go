package recording

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// maxPending bounds the output that waits to be recorded, in bytes.
const maxPending = 256 << 20

// A Recorder records what tests ask of nodes. Nothing that goes wrong in it reaches the tests: Close reports it.
//
// It is safe for concurrent use.
type Recorder struct {
	dir    string
	header Header
	red    *redactor
	values Values
	start  time.Time

	events  atomic.Int64 // beginnings and ends so far
	pending atomic.Int64 // bytes that wait

	mu      sync.Mutex
	closed  bool
	spec    *clusterenv.Spec
	live    map[*capture]bool
	jobs    []func(*shelf)
	wake    chan struct{} // of capacity 1: jobs has something, or closed is true
	done    chan struct{} // the worker has ended
	shelf   *shelf        // what the worker has; read it after done
	written []string
}

// NewRecorder makes a recorder for the directory dir, which holds a directory for each recorded test and is made if it is missing.
// Header tells about the run: Tag and Flags must be given, Cluster and Test are found out, the others have defaults.
func NewRecorder(dir string, header Header) (*Recorder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	token := make([]byte, 8)
	if _, err := rand.Read(token); err != nil {
		return nil, err
	}
	header.run = hex.EncodeToString(token)
	header.fill()
	r := &Recorder{
		dir: dir, header: header, start: time.Now(),
		live: map[*capture]bool{}, wake: make(chan struct{}, 1), done: make(chan struct{}), shelf: newShelf(dir),
	}
	r.red = newRedactor(&r.values, driver())
	go r.work()
	return r, nil
}

// fill puts in what is known of this process.
func (h *Header) fill() {
	if h.Date.IsZero() {
		h.Date = time.Now()
	}
	h.Date = h.Date.UTC().Truncate(time.Second)
	if h.Command == nil {
		h.Command = append([]string{filepath.Base(os.Args[0])}, os.Args[1:]...) // it lay in a directory of its own
	}
	h.Tools = maps.Clone(h.Tools)
	if h.Tools == nil {
		h.Tools = map[string]string{}
	}
	if h.Tools["go"] == "" {
		h.Tools["go"] = runtime.Version()
	}
}

// Values are the run's values, to be replaced by placeholders.
func (r *Recorder) Values() *Values { return &r.values }

// Dialer returns a Dialer whose transports record what goes through those of dial.
func (r *Recorder) Dialer(dial clusterenv.Dialer) clusterenv.Dialer {
	return func(ctx context.Context, spec *clusterenv.Spec, node clusterenv.NodeSpec) (clusterenv.Transport, error) {
		r.learn(spec)
		t, err := dial(ctx, spec, node)
		if err != nil {
			return nil, err
		}
		return &tap{recorder: r, node: node.Name, inner: t}, nil
	}
}

// learn takes the cluster file; there is one in a run.
func (r *Recorder) learn(spec *clusterenv.Spec) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.spec == nil {
		r.spec = spec
		r.red.learnSpec(spec)
	} else if r.spec.Name != spec.Name {
		err := fmt.Errorf("two clusters in one recording: %s and %s", r.spec.Name, spec.Name)
		r.enqueue(func(s *shelf) { s.fail("", err) })
	}
}

// Finish says that a top-level test has ended, and whether it ended well: only then it gets a directory, at Close. What it has
// asked and not waited for is taken as cancelled. Requests that come in its scope later are lost.
func (r *Recorder) Finish(test string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.abandon(test)
	r.enqueue(func(s *shelf) { s.finish(test, ok) })
}

// Close writes the directories of the tests that ended well, each with what was asked in the scopes that all tests share.
// It is called when nothing is asked of the nodes any more. The error says which tests could not be recorded, and why.
func (r *Recorder) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.abandon("")
	r.closed = true
	r.signal()
	spec := r.spec
	r.mu.Unlock()
	<-r.done
	header := r.redactedHeader(spec)
	yaml, err := redactedSpec(spec, r.red)
	if err != nil && len(r.shelf.parts) > 0 {
		r.shelf.fail("", err)
	}
	err = r.shelf.publish(header, yaml)
	r.written = r.shelf.published
	if err != nil {
		return fmt.Errorf("recording in %s: %w", r.dir, err)
	}
	return nil
}

// Written are the tests whose directories Close has written, sorted.
func (r *Recorder) Written() []string { return slices.Clone(r.written) }

// abandon ends the captures of a test, or of the shared scopes; r.mu is held.
func (r *Recorder) abandon(test string) {
	for c := range r.live {
		if testOf(c.scope) == test {
			r.conclude(c, End{Kind: EndCancelled, Text: "the test ended before it"})
		}
	}
}

// conclude hands a capture to the worker, once; r.mu is held.
func (r *Recorder) conclude(c *capture, end End) {
	delete(r.live, c)
	if r.closed || !c.close() {
		return
	}
	ended, took := r.event(), time.Since(c.start)
	r.enqueue(func(s *shelf) {
		defer c.account(-c.size())
		if c.refused != nil {
			s.fail(testOf(c.scope), fmt.Errorf("%s: %s: %w", c.node, c.name(), c.refused))
			return
		}
		req := c.request(r.red, end)
		req.Began, req.Ended, req.At, req.Took = c.began, ended, c.at, took
		s.put(c.node, req)
	})
}

func (r *Recorder) event() int { return int(r.events.Add(1)) }

// enqueue gives work to the worker; r.mu is held.
func (r *Recorder) enqueue(job func(*shelf)) {
	r.jobs = append(r.jobs, job)
	r.signal()
}

func (r *Recorder) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// work does the jobs, in order, until the recorder is closed. It is the only one that touches the shelf until then.
func (r *Recorder) work() {
	defer close(r.done)
	for range r.wake {
		for {
			r.mu.Lock()
			jobs, closed := r.jobs, r.closed
			r.jobs = nil
			r.mu.Unlock()
			for _, job := range jobs {
				job(r.shelf)
			}
			if len(jobs) == 0 && closed {
				return
			}
			if len(jobs) == 0 {
				break
			}
		}
	}
}

// account asks for n bytes of memory, or gives them back.
func (r *Recorder) account(n int) bool {
	if r.pending.Add(int64(n)) > maxPending && n > 0 {
		r.pending.Add(int64(-n))
		return false
	}
	return true
}

// A tap is a transport that records.
type tap struct {
	recorder *Recorder
	node     string
	inner    clusterenv.Transport
}

// Start implements clusterenv.Transport.
func (t *tap) Start(ctx context.Context, cmd clusterenv.Command) (func() error, error) {
	if cmd.Hint == clusterenv.HintPeriodic {
		return t.inner.Start(ctx, cmd)
	}
	c := t.recorder.begin(ctx, t.node, cmd)
	if c == nil {
		return t.inner.Start(ctx, cmd)
	}
	c.wrap(&cmd)
	wait, err := t.inner.Start(ctx, cmd)
	if err != nil {
		end := c.endOf(ctx, err)
		end.AtStart = true
		t.recorder.end(c, end)
		return nil, err
	}
	return func() error {
		err := wait()
		t.recorder.end(c, c.endOf(ctx, err))
		return err
	}, nil
}

// Close implements clusterenv.Transport.
func (t *tap) Close() error { return t.inner.Close() }

func (r *Recorder) begin(ctx context.Context, node string, cmd clusterenv.Command) *capture {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	now := time.Now()
	c := &capture{
		node: node, scope: ScopeOf(ctx), argv: slices.Clone(cmd.Argv), hint: cmd.Hint, opaque: opaqueInput(ctx),
		began: r.event(), start: now, at: now.Sub(r.start), account: r.account,
	}
	r.live[c] = true
	return c
}

func (r *Recorder) end(c *capture, end End) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conclude(c, end)
}

var errNoCluster = errors.New("no cluster was opened")

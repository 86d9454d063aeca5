package results

import (
	"slices"
	"strings"

	"gotest.tools/gotestsum/testjson"
)

const (
	maxInvalid   = 100 // numbers of invalid lines that are kept
	maxTestTail  = 10  // lines of output that are kept of a test
	maxTailLine  = 400 // bytes of each
	maxNamed     = 10_000
	attrPrefix   = "gotestbed."
	maxAttrs     = 256 // per test
	maxCauseText = 400
)

// test is one execution of one test.
type test struct {
	pkg, name string
	action    testjson.Action // pass, fail or skip; empty while it runs
	attrs     map[string]string
	tail      []string
	longAttr  []byte
	root      *test
	children  []*test // with attributes, of a root
}

// set keeps one of our attributes.
func (t *test) set(k, v string) {
	name, ours := strings.CutPrefix(k, attrPrefix)
	if !ours {
		return
	}
	if t.attrs == nil {
		t.attrs = map[string]string{}
		if t.root != nil {
			t.root.children = append(t.root.children, t)
		}
	}
	if _, known := t.attrs[name]; known || len(t.attrs) < maxAttrs {
		t.attrs[name] = v
	}
}

// pkg is one package of the stream; a stream may run it several times.
type pkg struct {
	name    string
	action  testjson.Action // of its last end event
	failed  bool            // an end event was fail
	running map[string]*test
	fails   int
	tail    []string
	panic   string
}

// collector turns events into a summary and runs.
type collector struct {
	line    int
	scanned bool

	packages map[string]*pkg
	order    []*pkg
	roots    []*test // with attributes, or with subtests that have some

	sum        TestSummary
	benchmarks benchText
	build      string
	incomplete []*test
}

func newCollector() *collector {
	return &collector{packages: map[string]*pkg{}, sum: TestSummary{Consistent: true}}
}

func (c *collector) invalidLine(n int) {
	c.sum.Invalid++
	if len(c.sum.InvalidLines) < maxInvalid {
		c.sum.InvalidLines = append(c.sum.InvalidLines, n)
	}
}

func (c *collector) pkg(name string) *pkg {
	p := c.packages[name]
	if p == nil {
		p = &pkg{name: name, running: map[string]*test{}}
		c.packages[name] = p
		c.order = append(c.order, p)
	}
	return p
}

// test returns the running test of that name; a test whose run event is missing starts with the first event of it.
func (c *collector) test(pkgName, name string) *test {
	p := c.pkg(pkgName)
	t := p.running[name]
	if t == nil {
		t = &test{pkg: pkgName, name: name}
		if root, _, sub := strings.Cut(name, "/"); sub {
			t.root = p.running[root]
		}
		if t.root == nil {
			c.roots = append(c.roots, t)
		}
		p.running[name] = t
		c.sum.Tests++
	}
	return t
}

func (c *collector) testEvent(e testjson.TestEvent) {
	if e.Action == testjson.ActionRun {
		if old := c.pkg(e.Package).running[e.Test]; old != nil {
			c.incomplete = append(c.incomplete, old)
			delete(c.pkg(e.Package).running, e.Test)
		}
	}
	t := c.test(e.Package, e.Test)
	switch e.Action {
	case testjson.ActionAttr:
		t.set(e.Key, e.Value)
	case testjson.ActionPass, testjson.ActionFail, testjson.ActionSkip:
		c.end(t, e.Action)
	}
}

// end takes the end of a test and lets go of what it printed, unless it failed.
func (c *collector) end(t *test, action testjson.Action) {
	p := c.pkg(t.pkg)
	delete(p.running, t.name)
	t.action = action
	switch action {
	case testjson.ActionPass:
		c.sum.Pass++
	case testjson.ActionSkip:
		c.sum.Skip++
		if len(c.sum.Skipped) < maxNamed {
			c.sum.Skipped = append(c.sum.Skipped, TestOutput{Package: t.pkg, Test: t.name, Lines: messages(t.tail)})
		}
	case testjson.ActionFail:
		p.fails++
		c.sum.Fail++
		if len(c.sum.Failed) < maxNamed {
			c.sum.Failed = append(c.sum.Failed, TestOutput{Package: t.pkg, Test: t.name, Lines: t.tail})
		}
	}
	if t.attrs == nil {
		t.tail = nil
	}
}

func (c *collector) packageEvent(e testjson.TestEvent) {
	p := c.pkg(e.Package)
	switch e.Action {
	case testjson.ActionPass, testjson.ActionFail, testjson.ActionSkip:
		p.action = e.Action
		p.failed = p.failed || e.Action == testjson.ActionFail
		c.leave(p)
	case "start":
		c.leave(p)
		p.action = ""
	}
}

// leave counts the tests of a package that are still running when the package ends, or starts again, as incomplete.
// Benchmarks have an end event only if they fail or are skipped: with their package they passed.
func (c *collector) leave(p *pkg) {
	for _, t := range p.running {
		if p.action == testjson.ActionPass && strings.HasPrefix(t.name, "Benchmark") {
			t.action = testjson.ActionPass
			c.sum.Pass++
			continue
		}
		c.incomplete = append(c.incomplete, t)
	}
	clear(p.running)
}

// output keeps the last lines of a test and the first line of a panic.
func (c *collector) output(e testjson.TestEvent) {
	p := c.pkg(e.Package)
	if strings.HasPrefix(e.Output, "panic: ") || strings.HasPrefix(e.Output, "fatal error: ") {
		if p.panic == "" {
			p.panic = clip(strings.TrimSpace(e.Output), maxCauseText)
		}
	}
	if e.Test == "" {
		p.tail = keep(p.tail, e.Output)
		return
	}
	if p.running[e.Test] == nil && p.action != "" {
		return // comes after the end
	}
	t := p.running[e.Test]
	if t == nil {
		return
	}
	if !c.attribute(t, e.Output) {
		t.tail = keep(t.tail, e.Output)
	}
}

func (c *collector) buildOutput(text string) {
	if c.build == "" && !strings.HasPrefix(text, "#") && strings.TrimSpace(text) != "" {
		c.build = clip(strings.TrimSpace(text), maxCauseText)
	}
}

// keep appends a line to a tail of bounded length. The lines by which go test frames a test say nothing.
func keep(tail []string, text string) []string {
	text = strings.TrimRight(text, "\r\n")
	if framing := strings.TrimLeft(text, " "); text == "" || strings.HasPrefix(framing, "=== ") {
		return tail
	}
	if len(tail) == maxTestTail {
		tail = append(tail[:0], tail[1:]...)
	}
	return append(tail, strings.Clone(clip(text, maxTailLine)))
}

// clip cuts a text to at most n bytes, never inside a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// messages drops `--- SKIP: …`, which stands between the messages of a test and its end.
func messages(tail []string) []string {
	return slices.DeleteFunc(slices.Clone(tail), func(s string) bool { return strings.HasPrefix(strings.TrimLeft(s, " "), "--- ") })
}

package results

import (
	"cmp"
	"fmt"
	"slices"

	"gotest.tools/gotestsum/testjson"
)

// A TestOutput is a test and the last lines that it printed.
type TestOutput struct {
	Package, Test string
	Lines         []string
}

// A TestSummary counts the tests of a stream. A test that was run twice counts twice.
type TestSummary struct {
	Tests, Pass, Fail, Skip int
	Incomplete              int    // without an end event
	PackageVerdict          string // fail if a package failed, else pass or skip; empty if no package ended
	Cause                   string // why the run may not be called passed, when a failed test does not tell
	Consistent              bool   // no package passed with a failed or unfinished test
	RunOK                   bool   // the run may be called passed
	Invalid                 int    // lines that are no events
	InvalidLines            []int  // the first of them
	Failed                  []TestOutput
	Skipped                 []TestOutput // Lines hold the reason
	IncompleteTests         []TestOutput
}

// finish counts the tests that never ended.
func (c *collector) finish() {
	for _, p := range c.order {
		c.leave(p)
	}
	c.sum.Incomplete = len(c.incomplete)
	slices.SortFunc(c.incomplete, func(a, b *test) int { return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.name, b.name)) })
	for _, t := range c.incomplete[:min(len(c.incomplete), maxNamed)] {
		c.sum.IncompleteTests = append(c.sum.IncompleteTests, TestOutput{Package: t.pkg, Test: t.name, Lines: t.tail})
	}
}

// summary draws the conclusions.
func (c *collector) summary() TestSummary {
	s := c.sum
	incomplete := map[string]int{}
	for _, t := range c.incomplete {
		incomplete[t.pkg]++
	}
	ended := true
	for _, p := range c.order {
		s.PackageVerdict = worse(s.PackageVerdict, p)
		if p.action == "" {
			ended = false
			s.Cause = cmp.Or(s.Cause, fmt.Sprintf("incomplete: package %s has no end event", p.name))
		}
		if p.action == testjson.ActionPass && !p.failed && p.fails+incomplete[p.name] > 0 {
			s.Consistent = false
		}
	}
	s.Cause = cmp.Or(c.cause(incomplete), s.Cause)
	packagesOK := ended && s.PackageVerdict != "" && s.PackageVerdict != string(testjson.ActionFail)
	s.RunOK = packagesOK && s.Consistent && s.Fail == 0 && s.Incomplete == 0
	return s
}

func worse(verdict string, p *pkg) string {
	switch {
	case p.failed || verdict == string(testjson.ActionFail):
		return string(testjson.ActionFail)
	case verdict == "" || p.action == testjson.ActionPass:
		return cmp.Or(string(p.action), verdict)
	}
	return verdict
}

// cause says why the run did not pass where the failed tests do not say it.
func (c *collector) cause(incomplete map[string]int) string {
	if c.build != "" {
		return "build: " + c.build
	}
	for _, p := range c.order {
		switch {
		case p.panic != "" && (p.failed || incomplete[p.name] > 0):
			return p.panic
		case p.action == testjson.ActionPass && !p.failed && p.fails > 0:
			return "inconsistent: package passes with a failed test"
		case p.action == testjson.ActionPass && !p.failed && incomplete[p.name] > 0:
			return "inconsistent: package passes with an unfinished test"
		case p.failed && p.fails == 0 && incomplete[p.name] > 0:
			return "incomplete: a test has no end event"
		case p.failed && p.fails == 0 && len(p.tail) > 0:
			return "package fails without a failed test: " + p.tail[0]
		}
	}
	return ""
}

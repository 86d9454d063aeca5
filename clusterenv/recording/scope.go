package recording

import (
	"context"
	"regexp"
	"strings"
)

// Scopes of requests that no test makes for itself. What is asked in them is kept with every test of the run, so that each
// recording can be replayed alone. A scope may have parts, as in "setup/memcached".
const (
	Setup     = "setup"     // opening the cluster, locks, leases, memcached, deployment; also the scope of a context without one
	Preflight = "preflight" // the gate before the first cell
)

type (
	scopeKey  struct{}
	opaqueKey struct{}
)

// WithScope says for whom requests with this context are made: the full name of a test, as in "TestStep6/full_v27/rep0", or
// Setup, Preflight or a part of them.
func WithScope(ctx context.Context, scope string) context.Context {
	return context.WithValue(ctx, scopeKey{}, scope)
}

// ScopeOf returns what WithScope has set, or Setup.
func ScopeOf(ctx context.Context) string {
	if scope, _ := ctx.Value(scopeKey{}).(string); scope != "" {
		return scope
	}
	return Setup
}

// WithOpaqueInput marks requests whose input is not to be compared on replay, such as a program that each build makes anew. Its
// size and digest are recorded all the same.
func WithOpaqueInput(ctx context.Context) context.Context {
	return context.WithValue(ctx, opaqueKey{}, true)
}

func opaqueInput(ctx context.Context) bool {
	opaque, _ := ctx.Value(opaqueKey{}).(bool)
	return opaque
}

// testName are the names that go test gives to what it runs.
var testName = regexp.MustCompile(`^(Test|Benchmark|Fuzz|Example)([^a-z]|$)`)

// testOf is the top-level test that a scope belongs to, or "" for a scope that all tests share.
func testOf(scope string) string {
	top, _, _ := strings.Cut(scope, "/")
	if !testName.MatchString(top) {
		return ""
	}
	return top
}

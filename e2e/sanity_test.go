package e2e

import (
	"testing"

	"github.com/gotestbed/gotestbed/fixtures"
)

// TestSanity asks, before a run: is every node as the experiments need it? Each check is a subtest with one line a node;
// the same checks gate every plan.
func TestSanity(t *testing.T) {
	c := fixtures.NewCluster(t)
	fixtures.Sanity(t, c, program(t, c))
}

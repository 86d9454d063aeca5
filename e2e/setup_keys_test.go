package e2e

import (
	"testing"

	"github.com/gotestbed/gotestbed/fixtures"
)

// TestSetupKeys lets every node log in to every other, with keys made for this cluster. Without -apply it shows what would change on
// each node; with -remove-keys, what it would take away again.
func TestSetupKeys(t *testing.T) {
	fixtures.SetupKeys(t, fixtures.NewCluster(t))
}

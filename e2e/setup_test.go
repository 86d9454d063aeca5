package e2e

import (
	"testing"

	"github.com/gotestbed/gotestbed/fixtures"
)

// TestSetup asks of fresh nodes: what is missing before the experiments can run on them? It shows the changes, as diffs, and makes none;
// -apply makes them, and -apply -reboot reboots the nodes that need it (docs/setup.md).
func TestSetup(t *testing.T) { fixtures.Setup(t, fixtures.NewCluster(t)) }

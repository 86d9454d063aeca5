package e2e

import (
	"testing"

	"github.com/gotestbed/gotestbed/fixtures"
)

// BenchmarkVerbsFromGo asks: what does it cost to post and poll from Go? The same operations are measured in turn with perftest, which
// is C, and with verbs/rc, as many under way and as large, so that the ratio of each pair says it:
//
//	cn0 ═══ mn        ═ one queue pair, RC
//
// make bench-rc prints the median ratios.
func BenchmarkVerbsFromGo(b *testing.B) {
	fixtures.CompareVerbs(b, fixtures.NewCluster(b))
}

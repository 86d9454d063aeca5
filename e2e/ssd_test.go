package e2e

import (
	"fmt"
	"testing"

	"github.com/gotestbed/gotestbed/fixtures"
)

// BenchmarkRemoteSSDRead asks: how fast can a compute node read another node's SSD with one-sided READs, by block size? Pinned, the
// whole file is registered first, and then the READs come from memory: it is what the network does, and the SSD shows in the time of
// registering. Staged, the server reads each block from the SSD for its READ: it is what network and SSD do together.
//
//	cn0 ══ mn ── SSD        ═ one queue pair, one READ at a time   ─ mmap or direct I/O
//
// Blocks halve down to 4 KiB, and with them how much of the file is read, so that each size has as many blocks. docs/tutorial.md
// builds this benchmark step by step.
func BenchmarkRemoteSSDRead(b *testing.B) {
	c := fixtures.NewCluster(b)
	ssd := fixtures.NewRemoteSSD(b, c)
	for _, mode := range []fixtures.SSDMode{fixtures.Pinned, fixtures.Staged} {
		for _, step := range ssd.Sweep() {
			b.Run(fmt.Sprintf("mode=%s/block=%d", mode, step.Block), func(b *testing.B) { ssd.Read(b, mode, step) })
		}
	}
}

package e2e

import (
	"testing"

	"github.com/gotestbed/gotestbed/fixtures"
)

// What does the network do without a program under test? Each benchmark runs one tool of perftest between the memory node and every
// compute node, one pair after another:
//
//	cn0 ═╗
//	cn1 ═╬═ mn        ═ one queue pair, RC; the server is on mn
//	cn2 ═╝
//
// What the figures are, and what they mean on guests, is in docs/benchmarks.md.

// BenchmarkAtomicMlx5_2: how many 8-byte atomics a second does the memory node's card do for one compute node? Two ConnectX-6 Dx do
// 5 to 10 million; on a cluster, more or less than that is a warning. The name is that of the device on the cluster that the
// experiments were made for: which one was used is an attribute of the benchmark.
func BenchmarkAtomicMlx5_2(b *testing.B) { perftest(b, fixtures.AtomicBW) }

// BenchmarkReadBW: how fast does a compute node READ from the memory node, by message size?
func BenchmarkReadBW(b *testing.B) { perftest(b, fixtures.ReadBW) }

// BenchmarkWriteBW: how fast does it WRITE?
func BenchmarkWriteBW(b *testing.B) { perftest(b, fixtures.WriteBW) }

// BenchmarkSendBW: how fast does it SEND?
func BenchmarkSendBW(b *testing.B) { perftest(b, fixtures.SendBW) }

// BenchmarkReadLat: how long does a READ take, there and back?
func BenchmarkReadLat(b *testing.B) { perftest(b, fixtures.ReadLat) }

// BenchmarkWriteLat: how long is a WRITE under way? Half of the time of one and the one that answers it.
func BenchmarkWriteLat(b *testing.B) { perftest(b, fixtures.WriteLat) }

// BenchmarkSendLat: how long is a SEND under way? Half of the time of one and the one that answers it.
func BenchmarkSendLat(b *testing.B) { perftest(b, fixtures.SendLat) }

func perftest(b *testing.B, tool fixtures.PerftestTool) {
	b.Helper()
	fixtures.NewPerftest(b, fixtures.NewCluster(b), tool).Run(b)
}

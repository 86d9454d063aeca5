package e2e

import (
	"testing"

	"github.com/gotestbed/gotestbed/fixtures"
)

// TestReadSeesWrittenBytes asks: is what RDMA reads what was written? Without IOMMU passthrough a READ can complete with success and
// give zeros, and only a read of known bytes tells. Each side of each pair WRITEs a pattern, READs it back, READs what the other side
// wrote with its own processor, and has CMP_AND_SWAP and FETCH_AND_ADD change words that the other side then looks at.
//
//	cn0 ══╗
//	cn1 ══╬══ mn        ═ one-sided RDMA, each way
//	cn2 ══╝
func TestReadSeesWrittenBytes(t *testing.T) {
	fixtures.ReadBack(t, fixtures.NewCluster(t))
}

//go:build ibverbs && linux && cgo && rdmastatic

package rc

// One static file with the providers of soft-RoCE and of Mellanox cards, for nodes whose C library is older than that of the
// machine which builds. Debian: libibverbs-dev, libnl-3-dev, libnl-route-3-dev.

// #cgo CFLAGS: -DRDMA_STATIC_PROVIDERS=rxe,mlx5
// #cgo LDFLAGS: -static -libverbs -lmlx5 -lrxe-rdmav34 -libverbs -lnl-route-3 -lnl-3 -lpthread
import "C"

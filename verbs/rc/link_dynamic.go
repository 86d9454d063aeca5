//go:build ibverbs && linux && cgo && !rdmastatic

package rc

// #cgo LDFLAGS: -libverbs
import "C"

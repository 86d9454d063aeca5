//go:build !(ibverbs && linux && cgo)

package rc

// libibverbs is nil in a program built without it.
var libibverbs library

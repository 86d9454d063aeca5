package rc

import (
	"errors"
	"fmt"
)

// What a caller may decide on, with errors.Is.
var (
	ErrNotBuilt  = errors.New("built without RDMA: build on Linux with cgo and -tags ibverbs (headers: apt-get install libibverbs-dev)")
	ErrNoDevice  = errors.New("no such RDMA device")
	ErrPort      = errors.New("port cannot be used")
	ErrGID       = errors.New("GID cannot be used")
	ErrMTU       = errors.New("MTU cannot be used")
	ErrMemlock   = errors.New("limit of locked memory too low")
	ErrTooLarge  = errors.New("too large")
	ErrClosed    = errors.New("already closed")
	ErrBusy      = errors.New("still in use")
	ErrState     = errors.New("queue pair in the wrong state")
	ErrQueueFull = errors.New("queue full")
	ErrRequest   = errors.New("invalid work request")
)

// A Status is how a work request ended. Those other than Success are errors: errors.Is(err, StatusRemoteAccess).
type Status uint32

// The statuses: enum ibv_wc_status of infiniband/verbs.h.
const (
	Success Status = iota
	StatusLocalLength
	StatusLocalQPOperation
	StatusLocalEEContext
	StatusLocalProtection
	StatusFlushed
	StatusMWBind
	StatusBadResponse
	StatusLocalAccess
	StatusRemoteInvalidRequest
	StatusRemoteAccess
	StatusRemoteOperation
	StatusRetryExceeded
	StatusRNRRetryExceeded
	StatusLocalRDDViolation
	StatusRemoteInvalidRDRequest
	StatusRemoteAborted
	StatusInvalidEEContext
	StatusInvalidEEContextState
	StatusFatal
	StatusResponseTimeout
	StatusGeneral
)

// statusText has the words of ibv_wc_status_str.
var statusText = [...]string{
	"success",
	"local length error",
	"local QP operation error",
	"local EE context operation error",
	"local protection error",
	"Work Request Flushed Error",
	"memory management operation error",
	"bad response error",
	"local access error",
	"remote invalid request error",
	"remote access error",
	"remote operation error",
	"transport retry counter exceeded",
	"RNR retry counter exceeded",
	"local RDD violation error",
	"remote invalid RD request",
	"aborted error",
	"invalid EE context number",
	"invalid EE context state",
	"fatal error",
	"response timeout error",
	"general error",
}

// Error returns the words of libibverbs.
func (s Status) Error() string {
	if int(s) < len(statusText) {
		return statusText[s]
	}
	return fmt.Sprintf("unknown status %d", uint32(s))
}

// A CompletionError is a work request that the device ended without success. Its Status can be asked for with errors.Is.
type CompletionError struct {
	Status    Status
	VendorErr uint32 // the vendor's code; 0 on soft-RoCE
	Op        Op
	ID        uint64 // of the request
	QPN       uint32 // number of the local queue pair
}

func (e *CompletionError) Error() string {
	return fmt.Sprintf("%s, request %d on queue pair %#x: %v (status %d, vendor code %#x)",
		e.Op, e.ID, e.QPN, e.Status, uint32(e.Status), e.VendorErr)
}

// Unwrap returns the status.
func (e *CompletionError) Unwrap() error { return e.Status }

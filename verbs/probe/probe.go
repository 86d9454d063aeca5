// Package probe holds what rdmaprobe prints, for the program that prints it and for those that read it.
package probe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"

	"github.com/gotestbed/gotestbed/verbs/rc"
)

// Differs is the exit status of rdmaprobe check and ssd-read when they found a difference.
const Differs = 3

// Listening is the line that rdmaprobe serve prints when peers can connect.
type Listening struct {
	Listening netip.AddrPort `json:"listening"`
	Region    int            `json:"region"` // bytes for each peer
	rc.Info
}

// Served is the line that rdmaprobe serve prints when a peer has gone.
type Served struct {
	Peer  netip.AddrPort `json:"peer"`
	Error string         `json:"error,omitempty"`
}

// Checked is the result of rdmaprobe check.
type Checked struct {
	Peer        string       `json:"peer"`
	Region      int          `json:"region"`     // bytes
	Operations  int          `json:"operations"` // by RDMA, all of which completed with success
	OK          bool         `json:"ok"`
	Differences []Difference `json:"differences,omitempty"` // the first of each step
}

// A Difference is where memory is not as it should be.
type Difference struct {
	Step     string `json:"step"`     // what was tried
	Offset   int    `json:"offset"`   // of the first byte that differs, from the region's beginning
	Bytes    int    `json:"bytes"`    // how many differ
	Zeros    bool   `json:"zeros"`    // all that differ are zero
	Expected string `json:"expected"` // hexadecimal, from the offset on
	Found    string `json:"found"`
}

// String is one line.
func (d Difference) String() string {
	return fmt.Sprintf("%s: offset %d: expected %s, found %s (%d bytes differ)", d.Step, d.Offset, d.Expected, d.Found, d.Bytes)
}

// Measured is the result of rdmaprobe bench.
type Measured struct {
	Op          string  `json:"op"`
	Size        int     `json:"size"`  // bytes of an operation
	Depth       int     `json:"depth"` // operations under way
	Iterations  int     `json:"iterations"`
	Seconds     float64 `json:"seconds"` // from the first post to the last completion
	OpsPerSec   float64 `json:"ops_per_s"`
	BytesPerSec float64 `json:"bytes_per_s"`
}

// maxLine bounds what is read, in bytes.
const maxLine = 1 << 20

// ParseListening reads a line of rdmaprobe serve.
func ParseListening(line []byte) (Listening, error) {
	l, err := decode[Listening](line)
	if err == nil && !l.Listening.IsValid() {
		err = errors.New("no address")
	}
	if err != nil {
		return Listening{}, fmt.Errorf("rdmaprobe serve: %w", err)
	}
	return l, nil
}

// ParseChecked reads the output of rdmaprobe check.
func ParseChecked(line []byte) (Checked, error) {
	c, err := decode[Checked](line)
	switch {
	case err != nil:
	case c.Region < 1 || c.Operations < 1:
		err = errors.New("nothing was checked")
	case c.OK != (len(c.Differences) == 0):
		err = fmt.Errorf("ok is %v, with %d differences", c.OK, len(c.Differences))
	}
	if err != nil {
		return Checked{}, fmt.Errorf("rdmaprobe check: %w", err)
	}
	return c, nil
}

// ParseMeasured reads the output of rdmaprobe bench.
func ParseMeasured(line []byte) (Measured, error) {
	m, err := decode[Measured](line)
	if err == nil && !(m.Seconds > 0 && m.OpsPerSec > 0) {
		err = errors.New("nothing was measured")
	}
	if err != nil {
		return Measured{}, fmt.Errorf("rdmaprobe bench: %w", err)
	}
	return m, nil
}

// decode reads one line of JSON.
func decode[T any](line []byte) (v T, err error) {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return v, errors.New("printed nothing")
	case len(line) > maxLine:
		return v, fmt.Errorf("printed %d bytes", len(line))
	}
	return v, json.Unmarshal(line, &v)
}

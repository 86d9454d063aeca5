package probe

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/gotestbed/gotestbed/verbs/rc"
)

// Modes of a remote SSD read.
const (
	// Pinned: the whole file is one memory region, so that its pages stand in memory, and READs come from there.
	Pinned = "pinned"
	// Staged: the server reads each block from the disk into a region when the client asks for it; then the client READs it.
	Staged = "staged"
)

// SSDListening is the line that rdmaprobe ssd-serve prints when its file is there and peers can connect.
type SSDListening struct {
	Listening    netip.AddrPort `json:"listening"`
	File         string         `json:"file"`
	Size         int64          `json:"size"` // bytes
	SHA256       string         `json:"sha256"`
	Made         bool           `json:"made"`                    // written now; else it was there, and is what it should be
	Direct       bool           `json:"direct"`                  // blocks are read from it past the page cache
	DirectReason string         `json:"direct_reason,omitempty"` // why not
	Copied       bool           `json:"copied"`                  // a region of the file has copies of its pages, see rc.Device.RegisterFile
	rc.Info
}

// SSDRead is the result of rdmaprobe ssd-read: how blocks were READ one after another.
type SSDRead struct {
	Mode      string  `json:"mode"`
	Size      int64   `json:"size"`  // of what was READ, from the beginning of the file, in bytes
	Block     int64   `json:"block"` // bytes
	Blocks    int     `json:"blocks"`
	Seconds   float64 `json:"seconds"` // from the request for the first block to the end of the last
	MiBPerSec float64 `json:"mib_per_s"`
	LatencyUS float64 `json:"latency_us"` // of a block, the mean: staged with the server's part
	IOPS      float64 `json:"iops"`
	MedianUS  float64 `json:"median_us"`
	MaxUS     float64 `json:"max_us"`

	DiskUS float64        `json:"disk_us,omitempty"` // staged: the server's part of LatencyUS that it reads from the disk
	Cold   *SSDRegistered `json:"cold,omitempty"`    // pinned; staged where there is no direct I/O
	Warm   *SSDRegistered `json:"warm,omitempty"`    // pinned

	SHA256     string      `json:"sha256"` // of what was READ, in a pass that is not timed
	OK         bool        `json:"ok"`     // it is that of the file
	Difference *Difference `json:"difference,omitempty"`
}

// SSDRegistered is how a file became a memory region.
type SSDRegistered struct {
	Seconds  float64 `json:"seconds"`
	Resident float64 `json:"resident"`          // share of the file that was in the page cache before, as mincore tells
	By       string  `json:"by"`                // what brought the page cache there: fadvise, drop_caches, reading
	Trouble  string  `json:"trouble,omitempty"` // what hindered
}

// ParseSSDListening reads a line of rdmaprobe ssd-serve.
func ParseSSDListening(line []byte) (SSDListening, error) {
	l, err := decode[SSDListening](line)
	switch {
	case err != nil:
	case !l.Listening.IsValid():
		err = errors.New("no address")
	case l.Size < 1:
		err = errors.New("no file")
	}
	if err != nil {
		return SSDListening{}, fmt.Errorf("rdmaprobe ssd-serve: %w", err)
	}
	return l, nil
}

// ParseSSDRead reads the output of rdmaprobe ssd-read.
func ParseSSDRead(line []byte) (SSDRead, error) {
	r, err := decode[SSDRead](line)
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return SSDRead{}, fmt.Errorf("rdmaprobe ssd-read: %w", err)
	}
	return r, nil
}

func (r *SSDRead) check() error {
	switch {
	case !(r.Seconds > 0 && r.MiBPerSec > 0 && r.LatencyUS > 0 && r.IOPS > 0):
		return errors.New("nothing was measured")
	case r.Block < 1 || r.Size/r.Block != int64(r.Blocks) || r.Size%r.Block != 0:
		return fmt.Errorf("%d bytes in %d blocks of %d", r.Size, r.Blocks, r.Block)
	case r.Mode == Pinned && (r.Cold == nil || r.Warm == nil || !(r.Cold.Seconds > 0 && r.Warm.Seconds > 0)):
		return errors.New("no time of registering the file")
	case r.Mode != Pinned && r.Mode != Staged:
		return fmt.Errorf("unknown mode %.20q", r.Mode)
	case r.OK && r.Difference != nil:
		return errors.New("ok, with a difference")
	}
	return nil
}

package rc

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/gotestbed/gotestbed/verbs"
)

// Config says which port of which device to open, and how its queue pairs address their peers.
type Config struct {
	Device   string
	Port     int       // from 1; 0 is 1
	GIDIndex int       // not used on InfiniBand
	MTU      verbs.MTU // path MTU of queue pairs; 0 is the port's active MTU
}

// Limits are what a device can hold, as it says itself.
type Limits struct {
	Firmware        string `json:"firmware"`
	VendorID        uint32 `json:"vendor_id"`
	PartID          uint32 `json:"part_id"`
	MaxMRSize       uint64 `json:"max_mr_size"` // bytes of one memory region
	MaxMR           int    `json:"max_mr"`
	MaxQP           int    `json:"max_qp"`
	MaxQPWR         int    `json:"max_qp_wr"` // depth of a queue
	MaxCQ           int    `json:"max_cq"`
	MaxCQE          int    `json:"max_cqe"`            // depth of a CQ
	MaxRdAtomic     int    `json:"max_rd_atomic"`      // READs and atomics in flight from a queue pair
	MaxDestRdAtomic int    `json:"max_dest_rd_atomic"` // READs and atomics in flight to a queue pair
	Atomics         bool   `json:"atomics"`
}

// Info is what an open device is.
type Info struct {
	Device    string          `json:"device"`
	Port      int             `json:"port"`
	LinkLayer verbs.LinkLayer `json:"link_layer"`
	LID       uint16          `json:"lid"`
	GIDIndex  int             `json:"gid_index"`
	GID       netip.Addr      `json:"gid"`
	ActiveMTU verbs.MTU       `json:"active_mtu"` // bytes
	MTU       verbs.MTU       `json:"mtu"`        // that queue pairs will use, in bytes
	Limits    Limits          `json:"limits"`
}

// A Device is one port of an open RDMA device, with one protection domain.
type Device struct {
	lib        library
	info       Info
	maxMessage int64 // bytes

	mu      sync.RWMutex // held for reading while handles are used, for writing while one is destroyed
	ctx, pd handle
	closed  bool

	books sync.Mutex // guards what is counted here and in CQs, for those who hold mu for reading only
	open  counts
}

// counts are the open objects of a device.
type counts struct{ regions, cqs, qps int }

// Devices returns the names of the RDMA devices that libibverbs can open.
func Devices() ([]string, error) {
	if libibverbs == nil {
		return nil, ErrNotBuilt
	}
	names, err := libibverbs.devices()
	if err != nil {
		return nil, fmt.Errorf("list of RDMA devices: %w", err)
	}
	return names, nil
}

// Open opens a port of a device. It fails with an error compatible with ErrNotBuilt, ErrNoDevice, ErrPort, ErrGID or ErrMTU, which
// says what there is instead.
func Open(c Config) (*Device, error) { return open(libibverbs, c) }

func open(lib library, c Config) (*Device, error) {
	if lib == nil {
		return nil, ErrNotBuilt
	}
	if c.Port == 0 {
		c.Port = 1
	}
	ctx, err := lib.openDevice(c.Device)
	if err != nil {
		return nil, fmt.Errorf("%s: open: %w", c.Device, err)
	}
	if ctx == nil {
		return nil, noDevice(lib, c.Device)
	}
	d := &Device{lib: lib, ctx: ctx, info: Info{Device: c.Device, Port: c.Port, GIDIndex: c.GIDIndex, MTU: c.MTU}}
	if err := d.set(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", c.Device, err), lib.closeDevice(ctx))
	}
	return d, nil
}

func noDevice(lib library, name string) error {
	names, err := lib.devices()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %q; list of RDMA devices: %w", ErrNoDevice, name, err)
	case len(names) == 0:
		return fmt.Errorf("%w: %q; this host has none, or libibverbs has no driver for it", ErrNoDevice, name)
	}
	return fmt.Errorf("%w: %q; there are: %s", ErrNoDevice, name, strings.Join(names, " "))
}

// set finds out what the device is and checks the configuration against it.
func (d *Device) set() (err error) {
	if d.info.Limits, err = d.lib.queryDevice(d.ctx); err != nil {
		return fmt.Errorf("query device: %w", err)
	}
	if d.info.Port < 1 || d.info.Port > 255 {
		return fmt.Errorf("%w: port %d: ports are numbered from 1", ErrPort, d.info.Port)
	}
	port, err := d.lib.queryPort(d.ctx, d.info.Port)
	if err != nil {
		return fmt.Errorf("%w: port %d: query: %w", ErrPort, d.info.Port, err)
	}
	if err := d.setPort(port); err != nil {
		return err
	}
	if err := d.setGID(port); err != nil {
		return err
	}
	if d.pd, err = d.lib.allocPD(d.ctx); err != nil {
		return fmt.Errorf("allocate protection domain: %w", err)
	}
	return nil
}

var portStates = []string{"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"}

func (d *Device) setPort(p portAttr) error {
	const active = 4
	if p.state != active {
		state := fmt.Sprintf("state %d", p.state)
		if p.state >= 0 && p.state < len(portStates) {
			state = portStates[p.state]
		}
		return fmt.Errorf("%w: port %d is %s, not ACTIVE", ErrPort, d.info.Port, state)
	}
	d.info.LinkLayer = verbs.LinkInfiniBand
	if p.linkLayer == 2 {
		d.info.LinkLayer = verbs.LinkEthernet
	}
	d.info.LID = p.lid
	d.maxMessage = int64(p.maxMessage)
	d.info.ActiveMTU = verbs.MTUOfCode(uint8(p.activeMTU))
	switch mtu := d.info.MTU; {
	case mtu == 0:
		d.info.MTU = d.info.ActiveMTU
	case mtu.Code() == 0:
		return fmt.Errorf("%w: %d bytes is no path MTU: 256, 512, 1024, 2048 or 4096", ErrMTU, mtu)
	case mtu > d.info.ActiveMTU:
		return fmt.Errorf("%w: %d bytes is larger than the active MTU of port %d, %d", ErrMTU, mtu, d.info.Port, d.info.ActiveMTU)
	}
	return nil
}

// setGID takes the GID at the index that was asked for. InfiniBand does without one.
func (d *Device) setGID(p portAttr) error {
	if d.info.LinkLayer == verbs.LinkInfiniBand {
		return nil
	}
	gid, ok := d.gid(p, d.info.GIDIndex)
	if ok {
		d.info.GID = gid
		return nil
	}
	var there []string
	for i := range p.gids {
		if gid, ok := d.gid(p, i); ok {
			there = append(there, fmt.Sprintf("%d %v", i, gid))
		}
	}
	if there == nil {
		there = []string{"none: has the network interface an address?"}
	}
	return fmt.Errorf("%w: index %d of port %d is empty; there are: %s", ErrGID, d.info.GIDIndex, d.info.Port, strings.Join(there, ", "))
}

func (d *Device) gid(p portAttr, index int) (netip.Addr, bool) {
	if index < 0 || index >= p.gids {
		return netip.Addr{}, false
	}
	raw, err := d.lib.queryGID(d.ctx, d.info.Port, index)
	if err != nil {
		return netip.Addr{}, false
	}
	gid := netip.AddrFrom16(raw)
	return gid, !gid.IsUnspecified()
}

// Info returns what was opened.
func (d *Device) Info() Info { return d.info }

// Close closes the device. As long as something that was made of it is open, it closes nothing and returns ErrBusy.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return d.errorf("%w", ErrClosed)
	}
	if d.open != (counts{}) {
		return d.errorf("close: %w: %d queue pairs, %d completion queues and %d memory regions are open",
			ErrBusy, d.open.qps, d.open.cqs, d.open.regions)
	}
	d.closed = true
	if err := errors.Join(d.lib.deallocPD(d.pd), d.lib.closeDevice(d.ctx)); err != nil {
		return d.errorf("close: %w", err)
	}
	return nil
}

// use locks the device for a call that uses something of it; the caller unlocks it with d.mu.RUnlock.
func (d *Device) use() error {
	d.mu.RLock()
	if d.closed {
		d.mu.RUnlock()
		return d.errorf("%w", ErrClosed)
	}
	return nil
}

// count changes the books.
func (d *Device) count(change func()) {
	d.books.Lock()
	defer d.books.Unlock()
	change()
}

// errorf names the device before an error.
func (d *Device) errorf(format string, a ...any) error {
	return fmt.Errorf("%s: "+format, slices.Insert(a, 0, any(d.info.Device))...)
}

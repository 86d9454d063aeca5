package rc

import (
	"errors"
	"fmt"
	"math"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gotestbed/gotestbed/verbs"
)

// An MR is a memory region: memory outside of the Go heap that the device may use.
type MR struct {
	device   *Device
	size     int // bytes
	addr     uint64
	lkey     uint32
	rkey     uint32
	readOnly bool
	copied   bool

	mem    []byte
	handle handle
	closed bool // guarded by device.mu
}

// Register maps size bytes of zeros and registers them. The device may write into them in any case; access adds what a peer may
// do: verbs.RemoteRead, RemoteWrite, RemoteAtomic. The error is compatible with ErrTooLarge or ErrMemlock where that is the cause.
func (d *Device) Register(size int, access verbs.Access) (*MR, error) {
	if err := d.use(); err != nil {
		return nil, err
	}
	defer d.mu.RUnlock()
	if err := d.fits(int64(size)); err != nil {
		return nil, d.errorf("memory region of %d bytes: %w", size, err)
	}
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, d.errorf("memory region of %d bytes: map memory: %w", size, err)
	}
	m, err := d.register(mem, access|verbs.LocalWrite)
	if err != nil {
		return nil, errors.Join(d.errorf("memory region of %d bytes: %w", size, err), unix.Munmap(mem))
	}
	return m, nil
}

// RegisterFile maps size bytes of a file from an offset and registers them for reading, by this side and by peers. The offset is a
// multiple of the page size. Registering reads all of it into memory and pins it there.
//
// Linux before 6.2 registers no file that is mapped for reading only and shared; the region then has copies of the file's pages,
// which Copied tells, and needs as much memory again.
func (d *Device) RegisterFile(f *os.File, offset int64, size int) (*MR, error) {
	if err := d.use(); err != nil {
		return nil, err
	}
	defer d.mu.RUnlock()
	if err := d.fileFits(f, offset, int64(size)); err != nil {
		return nil, d.errorf("memory region of %s: %w", f.Name(), err)
	}
	m, err := d.registerFile(f, offset, size, unix.MAP_SHARED)
	if errors.Is(err, unix.EFAULT) {
		if m, err = d.registerFile(f, offset, size, unix.MAP_PRIVATE); err == nil {
			m.copied = true
		}
	}
	if err != nil {
		return nil, d.errorf("memory region of %s, %d bytes from %d: %w", f.Name(), size, offset, err)
	}
	return m, nil
}

func (d *Device) registerFile(f *os.File, offset int64, size, flags int) (*MR, error) {
	mem, err := unix.Mmap(int(f.Fd()), offset, size, unix.PROT_READ, flags)
	if err != nil {
		return nil, fmt.Errorf("map file: %w", err)
	}
	m, err := d.register(mem, verbs.RemoteRead)
	if err != nil {
		return nil, errors.Join(err, unix.Munmap(mem))
	}
	m.readOnly = true
	return m, nil
}

// fileFits looks whether the file has what is asked for: to touch mapped memory behind a file's end is fatal.
func (d *Device) fileFits(f *os.File, offset, size int64) error {
	stat, err := f.Stat()
	if err != nil {
		return err
	}
	if offset < 0 || size > stat.Size()-offset {
		return fmt.Errorf("%w: the file has %d bytes, and %d from %d were asked for", ErrTooLarge, stat.Size(), size, offset)
	}
	return d.fits(size)
}

// fits looks whether a region of this size can be registered at all: pinning more than there is would make the kernel end processes.
func (d *Device) fits(size int64) error {
	if size <= 0 || size > math.MaxInt {
		return fmt.Errorf("%w: a size must be positive", ErrTooLarge)
	}
	if max := d.info.Limits.MaxMRSize; uint64(size) > max {
		return fmt.Errorf("%w: the device takes up to %d bytes (max_mr_size)", ErrTooLarge, max)
	}
	if free, ok := available(); ok && size > free {
		return fmt.Errorf("%w: it is pinned in memory, and %d bytes are available", ErrTooLarge, free)
	}
	return nil
}

func (d *Device) register(mem []byte, access verbs.Access) (*MR, error) {
	addr := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(mem))))
	h, lkey, rkey, err := d.lib.regMR(d.pd, addr, len(mem), uint32(access))
	if err != nil {
		return nil, registerError(int64(len(mem)), err)
	}
	d.count(func() { d.open.regions++ })
	return &MR{device: d, size: len(mem), addr: addr, lkey: lkey, rkey: rkey, mem: mem, handle: h}, nil
}

// registerError says what an errno of ibv_reg_mr is likely to mean.
func registerError(size int64, err error) error {
	err = fmt.Errorf("register: %w", err)
	if limit, ok := memlock(); ok && size > limit && (errors.Is(err, unix.ENOMEM) || errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EPERM)) {
		return fmt.Errorf("%w: %d bytes may be locked, see ulimit -l: %w", ErrMemlock, limit, err)
	}
	return err
}

// Bytes is the region's memory. It must not be used after Close; of a region that a file is behind it must not be written.
func (m *MR) Bytes() []byte { return m.mem }

// Size is the region's size, in bytes.
func (m *MR) Size() int { return m.size }

// Addr is the region's address, as a peer gives it.
func (m *MR) Addr() uint64 { return m.addr }

// Key is the key with which a peer may use the region.
func (m *MR) Key() uint32 { return m.rkey }

// Copied tells that the region has copies of a file's pages, see RegisterFile.
func (m *MR) Copied() bool { return m.copied }

// Segment is a piece of the region. It is checked when a request with it is posted.
func (m *MR) Segment(off, n int) Segment { return Segment{MR: m, Off: off, Len: n} }

// Close releases the region and its memory. Requests under way that use it fail.
func (m *MR) Close() error {
	d := m.device
	d.mu.Lock()
	defer d.mu.Unlock()
	if m.closed {
		return d.errorf("memory region: %w", ErrClosed)
	}
	if err := d.lib.deregMR(m.handle); err != nil {
		return d.errorf("memory region: deregister: %w", err)
	}
	m.closed = true
	d.open.regions--
	return unix.Munmap(m.mem)
}

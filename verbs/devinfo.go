package verbs

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// A Device is one device as ibv_devinfo shows it.
type Device struct {
	Name      string // empty when the capture begins after the line that names it
	Transport string // InfiniBand also for RoCE: see LinkLayer of the ports
	Firmware  string
	NodeGUID  string
	Board     string // empty on software devices
	Ports     []Port
	Attrs     map[string]string // further rows of the device (-v), as printed, by name
}

// Devices is the output of ibv_devinfo.
type Devices struct {
	Devices   []Device
	NoDriver  int // further devices of the kernel, without user-space driver
	Truncated bool
}

// Ports returns the ports of all devices.
func (d Devices) Ports() []Port {
	var out []Port
	for _, dev := range d.Devices {
		out = append(out, dev.Ports...)
	}
	return out
}

// GIDs returns the GID tables of all ports; ibv_devinfo prints them with -v.
func (d Devices) GIDs() []GID {
	var out []GID
	for _, p := range d.Ports() {
		out = append(out, p.GIDs...)
	}
	return out
}

// A NoDriverError says that the kernel has RDMA devices and libibverbs no driver for them: the user-space
// library of the card is missing, not the card.
type NoDriverError struct{ KernelDevices int }

func (e *NoDriverError) Error() string {
	return fmt.Sprintf("ibv_devinfo: no user-space driver for %d RDMA devices of the kernel", e.KernelDevices)
}

var (
	devinfoHead = regexp.MustCompile(`^\s*hca_id:\s*(\S+)\s*$`)
	devinfoPort = regexp.MustCompile(`^\s*port:\s*(\d+)\s*$`)
	devinfoGID  = regexp.MustCompile(`^\s*GID\[\s*(\d+)\]:\s*([0-9a-fA-F:.]+)(?:,\s*(.*?))?\s*$`)
	devinfoRow  = regexp.MustCompile(`^\s*([a-z][a-z0-9_]*):\s*(.*?)\s*$`)
	devinfoGone = regexp.MustCompile(`IB device '([^']+)' wasn't found`)
	devinfoNoSO = regexp.MustCompile(`no userspace device-specific driver found for (\S+)`)
)

// ParseDevinfo reads `ibv_devinfo` with or without -v (rdma-core, libibverbs/examples/devinfo.c). The error is
// ErrNoDevices, a *NoDriverError or a *DeviceNotFoundError where the tool says so.
func ParseDevinfo(r io.Reader) (Devices, error) {
	l := newLines(r)
	p := devinfo{drivers: map[string]bool{}}
	for l.next() {
		p.line(l.text)
		if p.count > maxItems {
			return Devices{}, &SyntaxError{"ibv_devinfo", l.num, "too many rows"}
		}
	}
	if l.err != nil {
		return Devices{}, l.inputError("ibv_devinfo", "device")
	}
	p.endDevice()
	if len(p.Devices.Devices) == 0 {
		return Devices{}, p.none(l)
	}
	p.NoDriver = len(p.drivers)
	p.Truncated = p.Truncated || l.partial()
	return p.Devices, nil
}

type devinfo struct {
	Devices
	drivers map[string]bool // devices without driver
	none0   bool            // "No IB devices found"
	gone    string
	want    int // ports that the device says it has
	count   int
}

func (p *devinfo) none(l *lines) error {
	switch {
	case len(p.drivers) > 0:
		return &NoDriverError{len(p.drivers)}
	case p.none0:
		return ErrNoDevices
	case p.gone != "":
		return &DeviceNotFoundError{"ibv_devinfo", p.gone}
	}
	return l.inputError("ibv_devinfo", "device")
}

func (p *devinfo) line(text string) {
	switch m := devinfoHead.FindStringSubmatch(text); {
	case m != nil:
		p.endDevice()
		p.Devices.Devices = append(p.Devices.Devices, Device{Name: m[1]})
		p.want = 0
		p.count++
		return
	case strings.Contains(text, "No IB devices found"):
		p.none0 = true
		return
	}
	if m := devinfoGone.FindStringSubmatch(text); m != nil {
		p.gone = m[1]
		return
	}
	if m := devinfoNoSO.FindStringSubmatch(text); m != nil {
		if p.count++; p.count <= maxItems {
			p.drivers[m[1]] = true
		}
		return
	}
	if m := devinfoPort.FindStringSubmatch(text); m != nil {
		p.addPort(small(m[1], 255))
		return
	}
	if m := devinfoGID.FindStringSubmatch(text); m != nil {
		p.gid(m[1], m[2], m[3])
		return
	}
	if m := devinfoRow.FindStringSubmatch(text); m != nil {
		p.row(m[1], m[2])
	}
}

// device returns the device that the row belongs to; a capture that begins inside one has no name for it.
func (p *devinfo) device() *Device {
	if len(p.Devices.Devices) == 0 {
		p.Devices.Devices = append(p.Devices.Devices, Device{})
		p.Truncated = true
	}
	return &p.Devices.Devices[len(p.Devices.Devices)-1]
}

func (p *devinfo) addPort(number int) *Port {
	d := p.device()
	d.Ports = append(d.Ports, Port{Device: d.Name, Number: number})
	p.count++
	return &d.Ports[len(d.Ports)-1]
}

// port returns the port that the row belongs to.
func (p *devinfo) port() *Port {
	d := p.device()
	if len(d.Ports) == 0 {
		p.Truncated = true
		return p.addPort(0)
	}
	return &d.Ports[len(d.Ports)-1]
}

func (p *devinfo) gid(index, addr, kind string) {
	i, err := strconv.Atoi(index)
	a, ok := parseGID(addr)
	if err != nil || !ok {
		return
	}
	port := p.port()
	port.GIDs = append(port.GIDs, GID{Device: port.Device, Port: port.Number, Index: i, Addr: a, Type: gidType(kind)})
	p.count++
}

// endDevice notes a device that is cut before or inside its ports.
func (p *devinfo) endDevice() {
	n := len(p.Devices.Devices)
	if n == 0 {
		return
	}
	d := &p.Devices.Devices[n-1]
	if len(d.Ports) == 0 || len(d.Ports) < p.want || d.Ports[len(d.Ports)-1].State == "" {
		p.Truncated = true
	}
}

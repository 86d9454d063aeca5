package verbs

import (
	"errors"
	"io"
	"regexp"
	"strings"
)

// ErrNoDevices says that the tool ran and found no RDMA device.
var ErrNoDevices = errors.New("no RDMA device")

// A DeviceNotFoundError says that the tool ran and did not find the device it was asked for.
type DeviceNotFoundError struct{ Tool, Device string }

func (e *DeviceNotFoundError) Error() string { return e.Tool + ": no RDMA device " + e.Device }

// Is makes every DeviceNotFoundError an ErrNoDevices.
func (e *DeviceNotFoundError) Is(target error) bool { return target == ErrNoDevices }

// Ports is what a tool shows of ports.
type Ports struct {
	Ports     []Port
	Missing   []string // devices that were asked for by name and not found
	Truncated bool     // the capture begins or ends inside the output
}

var (
	ibstatusHead = regexp.MustCompile(`Infiniband device '([^']*)' port (\d+) status:`)
	ibstatusGone = regexp.MustCompile(`Fatal error:\s+device '([^']*)': sys files not found`)
	ibstatusRow  = regexp.MustCompile(`^\s*(default gid|base lid|sm lid|state|phys state|rate|link_layer):\s*(.*?)\s*$`)
	// ibv_devinfo has a state row too, of another form.
	ibstatusState = regexp.MustCompile(`^\d+: \S`)
)

// ParseIBStatus reads `ibstatus` (infiniband-diags, scripts/ibstatus: raw values of sysfs). Without any device the
// error is ErrNoDevices (ibstatus then speaks of device '*' and exits 255), for an unknown one a *DeviceNotFoundError.
func ParseIBStatus(r io.Reader) (Ports, error) {
	l := newLines(r)
	var p ibstatus
	for l.next() {
		p.line(l.text)
		if len(p.Ports.Ports) > maxPorts {
			return Ports{}, &SyntaxError{"ibstatus", l.num, "too many ports"}
		}
	}
	if l.err != nil {
		return Ports{}, l.inputError("ibstatus", "port")
	}
	p.end()
	if len(p.Ports.Ports) == 0 {
		return Ports{}, p.none(l)
	}
	p.Truncated = p.Truncated || l.partial()
	return p.Ports, nil
}

type ibstatus struct {
	Ports
	open   bool // inside a block
	last   string
	nodevs bool
}

func (p *ibstatus) line(text string) {
	if m := ibstatusHead.FindStringSubmatch(text); m != nil {
		p.end()
		p.Ports.Ports = append(p.Ports.Ports, Port{Device: m[1], Number: small(m[2], 255)})
		p.open, p.last = true, ""
		return
	}
	if m := ibstatusGone.FindStringSubmatch(text); m != nil {
		if m[1] == "*" {
			p.nodevs = true
		} else {
			p.Missing = append(p.Missing, m[1])
		}
		return
	}
	m := ibstatusRow.FindStringSubmatch(text)
	switch {
	case m == nil:
		if strings.TrimSpace(text) == "" {
			p.end()
		}
	case strings.HasSuffix(m[1], "state") && !ibstatusState.MatchString(m[2]):
	default:
		if !p.open { // the capture begins inside a block
			p.Ports.Ports = append(p.Ports.Ports, Port{})
			p.open, p.Truncated = true, true
		}
		p.last = m[1]
		p.Ports.Ports[len(p.Ports.Ports)-1].ibstatusRow(m[1], m[2])
	}
}

// end closes a block. Old releases print no link_layer row, so rate is the earliest last row.
func (p *ibstatus) end() {
	if p.open && p.last != "rate" && p.last != "link_layer" {
		p.Truncated = true
	}
	p.open = false
}

func (p *ibstatus) none(l *lines) error {
	switch {
	case p.nodevs:
		return ErrNoDevices
	case len(p.Missing) > 0:
		return &DeviceNotFoundError{"ibstatus", p.Missing[0]}
	}
	return l.inputError("ibstatus", "port")
}

var ibRate = regexp.MustCompile(`^([0-9.]+)(?: Gb/sec)?(?: \((.+)\))?$`)

func (p *Port) ibstatusRow(key, value string) {
	switch key {
	case "default gid":
		p.DefaultGID, _ = parseGID(value)
	case "base lid":
		p.LID = lid(value)
	case "state":
		p.State = PortState(afterNumber(value))
	case "phys state":
		p.PhysState = afterNumber(value)
	case "rate":
		p.setRate(value)
	case "link_layer":
		p.LinkLayer = LinkLayer(value)
	}
}

// setRate reads `25 Gb/sec (1X EDR)`, `25 (FDR10)` and `25`.
func (p *Port) setRate(value string) {
	m := ibRate.FindStringSubmatch(value)
	if m == nil {
		return
	}
	if f, ok := float(m[1]); ok {
		p.Rate, p.RateGrade = &f, m[2]
	}
}

// afterNumber gives ACTIVE for `4: ACTIVE`.
func afterNumber(s string) string {
	if n, word, ok := strings.Cut(s, ":"); ok && strings.Trim(n, "0123456789") == "" {
		return strings.TrimSpace(word)
	}
	return s
}

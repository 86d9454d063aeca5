package verbs

import (
	"io"
	"regexp"
	"strings"
)

// A CA is one device as ibstat shows it.
type CA struct {
	Name     string
	Type     string // empty on software devices
	Firmware string
	Hardware string
	NodeGUID string
	Ports    []Port
}

// CAs is the output of ibstat.
type CAs struct {
	CAs       []CA
	Truncated bool
}

// Ports returns the ports of all devices.
func (c CAs) Ports() []Port {
	var out []Port
	for _, ca := range c.CAs {
		out = append(out, ca.Ports...)
	}
	return out
}

var (
	ibstatCA   = regexp.MustCompile(`^\s*CA '([^']+)'\s*$`)
	ibstatPort = regexp.MustCompile(`^\s*Port (\d+):\s*$`)
	ibstatRow  = regexp.MustCompile(`^\s*([A-Z][A-Za-z ]+):\s*(.*?)\s*$`)
	ibstatGone = regexp.MustCompile(`'([^']+)' IB device can't be found|stat of IB device '([^']+)' failed`)
)

// ParseIBStat reads `ibstat` (infiniband-diags, src/ibstat.c), with or without its indentation. ibstat prints
// nothing where there is no device; that is an error compatible with ErrNoData. A device that was
// asked for and is not there is a *DeviceNotFoundError.
func ParseIBStat(r io.Reader) (CAs, error) {
	l := newLines(r)
	var p ibstat
	for l.next() {
		p.line(l.text)
		if p.count > maxItems {
			return CAs{}, &SyntaxError{"ibstat", l.num, "too many devices"}
		}
	}
	switch {
	case l.err != nil:
		return CAs{}, l.inputError("ibstat", "device")
	case len(p.CAs.CAs) == 0 && p.gone != "":
		return CAs{}, &DeviceNotFoundError{"ibstat", p.gone}
	case len(p.CAs.CAs) == 0:
		return CAs{}, l.inputError("ibstat", "device")
	}
	p.end()
	p.Truncated = p.Truncated || l.partial()
	return p.CAs, nil
}

type ibstat struct {
	CAs
	gone  string
	want  int    // ports that the device says it has
	last  string // the last row of the port
	count int
}

func (p *ibstat) line(text string) {
	if m := ibstatGone.FindStringSubmatch(text); m != nil {
		p.gone = m[1] + m[2]
		return
	}
	if m := ibstatCA.FindStringSubmatch(text); m != nil {
		p.end()
		p.CAs.CAs = append(p.CAs.CAs, CA{Name: m[1]})
		p.want, p.last = 0, ""
		p.count++
		return
	}
	if len(p.CAs.CAs) == 0 {
		p.Truncated = p.Truncated || ibstatKey(text)
		return
	}
	ca := &p.CAs.CAs[len(p.CAs.CAs)-1]
	if m := ibstatPort.FindStringSubmatch(text); m != nil {
		p.endPort(ca)
		ca.Ports = append(ca.Ports, Port{Device: ca.Name, Number: small(m[1], 255)})
		p.last = ""
		p.count++
		return
	}
	if m := ibstatRow.FindStringSubmatch(text); m != nil {
		p.row(ca, m[1], m[2])
	}
}

// ibstatKey reports whether the line is a row that only ibstat prints.
func ibstatKey(text string) bool {
	t := strings.TrimSpace(text)
	return strings.HasPrefix(t, "Physical state:") || strings.HasPrefix(t, "Port GUID:") || strings.HasPrefix(t, "Capability mask:")
}

func (p *ibstat) row(ca *CA, key, value string) {
	switch key {
	case "CA type":
		ca.Type = value
	case "Number of ports":
		p.want = small(value, 255)
	case "Firmware version":
		ca.Firmware = value
	case "Hardware version":
		ca.Hardware = value
	case "Node GUID":
		ca.NodeGUID = value
	}
	if len(ca.Ports) == 0 {
		return
	}
	port := &ca.Ports[len(ca.Ports)-1]
	p.last = key
	switch key {
	case "State":
		port.State = PortState(value)
	case "Physical state":
		port.PhysState = value
	case "Rate":
		port.setRate(value)
	case "Base lid":
		port.LID = lid(value)
	case "Port GUID":
		port.GUID = value
	case "Link layer":
		port.LinkLayer = LinkLayer(value)
	}
}

// endPort notes a port whose rows are cut; old releases print no link layer.
func (p *ibstat) endPort(ca *CA) {
	if len(ca.Ports) > 0 && p.last != "Link layer" && p.last != "Port GUID" {
		p.Truncated = true
	}
}

// end notes a device with fewer ports than it says. `ibstat <device> <port>` prints no count.
func (p *ibstat) end() {
	if n := len(p.CAs.CAs); n > 0 {
		ca := &p.CAs.CAs[n-1]
		p.endPort(ca)
		if len(ca.Ports) < p.want || len(ca.Ports) == 0 {
			p.Truncated = true
		}
	}
}

package verbs

import (
	"io"
	"regexp"
	"strings"
)

// A PortNetdev is one line of ibdev2netdev: the network device of a port.
type PortNetdev struct {
	Device string
	Port   int
	Netdev string
	Up     bool      // the network device, not the port
	PCI    string    // with -v
	State  PortState // of the port, with -v
}

// PortNetdevs is the output of ibdev2netdev.
type PortNetdevs struct {
	Ports     []PortNetdev
	Truncated bool
}

// With -v stand the PCI address before the device, and model, firmware and port state after it.
var ibdevRow = regexp.MustCompile(`^\s*(?:([0-9a-fA-F]{4,}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])\s+)?([\w.-]+)\s+(?:\(.*\s)?port\s+(\d+)\s+(?:\(\s*(\w+)\s*\)\s+)?==>\s+([^\s()]+)\s+\((Up|Down)\)\s*$`)

// ParseIBDev2Netdev reads `ibdev2netdev [-v]` (MLNX_OFED, a script over sysfs). It prints nothing where no
// port has a network device; that is an error compatible with ErrNoData.
func ParseIBDev2Netdev(r io.Reader) (PortNetdevs, error) {
	l := newLines(r)
	var out PortNetdevs
	for l.next() {
		m := ibdevRow.FindStringSubmatch(l.text)
		switch {
		case m != nil && small(m[3], 255) > 0:
			out.Ports = append(out.Ports, PortNetdev{PCI: strings.ToLower(m[1]), Device: m[2], Port: small(m[3], 255),
				State: PortState(m[4]), Netdev: m[5], Up: m[6] == "Up"})
		case l.cut && strings.TrimSpace(l.text) != "":
			out.Truncated = true
		}
		if len(out.Ports) > maxPorts {
			return PortNetdevs{}, &SyntaxError{"ibdev2netdev", l.num, "too many ports"}
		}
	}
	if l.err != nil || len(out.Ports) == 0 {
		return PortNetdevs{}, l.inputError("ibdev2netdev", "port")
	}
	out.Truncated = out.Truncated || l.partial()
	return out, nil
}

package verbs

import (
	"fmt"
	"slices"
	"strings"
)

// absent says why no GID stands for the address, as far as that is known.
func (q *search) absent() Probe {
	switch {
	case len(q.m.Ports) == 0 && q.m.complete:
		return no("%s: the node has no RDMA device", q.addr)
	case len(q.m.Ports) == 0:
		return unknown("%s: the RDMA devices were not read", q.addr)
	case q.device != "" && q.m.complete && !q.m.has(q.device):
		return no("%s: there is no RDMA device %s, only %s", q.addr, q.device, q.m.names())
	case q.m.interfaces == nil:
		return q.inNoTable()
	}
	var on []Interface
	for _, i := range q.m.hosts.with[q.addr] {
		if q.netdev == "" || i.Name == q.netdev {
			on = append(on, i)
		}
	}
	switch {
	case len(on) > 0:
		return q.onInterfaces(on)
	case q.m.interfaces.Truncated:
		return unknown("%s is in no GID table, and ip addr is cut", q.addr)
	case q.netdev != "":
		return no("%s is not on %s", q.addr, q.netdev)
	}
	return no("%s is on no interface", q.addr)
}

// inNoTable answers from the GID tables alone.
func (q *search) inNoTable() Probe {
	for _, p := range q.m.Ports {
		if !p.complete {
			return unknown("%s: neither ip addr nor the whole GID table of %s was read", q.addr, p)
		}
	}
	if !q.m.complete {
		return unknown("%s is in no GID table of %s, and there can be more devices", q.addr, q.m.names())
	}
	return no("%s is in no GID table of %s", q.addr, q.m.names())
}

// onInterfaces answers for interfaces that have the address; one unknown makes the answer unknown.
func (q *search) onInterfaces(on []Interface) Probe {
	answer := No
	var why []string
	for _, i := range on {
		p := q.onInterface(i)
		if p.Answer == Unknown {
			answer = Unknown
		}
		why = append(why, p.Reason)
	}
	return Probe{answer, q.addr.String() + " is on " + some(why, "; and on ")}
}

// onInterface says why an interface with the address has no GID for it.
func (q *search) onInterface(i Interface) Probe {
	ports := q.m.On(i.Name)
	if len(ports) == 0 {
		return q.noDevice(i)
	}
	p := ports[0]
	switch active := q.m.active(p); {
	case p.LinkLayer == LinkInfiniBand:
		return no("%s of %s, InfiniBand: no GID stands for it; the port is %s", i.Name, portName(p.Device, p.Port, ""), p.reached())
	case active.Answer == No:
		return no("%s of %s: %s", i.Name, portName(p.Device, p.Port, ""), active.Reason)
	case i.Up() == No:
		return no("%s, which is %s", i.Name, i.State)
	case !p.complete:
		return unknown("%s of %s, whose GID table was not read whole", i.Name, portName(p.Device, p.Port, ""))
	}
	return no("%s of %s, which has no GID for it", i.Name, portName(p.Device, p.Port, ""))
}

// noDevice tells an interface without RDMA device from one whose device is not known.
func (q *search) noDevice(i Interface) Probe {
	if !q.m.complete {
		return unknown("%s; not all RDMA devices were read", i.Name)
	}
	for _, p := range q.m.Ports {
		if len(p.Netdevs) == 0 && !p.complete {
			return unknown("%s; it is not known whether that is the netdev of %s", i.Name, p)
		}
	}
	return no("%s, which has no RDMA device", i.Name)
}

// has reports whether the map has a port of the device.
func (m DeviceMap) has(device string) bool {
	return slices.ContainsFunc(m.Ports, func(p DevicePort) bool { return p.Device == device })
}

// names lists the devices.
func (m DeviceMap) names() string {
	var names []string
	for _, p := range m.Ports {
		names = append(names, p.Device)
	}
	return some(slices.Compact(names), ", ")
}

// why quotes the notes on one value of a port.
func (m DeviceMap) why(p DevicePort, what string) string {
	prefix := fmt.Sprintf("%s port %d: %s is ", p.Device, p.Port, what)
	for _, n := range m.Notes {
		if clash, ok := strings.CutPrefix(n, prefix); ok {
			return " (" + clash + ")"
		}
	}
	return ""
}

package verbs

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// A DeviceWant is what the cluster file says of a node's experiment network. Empty and nil are "to be found".
type DeviceWant struct {
	Device, Netdev string
	GIDIndex       *int
	Addr           netip.Addr // which the experiment uses

	ControlDevice, ControlNetdev string // of the control network, which must not be used
}

// Check compares the cluster file with the map. Yes comes with the carrier of the address. No is a device of the control
// network, or another device, netdev or index than the map finds, with both values; the carrier is then what the map finds,
// if it does. What the map cannot answer is unknown, also where the file names the index: a number that
// happens to be right is no evidence of its type.
func (m DeviceMap) Check(want DeviceWant) (Carrier, Probe) {
	if p := m.wantsControl(want); p.Answer == No {
		return Carrier{}, p
	}
	c, p := m.CarryingOn(want.Addr, "", want.Netdev)
	if p.Answer == Unknown && want.Device != "" {
		if on, q := m.CarryingOn(want.Addr, want.Device, want.Netdev); q.Answer == Yes {
			c, p = on, q // the file tells apart what the address does not
		}
	}
	if p.Answer != Yes && want.Netdev != "" {
		if on, q := m.Carrying(want.Addr); q.Answer == Yes {
			c, p = on, q
		}
	}
	switch {
	case p.Answer != Yes:
		return Carrier{}, p
	case m.onControl(c, want):
		return Carrier{}, no("%s is on %s, the control network", want.Addr, c)
	case !want.matches(c):
		return c, no("cluster file says %s, %s is on %s", m.spell(want, c.Device), want.Addr, c)
	}
	return c, p
}

// matches reports whether the file says nothing else than the map.
func (w DeviceWant) matches(c Carrier) bool {
	return (w.Device == "" || w.Device == c.Device) && (w.Netdev == "" || w.Netdev == c.Netdev) &&
		(w.GIDIndex == nil || *w.GIDIndex == c.Index)
}

// spell gives what the file says, and what is wrong with the entry that it names; found is the device that the map found.
func (m DeviceMap) spell(w DeviceWant, found string) string {
	var s []string
	if w.Device != "" {
		s = append(s, w.Device)
	}
	if w.Netdev != "" {
		s = append(s, "("+w.Netdev+")")
	}
	if w.GIDIndex != nil {
		s = append(s, fmt.Sprintf("GID %d", *w.GIDIndex)+m.kind(cmp.Or(w.Device, found), *w.GIDIndex))
	}
	return strings.Join(s, " ")
}

// kind tells what is wrong with an entry that the file names: its type, or that it is empty.
func (m DeviceMap) kind(device string, index int) string {
	empty := false
	for _, p := range m.Ports {
		if p.Device != device {
			continue
		}
		i := slices.IndexFunc(p.GIDs, func(g GID) bool { return g.Index == index })
		if i >= 0 {
			return map[GIDType]string{RoCEv1: " (RoCE v1)", "": " (of unknown type)"}[p.GIDs[i].Type]
		}
		empty = p.complete
	}
	if empty {
		return " (empty)"
	}
	return ""
}

// wantsControl refuses a file that names the control network for the experiment, as far as that can be seen without
// the address.
func (m DeviceMap) wantsControl(w DeviceWant) Probe {
	switch {
	case w.Device != "" && w.Device == w.ControlDevice:
		return no("cluster file says %s, the device of the control network", w.Device)
	case w.Netdev != "" && w.Netdev == w.ControlNetdev:
		return no("cluster file says %s, the control network", w.Netdev)
	case w.Device == "" || w.ControlNetdev == "":
		return Probe{}
	}
	ports := slices.DeleteFunc(slices.Clone(m.Ports), func(p DevicePort) bool { return p.Device != w.Device })
	if len(ports) == 0 || slices.ContainsFunc(ports, func(p DevicePort) bool { return !p.on(w.ControlNetdev) }) {
		return Probe{}
	}
	return no("cluster file says %s, whose netdev is %s, the control network", w.Device, w.ControlNetdev)
}

// onControl reports whether the carrier is on the control network: its device, a port that has its netdev, or a VLAN above that.
func (m DeviceMap) onControl(c Carrier, w DeviceWant) bool {
	return c.Device == w.ControlDevice || slices.ContainsFunc(m.On(w.ControlNetdev), func(p DevicePort) bool { return p.Device == c.Device && p.Port == c.Port })
}

// Active reports whether a port is active, by sysfs or else by the tools.
func (m DeviceMap) Active(device string, port int) Probe {
	p, probe := m.find(device, port)
	if p == nil {
		return probe
	}
	return m.active(*p)
}

func (m DeviceMap) active(p DevicePort) Probe {
	name := portName(p.Device, p.Port, "")
	switch p.State.Active() {
	case Yes:
		return yes("%s is ACTIVE", name)
	case No:
		return no("%s is %s", name, p.State)
	}
	return unknown("the state of %s is not known%s", name, m.why(p, "state"))
}

// ActiveMTU returns the active path MTU of a port in bytes, which ibv_devinfo alone shows; 0 unless the answer is yes.
func (m DeviceMap) ActiveMTU(device string, port int) (MTU, Probe) {
	p, probe := m.find(device, port)
	switch {
	case p == nil:
		return 0, Probe{Unknown, probe.Reason}
	case p.ActiveMTU == nil:
		return 0, unknown("the active MTU of %s is not known%s: ibv_devinfo shows it", portName(device, port, ""), m.why(*p, "active MTU"))
	case !slices.Contains([]MTU{256, 512, 1024, 2048, 4096}, *p.ActiveMTU):
		return 0, unknown("the active MTU of %s is %d, which is no path MTU", portName(device, port, ""), *p.ActiveMTU)
	}
	return *p.ActiveMTU, yes("%s has active MTU %d", portName(device, port, ""), *p.ActiveMTU)
}

// find returns a port; nil comes with the reason.
func (m DeviceMap) find(device string, port int) (*DevicePort, Probe) {
	for i := range m.Ports {
		if p := &m.Ports[i]; p.Device == device && p.Port == port {
			return p, Probe{}
		}
	}
	switch {
	case !m.complete:
		return nil, unknown("%s port %d was not read", device, port)
	case len(m.Ports) == 0:
		return nil, no("the node has no RDMA device")
	}
	return nil, no("there is no %s port %d, only %s", device, port, m.names())
}

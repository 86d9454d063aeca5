package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// manifest turns elements into nodes and networks.
func (doc *rspec) manifest() (*Manifest, error) {
	m := &Manifest{Name: doc.Portal.Experiment}
	if doc.Expires != "" {
		var err error
		if m.Expires, err = time.Parse(time.RFC3339, doc.Expires); err != nil {
			return nil, fmt.Errorf("expires: %w", err)
		}
	}
	granted, logins := false, false
	seen := map[string]bool{}
	for _, x := range doc.Nodes {
		granted = granted || x.Sliver != "" || x.VNode.Name != ""
		logins = logins || len(x.Logins) > 0
		n, err := x.node()
		if err != nil {
			return nil, fmt.Errorf("node %q: %w", x.Name, err)
		}
		if seen[n.Name] {
			return nil, fmt.Errorf("two nodes are called %q", n.Name)
		}
		seen[n.Name] = true
		m.Nodes = append(m.Nodes, n)
	}
	switch {
	case len(m.Nodes) == 0:
		return nil, errors.New("it has no node")
	case !granted && !logins:
		return nil, errors.New("this is the request, not the manifest: no node has a machine yet (the manifest: `geni-get manifest` on a node, or the portal's Manifest tab)")
	case !logins:
		return nil, errors.New("no node has a login: is the experiment still being set up?")
	}
	m.LANs = doc.lans(m.Nodes)
	return m, nil
}

func (x xnode) node() (Node, error) {
	n := Node{
		Name: x.Name, IPv4: x.Host.IPv4, Hardware: cmp.Or(x.Hardware.Name, x.VNode.Hardware),
		Component: urnName(x.Component), Site: urnAuthority(x.Manager),
	}
	if n.Name == "" {
		return n, errors.New("it has no client_id")
	}
	for i, l := range x.Logins {
		if i == 0 {
			n.Host, n.Port = l.Host, cmp.Or(l.Port, 22)
		}
		if l.User != "" && !slices.Contains(n.Users, l.User) {
			n.Users = append(n.Users, l.User)
		}
	}
	for _, i := range x.Interfaces {
		port := Interface{Name: i.Name, Component: i.Component, MAC: i.MAC}
		for _, ip := range i.IP {
			addr, err := netip.ParseAddr(ip.Address)
			if err != nil {
				return n, fmt.Errorf("interface %s: %w", i.Name, err)
			}
			if !port.IP.IsValid() || addr.Is4() && !port.IP.Is4() {
				port.IP, port.Netmask = addr, ip.Netmask
			}
		}
		n.Interfaces = append(n.Interfaces, port)
	}
	n.Unusable = x.unusable(n)
	return n, nil
}

// unusable says why this is no node for an experiment, by what the manifest shows. Switches are told by their ports: they
// have no address, and no hardware address or a slash in their name.
func (x xnode) unusable(n Node) string {
	addressed := slices.ContainsFunc(n.Interfaces, func(i Interface) bool { return i.IP.IsValid() })
	switch kind := x.Type.Name; {
	case strings.Contains(kind, "blockstore"):
		return "storage"
	case strings.HasSuffix(kind, "-vm") || strings.Contains(kind, "xen") || n.Hardware == "pcvm":
		return "virtual machine"
	case !addressed && slices.ContainsFunc(n.Interfaces, switchPort):
		return "switch"
	case n.Host == "":
		return "no login"
	case !addressed:
		return "no experiment interface"
	}
	return ""
}

func switchPort(i Interface) bool {
	return strings.Contains(i.Component, "%2F") || i.MAC != "" && strings.Trim(i.MAC, "0:") == ""
}

// lans are the links that have addresses of usable nodes, those with the most nodes first.
func (doc *rspec) lans(nodes []Node) []LAN {
	var lans []LAN
	for _, link := range doc.Links {
		on := map[string]bool{}
		for _, i := range link.Interfaces {
			on[i.Name] = true
		}
		lan := LAN{Name: link.Name}
		for _, n := range nodes {
			for _, i := range n.Interfaces {
				if n.Unusable == "" && on[i.Name] && i.IP.IsValid() {
					lan.Nodes = append(lan.Nodes, n.Name)
					lan.Addresses = append(lan.Addresses, netip.PrefixFrom(i.IP, maskBits(i)))
				}
			}
		}
		if len(lan.Nodes) > 0 {
			lans = append(lans, lan)
		}
	}
	slices.SortStableFunc(lans, func(a, b LAN) int { return len(b.Nodes) - len(a.Nodes) })
	return lans
}

// maskBits is the length of the network's part of the address; without a netmask, all of it.
func maskBits(i Interface) int {
	if mask := net.ParseIP(i.Netmask).To4(); mask != nil && i.IP.Is4() {
		if ones, bits := net.IPMask(mask).Size(); bits != 0 {
			return ones
		}
	}
	return i.IP.BitLen()
}

// urnName is the last part of a URN: amd103 of urn:publicid:IDN+utah.cloudlab.us+node+amd103.
func urnName(urn string) string { return urn[strings.LastIndex(urn, "+")+1:] }

// urnAuthority is its second part.
func urnAuthority(urn string) string {
	if parts := strings.Split(urn, "+"); len(parts) > 1 {
		return parts[1]
	}
	return ""
}

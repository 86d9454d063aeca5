package manifest

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// Options say what a manifest does not: what is kept from a cluster file that there was before, and which experiment network
// to use where there are several.
type Options struct {
	Like    *clusterenv.Spec // ssh, workdir, memcached, control network, MTU, and what is known of nodes that have the same host; nil: nothing
	Network string           // name of the LAN; empty: that with the most nodes
}

// Spec makes a cluster file of the manifest's usable nodes: the first that may be one is memory node and client, all
// others are compute nodes. Device and GID index are left to be found on the nodes. notes say what a person should know:
// nodes left out and why, and choices made.
func (m *Manifest) Spec(o Options) (spec *clusterenv.Spec, notes []string, err error) {
	for _, n := range m.Nodes {
		if n.Unusable != "" {
			notes = append(notes, fmt.Sprintf("%s (%s) left out: %s", n.Name, n.Component, n.Unusable))
		}
	}
	lan, err := m.lan(o.Network)
	if err != nil {
		return nil, notes, err
	}
	spec = o.base(m.Name)
	spec.Expires = m.Expires
	spec.Network.Experiment = lan.Addresses[0].Masked()
	sites := map[string]bool{}
	for _, n := range m.Nodes {
		at := slices.Index(lan.Nodes, n.Name)
		if n.Unusable != "" {
			continue
		}
		if at < 0 {
			notes = append(notes, fmt.Sprintf("%s (%s) left out: not on %s", n.Name, n.Component, lan.Name))
			continue
		}
		if !sites[n.Site] {
			sites[n.Site] = true
			spec.Site = strings.TrimPrefix(spec.Site+", "+n.Site, ", ")
		}
		spec.Nodes = append(spec.Nodes, o.node(n, lan.Addresses[at].Addr()))
	}
	if len(m.LANs) > 1 && o.Network == "" {
		notes = append(notes, fmt.Sprintf("experiment network: %s, which has the most nodes; others: %s", lan.Name, names(m.LANs[1:])))
	}
	notes = append(notes, assign(spec)...)
	return spec, notes, spec.Validate()
}

// lan chooses the experiment network.
func (m *Manifest) lan(name string) (*LAN, error) {
	if len(m.LANs) == 0 {
		return nil, errors.New("manifest: no network connects usable nodes")
	}
	if name == "" {
		return &m.LANs[0], nil
	}
	for i := range m.LANs {
		if m.LANs[i].Name == name {
			return &m.LANs[i], nil
		}
	}
	return nil, fmt.Errorf("manifest: no network is called %q; there are: %s", name, names(m.LANs))
}

func names(lans []LAN) string {
	var all []string
	for _, l := range lans {
		all = append(all, l.Name)
	}
	return strings.Join(all, ", ")
}

// base is the cluster without nodes.
func (o Options) base(name string) *clusterenv.Spec {
	if name == "" {
		name = "cluster"
	}
	s := &clusterenv.Spec{Name: name, SSH: clusterenv.SSH{Config: clusterenv.DefaultSSHConfig, Agent: true}}
	if old := o.Like; old != nil {
		s.Profile, s.SSH, s.Workdir, s.Memcached, s.Network = old.Profile, old.SSH, old.Workdir, old.Memcached, old.Network
	}
	return s
}

// node is n with what the older file knows of the same machine.
func (o Options) node(n Node, address netip.Addr) clusterenv.NodeSpec {
	spec := clusterenv.NodeSpec{Name: n.Name, Host: n.Host, Port: n.Port, Hardware: n.Hardware, Address: address}
	if o.Like == nil {
		return spec
	}
	for _, old := range o.Like.Nodes {
		if strings.EqualFold(old.Host, n.Host) {
			spec.User, spec.Identity, spec.Avoid = old.User, old.Identity, old.Avoid
		}
	}
	return spec
}

// assign proposes roles and says which choices were not free.
func assign(s *clusterenv.Spec) (notes []string) {
	s.Roles = map[clusterenv.Role][]string{}
	for _, n := range s.Nodes {
		role := clusterenv.Spare
		switch {
		case len(s.Roles[clusterenv.MN]) == 0 && n.Avoid[clusterenv.MN] == "":
			role = clusterenv.MN
		case n.Avoid[clusterenv.CN] == "":
			role = clusterenv.CN
		}
		for wanted, why := range n.Avoid {
			notes = append(notes, fmt.Sprintf("%s is not to be %s: %s", n.Name, wanted, why))
		}
		s.Roles[role] = append(s.Roles[role], n.Name)
	}
	slices.Sort(notes)
	return notes
}

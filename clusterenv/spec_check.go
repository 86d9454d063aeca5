package clusterenv

import (
	"fmt"
	"maps"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	nameSyntax   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)
	hostSyntax   = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,252})$`)
	deviceSyntax = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@-]{0,62}$`)
)

const (
	maxGIDIndex = 1023 // the kernel's tables are far smaller
	maxNamed    = 50   // nodes that a message may list
)

// check reports every mistake in the Spec to m. Zero values stand for defaults where there is one, unless the file gives them.
func (s *Spec) check(m *mistakes) {
	m.text("name", s.Name, true, nameSyntax, "letters, digits, dots, dashes and underscores")
	m.told("profile", s.Profile)
	m.told("site", s.Site)
	s.SSH.check(m)
	m.port("memcached.port", s.Memcached.Port)
	m.workdir("workdir", s.Workdir)
	s.Network.check(m)
	s.checkNodes(m)
	s.checkRoles(m)
}

func (c *SSH) check(m *mistakes) {
	m.filled("ssh.config", c.Config)
	m.login("ssh", c.User, c.Port, c.Identity)
	m.filled("ssh.known_hosts", c.KnownHosts)
	if unset := c.Accept == "" && !m.given("ssh.accept"); !unset && c.Accept != AcceptStrict && c.Accept != AcceptNew {
		m.add("ssh.accept", "%q; allowed: %s, %s", clip(string(c.Accept)), AcceptStrict, AcceptNew)
	}
	m.duration("ssh.keepalive.interval", c.Keepalive.Interval)
	m.duration("ssh.timeout", c.Timeout)
	if n := c.Keepalive.Misses; n < 0 || n == 0 && m.given("ssh.keepalive.misses") {
		m.add("ssh.keepalive.misses", "%d; wants at least 1", n)
	}
}

// login checks what both ssh and a node may have.
func (m *mistakes) login(at, user string, port int, identity string) {
	m.port(at+".port", port)
	m.filled(at+".identity", identity)
	m.filled(at+".user", user)
	if strings.ContainsAny(user, " @:/") {
		m.add(at+".user", "%q; wants a login name without a host", clip(user))
	}
}

func (n *Network) check(m *mistakes) {
	if p := n.Experiment; p.IsValid() && p != p.Masked() {
		m.add("network.experiment", "%s is the address of a host; the network is %s", p, p.Masked())
	}
	m.text("network.control_device", n.ControlDevice, false, deviceSyntax, "a device name such as mlx5_0")
	m.text("network.control_netdev", n.ControlNetdev, false, deviceSyntax, "an interface name such as eno33")
	if n.MTU != 0 && !slices.Contains(mtus, n.MTU) || n.MTU == 0 && m.given("network.mtu") {
		m.add("network.mtu", "%d; wants 256, 512, 1024, 2048 or 4096", n.MTU)
	}
}

// mtus are the path MTUs that InfiniBand and RoCE have, in bytes.
var mtus = []int{256, 512, 1024, 2048, 4096}

func (s *Spec) checkNodes(m *mistakes) {
	if len(s.Nodes) == 0 {
		m.add("nodes", "no nodes; wants at least one")
	}
	names, addresses, hosts := unique{}, unique{}, unique{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		at := fmt.Sprintf("nodes[%d]", i)
		s.checkNode(m, at, n)
		names.see(m, at+".name", n.Name)
		if n.Address.IsValid() {
			addresses.see(m, at+".address", n.Address.Unmap().String())
		}
		if n.Host != "" {
			port := n.Port
			setDefault(&port, s.SSH.Port)
			setDefault(&port, 22)
			hosts.see(m, at+".host", strings.ToLower(n.Host)+":"+strconv.Itoa(port))
		}
	}
}

func (s *Spec) checkNode(m *mistakes, at string, n *NodeSpec) {
	m.text(at+".name", n.Name, true, nameSyntax, "letters, digits, dots, dashes and underscores")
	m.told(at+".hardware", n.Hardware)
	if _, err := netip.ParseAddr(n.Host); err != nil {
		m.text(at+".host", n.Host, true, hostSyntax, "a host name or address, without user and port")
	}
	m.login(at, n.User, n.Port, n.Identity)
	s.checkAddress(m, at+".address", n.Address)
	m.text(at+".device", n.Device, false, deviceSyntax, "a device name such as mlx5_2")
	m.text(at+".netdev", n.Netdev, false, deviceSyntax, "an interface name such as ens1f0")
	if n.Device != "" && n.Device == s.Network.ControlDevice {
		m.add(at+".device", "%s is network.control_device: experiments must not load the control network", n.Device)
	}
	if n.Netdev != "" && n.Netdev == s.Network.ControlNetdev {
		m.add(at+".netdev", "%s is network.control_netdev: experiments must not load the control network", n.Netdev)
	}
	if g := n.GIDIndex; g != nil && (*g < 0 || *g > maxGIDIndex) {
		m.add(at+".gid_index", "%d; wants 0 to %d", *g, maxGIDIndex)
	}
	for _, role := range slices.Sorted(maps.Keys(n.Avoid)) {
		m.role(at+".avoid."+string(role), role)
		if strings.TrimSpace(n.Avoid[role]) == "" {
			m.add(at+".avoid."+string(role), "no reason; wants one, for whoever reads the error")
		}
	}
}

func (s *Spec) checkAddress(m *mistakes, at string, a netip.Addr) {
	switch network := s.Network.Experiment; {
	case !a.IsValid():
		m.add(at, "missing; wants the node's address on the experiment network")
	case a.Zone() != "" || a.IsUnspecified() || a.IsMulticast():
		m.add(at, "%s; wants the address of one host, without a zone", a)
	case network.IsValid() && !network.Contains(a.Unmap()):
		m.add(at, "%s is outside network.experiment, %s", a, network)
	}
}

func (s *Spec) checkRoles(m *mistakes) {
	for _, role := range slices.Sorted(maps.Keys(s.Roles)) {
		m.role("roles."+string(role), role)
	}
	index := make(map[string]int)
	var names []string
	for i, n := range s.Nodes {
		if _, ok := index[n.Name]; !ok && n.Name != "" {
			index[n.Name] = i
			names = append(names, n.Name)
		}
	}
	names = names[:min(len(names), maxNamed)]
	for _, role := range allRoles {
		at := "roles." + string(role)
		if len(s.Roles[role]) == 0 && (role == MN || role == CN) && !m.bad["roles"] {
			m.add(at, "no node; wants at least one")
		}
		seen := unique{}
		for i, name := range s.Roles[role] {
			item := fmt.Sprintf("%s[%d]", at, i)
			seen.see(m, item, name)
			if n, ok := index[name]; ok {
				s.checkAvoid(m, item, role, n)
			} else if !m.bad["nodes"] {
				m.add(item, "no node is called %q%s; nodes: %s", clip(name), didYouMean(name, names), clip(strings.Join(names, ", ")))
			}
		}
	}
}

// checkAvoid refuses to give role to the n-th node when that node must not have it.
func (s *Spec) checkAvoid(m *mistakes, at string, role Role, n int) {
	if reason, ok := s.Nodes[n].Avoid[role]; ok {
		m.add(at, "%s must not be %s: %s (%s)", s.Nodes[n].Name, role, reason, m.where(fmt.Sprintf("nodes[%d].avoid.%s", n, role)))
	}
}

// unique is what was seen so far → where.
type unique map[string]string

func (u unique) see(m *mistakes, at, value string) {
	if value == "" {
		return
	}
	if first, ok := u[value]; ok {
		m.add(at, "%s is there already (%s)", clip(value), m.where(first))
		return
	}
	u[value] = at
}

func (m *mistakes) role(at string, role Role) {
	if !slices.Contains(allRoles, role) {
		m.add(at, "%q is no role; allowed: mn, cn, client, spare", clip(string(role)))
	}
}

// text checks a name against its syntax.
func (m *mistakes) text(at, value string, required bool, syntax *regexp.Regexp, want string) {
	switch {
	case value == "" && !m.given(at) && !required:
	case value == "" && !m.given(at):
		m.add(at, "missing; wants %s", want)
	case !syntax.MatchString(value):
		m.add(at, "%q; wants %s", clip(value), want)
	}
}

// filled refuses the empty text where the key is given.
func (m *mistakes) filled(at, value string) {
	if value == "" && m.given(at) {
		m.add(at, "empty; leave the key out for the default")
	}
}

// told refuses the blank text where the key is given: it would stand in reports.
func (m *mistakes) told(at, value string) {
	if m.given(at) && strings.TrimSpace(value) == "" {
		m.add(at, "empty; leave the key out if it is not known")
	}
}

func (m *mistakes) port(at string, port int) {
	if port < 0 || port > 65535 || port == 0 && m.given(at) {
		m.add(at, "%d; wants a port from 1 to 65535", port)
	}
}

func (m *mistakes) duration(at string, d time.Duration) {
	if d < 0 || d == 0 && m.given(at) {
		m.add(at, "%s; wants more than 0", d)
	}
}

// workdir refuses directories that are not one's own: files below it are made and removed.
func (m *mistakes) workdir(at, dir string) {
	if dir == "" && !m.given(at) {
		return
	}
	clean := path.Clean(dir)
	if dir == "" || clean == "/" || clean == "." || clean == ".." || strings.HasPrefix(clean, "../") || strings.HasPrefix(clean, "~") {
		m.add(at, "%q; wants a directory of its own: absolute, or relative to the home directory without ~ and ..", clip(dir))
	}
}

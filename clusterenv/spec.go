package clusterenv

import (
	"maps"
	"net/netip"
	"slices"
	"time"
)

// A Role is what a node does in an experiment.
type Role string

const (
	MN     Role = "mn"     // memory node: serves the memory, and runs memcached
	CN     Role = "cn"     // compute node: runs transactions; the first one is CN0
	Client Role = "client" // starts the run and collects the result
	Spare  Role = "spare"  // at hand, and not used
)

var allRoles = []Role{MN, CN, Client, Spare}

// A Spec is a cluster as data. docs/cluster.md describes each field under the key of its tag.
//
// The zero value of a field stands for its default, which Parse and Open fill in, but for SSH and what nodes have of it:
// ResolveLogin tells what holds. The defaults of SSH.Config and SSH.Agent are those of a file; in Go their zero values are
// no configuration and no agent.
type Spec struct {
	Name      string            `yaml:"name"`
	Profile   string            `yaml:"profile"` // what the nodes were instantiated from, as in small-lan; for reports
	Site      string            `yaml:"site"`    // where they are, as in CloudLab Utah; for reports
	Expires   time.Time         `yaml:"expires"` // when the testbed takes the nodes back; zero: not told
	SSH       SSH               `yaml:"ssh"`
	Workdir   string            `yaml:"workdir"` // on the nodes; absolute, or relative to the home directory
	Memcached Memcached         `yaml:"memcached"`
	Network   Network           `yaml:"network"`
	Roles     map[Role][]string `yaml:"roles"` // names of nodes; the order gives the index
	Nodes     []NodeSpec        `yaml:"nodes"`
}

// DefaultSSHConfig is SSH.Config of a file that does not say. The machine's /etc/ssh/ssh_config is read after it, and neither
// need exist.
const DefaultSSHConfig = "~/.ssh/config"

// noSSHConfig is SSH.Config of a file that wants none.
const noSSHConfig = "none"

// SSH says how to log in. A node may override User, Port and Identity. What is zero is as the file Config says, or else has the default.
type SSH struct {
	Config     string        `yaml:"config"` // ssh_config(5) file; "none" in a file and empty in Go: none
	User       string        `yaml:"user"`
	Port       int           `yaml:"port"`
	Identity   string        `yaml:"identity"`    // private key file; ~/ is the home directory of this process; empty: the usual ones
	Agent      bool          `yaml:"agent"`       // offer the keys of $SSH_AUTH_SOCK, too
	KnownHosts string        `yaml:"known_hosts"` // ~/ as above
	Accept     Accept        `yaml:"accept"`
	Keepalive  Keepalive     `yaml:"keepalive"`
	Timeout    time.Duration `yaml:"timeout"` // of a whole dial
}

// Accept says what to do about a host key that is not known. A key that has changed is always refused.
type Accept string

const (
	AcceptStrict Accept = "strict" // refuse it
	AcceptNew    Accept = "new"    // pin it
)

// Keepalive says when a silent connection is dead: after Misses unanswered requests, sent every Interval.
type Keepalive struct {
	Interval time.Duration `yaml:"interval"`
	Misses   int           `yaml:"misses"`
}

// Memcached says where the barrier between the processes of a run is: on the first memory node, at this port.
type Memcached struct {
	Port int `yaml:"port"`
}

// Network tells the network of the experiment from the one that must be left alone.
type Network struct {
	Experiment    netip.Prefix `yaml:"experiment"`     // zero: addresses are not checked
	ControlDevice string       `yaml:"control_device"` // RDMA device of the control network, as in mlx5_0
	ControlNetdev string       `yaml:"control_netdev"` // its network interface, as in eno33
	MTU           int          `yaml:"mtu"`            // active MTU that RDMA ports must have, in bytes; zero: the program's
}

// A NodeSpec is one node.
type NodeSpec struct {
	Name     string          `yaml:"name"`
	Hardware string          `yaml:"hardware"`  // type of machine, as in c6525-25g; for reports
	Host     string          `yaml:"host"`      // host name or address for SSH
	Port     int             `yaml:"port"`      // zero: SSH.Port
	User     string          `yaml:"user"`      // empty: SSH.User
	Identity string          `yaml:"identity"`  // empty: SSH.Identity
	Address  netip.Addr      `yaml:"address"`   // on the experiment network
	Device   string          `yaml:"device"`    // RDMA device, as in mlx5_2
	Netdev   string          `yaml:"netdev"`    // its network interface, as in ens1f0
	GIDIndex *int            `yaml:"gid_index"` // nil: to be found
	Avoid    map[Role]string `yaml:"avoid"`     // roles that this node must not have, with the reason
}

// Node returns the node called name.
func (s *Spec) Node(name string) (NodeSpec, bool) {
	for _, n := range s.Nodes {
		if n.Name == name {
			return n, true
		}
	}
	return NodeSpec{}, false
}

// Names returns the names of the nodes that have role, in role order.
func (s *Spec) Names(role Role) []string { return slices.Clone(s.Roles[role]) }

// fill puts the defaults in where a field is zero.
func (s *Spec) fill() {
	if s.SSH.Config == noSSHConfig {
		s.SSH.Config = ""
	}
	setDefault(&s.Workdir, "gotestbed")
	setDefault(&s.Memcached.Port, 11211)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		setDefault(&n.Port, s.SSH.Port)
		setDefault(&n.User, s.SSH.User)
		setDefault(&n.Identity, s.SSH.Identity)
	}
	maps.DeleteFunc(s.Roles, func(_ Role, names []string) bool { return len(names) == 0 })
	if mn := s.Roles[MN]; len(s.Roles[Client]) == 0 && len(mn) > 0 {
		s.Roles[Client] = []string{mn[0]}
	}
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// clone returns a copy that fill may change.
func (s *Spec) clone() *Spec {
	c := *s
	c.Roles = maps.Clone(s.Roles)
	c.Nodes = slices.Clone(s.Nodes)
	return &c
}

package clusterenv

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// file is a correct cluster file with its lines numbered, for tests that break one of them.
var file = []string{
	1:  "name: lan",
	2:  "ssh: {user: alice, port: 22}",
	3:  "network:",
	4:  "  experiment: 10.10.1.0/24",
	5:  "  control_device: mlx5_0",
	6:  "  control_netdev: eno33",
	7:  "roles:",
	8:  "  mn: [node0]",
	9:  "  cn: [node1, node2]",
	10: "nodes:",
	11: "  - name: node0",
	12: "    host: a.example.net",
	13: "    address: 10.10.1.1",
	14: "  - name: node1",
	15: "    host: b.example.net",
	16: "    address: 10.10.1.2",
	17: "  - name: node2",
	18: "    host: c.example.net",
	19: "    address: 10.10.1.3",
	20: "    device: mlx5_2",
	21: "    avoid: {mn: panics often}",
}

// with is the file with line n replaced by text, which must not hold more lines.
func with(n int, text string) string {
	lines := append([]string(nil), file...)
	lines[n] = text
	return strings.Join(lines[1:], "\n") + "\n"
}

func TestFileIsCorrect(t *testing.T) {
	_, err := Parse("f", []byte(with(1, file[1])))
	require.NoError(t, err)
}

// TestDocumentedErrors looks in docs/cluster.md for a row with the name and the message of each.
var mistakeTests = []struct {
	name string
	line int    // that is replaced
	text string // by this
	want string
}{
	{"unknown key", 2, "ssh: {usr: alice}", "f:2: ssh.usr: unknown key (did you mean user?); allowed: config, user, port, identity, agent, known_hosts, accept, keepalive, timeout"},
	{"unknown key", 1, "nmae: lan", "f:1: nmae: unknown key (did you mean name?); allowed: name, profile, site, expires, ssh, workdir, memcached, network, roles, nodes\nf:1: name: missing; wants letters, digits, dots, dashes and underscores"},
	{"unknown key", 20, "    colour: blue", "f:20: nodes[2].colour: unknown key; allowed: name, hardware, host, port, user, identity, address, device, netdev, gid_index, avoid"},
	{"unknown key", 20, "    ? [a]\n    : b", "f:20: nodes[2]: unknown key; allowed: name, hardware, host, port, user, identity, address, device, netdev, gid_index, avoid"},
	{"unknown role", 7, "roles:\n  cnn: [node1]", "f:8: roles.cnn: unknown key (did you mean cn?); allowed: mn, cn, client, spare"},
	{"unknown role", 21, "    avoid: {memory: no}", "f:21: nodes[2].avoid.memory: unknown key; allowed: mn, cn, client, spare"},
	{"duplicate key", 3, "name: lan2\nnetwork:", "f:3: name: the key is there already, in line 1"},
	{"wrong type", 1, "name: 5", `f:1: name: "5"; wants text (in quotes, if it looks like something else)`},
	{"wrong type", 1, "name:", `f:1: name: empty; wants text (in quotes, if it looks like something else)`},
	{"wrong type", 1, `name: "a\tb"`, `f:1: name: "a\tb"; wants text of one line without control characters`},
	{"wrong type", 2, "ssh: {port: '22'}", `f:2: ssh.port: "22"; wants a whole number`},
	{"wrong type", 2, "ssh: {port: 22.5}", `f:2: ssh.port: "22.5"; wants a whole number`},
	{"wrong type", 2, "ssh: {agent: yes}", `f:2: ssh.agent: "yes"; wants true or false`},
	{"wrong type", 2, "ssh: alice", `f:2: ssh: "alice"; wants keys and values (config, user, port, identity, agent, known_hosts, accept, keepalive, timeout)`},
	{"wrong type", 8, "  mn: node0", `f:8: roles.mn: "node0"; wants a list`},
	{"wrong type", 8, "  mn: {node0: 1}", `f:8: roles.mn: a mapping; wants a list`},
	{"wrong type", 8, "  mn: [[node0]]", `f:8: roles.mn[0]: a list; wants text (in quotes, if it looks like something else)`},
	{"wrong type", 20, "    gid_index: three", `f:20: nodes[2].gid_index: "three"; wants a whole number`},
	{"alias", 12, "    host: &h a.example.net\n    user: *h", `f:13: nodes[0].user: an alias; wants the value itself`},
	{"bad duration", 2, "ssh: {timeout: 15}", `f:2: ssh.timeout: "15"; wants a duration such as 20s or 1m30s`},
	{"bad time", 1, "name: lan\nexpires: 2026-01-31", `f:2: expires: "2026-01-31"; wants a time such as 2026-01-31T18:00:00Z`},
	{"bad time", 1, "name: lan\nexpires: Friday", `f:2: expires: "Friday"; wants a time such as 2026-01-31T18:00:00Z`},
	{"bad duration", 2, "ssh: {timeout: soon}", `f:2: ssh.timeout: "soon"; wants a duration such as 20s or 1m30s`},
	{"bad duration", 2, "ssh: {timeout: 0s}", "f:2: ssh.timeout: 0s; wants more than 0"},
	{"bad duration", 2, "ssh: {keepalive: {interval: -1s}}", "f:2: ssh.keepalive.interval: -1s; wants more than 0"},
	{"bad count", 2, "ssh: {keepalive: {misses: 0}}", "f:2: ssh.keepalive.misses: 0; wants at least 1"},
	{"bad port", 2, "ssh: {port: 0}", "f:2: ssh.port: 0; wants a port from 1 to 65535"},
	{"bad port", 2, "memcached: {port: 65536}", "f:2: memcached.port: 65536; wants a port from 1 to 65535"},
	{"bad port", 20, "    port: -1", "f:20: nodes[2].port: -1; wants a port from 1 to 65535"},
	{"bad accept", 2, "ssh: {accept: always}", `f:2: ssh.accept: "always"; allowed: strict, new`},
	{"bad user", 2, "ssh: {user: alice@host}", `f:2: ssh.user: "alice@host"; wants a login name without a host`},
	{"empty text", 2, "ssh: {config: ''}", "f:2: ssh.config: empty; leave the key out for the default"},
	{"empty text", 2, "ssh: {identity: ''}", "f:2: ssh.identity: empty; leave the key out for the default"},
	{"empty text", 1, "name: lan\nsite: ' '", "f:2: site: empty; leave the key out if it is not known"},
	{"empty text", 20, "    hardware: ''", "f:20: nodes[2].hardware: empty; leave the key out if it is not known"},
	{"empty text", 2, "ssh: {known_hosts: ''}", "f:2: ssh.known_hosts: empty; leave the key out for the default"},
	{"bad workdir", 2, "workdir: ~/gotestbed", `f:2: workdir: "~/gotestbed"; wants a directory of its own: absolute, or relative to the home directory without ~ and ..`},
	{"bad workdir", 2, "workdir: a/../..", `f:2: workdir: "a/../.."; wants a directory of its own: absolute, or relative to the home directory without ~ and ..`},
	{"bad workdir", 2, "workdir: /", `f:2: workdir: "/"; wants a directory of its own: absolute, or relative to the home directory without ~ and ..`},
	{"bad workdir", 2, "workdir: ''", `f:2: workdir: ""; wants a directory of its own: absolute, or relative to the home directory without ~ and ..`},
	{"bad name", 1, "name: my lan", `f:1: name: "my lan"; wants letters, digits, dots, dashes and underscores`},
	{"bad name", 20, "    device: ../mlx5_2", `f:20: nodes[2].device: "../mlx5_2"; wants a device name such as mlx5_2`},
	{"bad name", 20, "    netdev: ens1 f0", `f:20: nodes[2].netdev: "ens1 f0"; wants an interface name such as ens1f0`},
	{"bad host", 18, "    host: alice@c.example.net", `f:18: nodes[2].host: "alice@c.example.net"; wants a host name or address, without user and port`},
	{"bad host", 18, "    host: c.example.net:22", `f:18: nodes[2].host: "c.example.net:22"; wants a host name or address, without user and port`},
	{"missing key", 18, "    user: bob", "f:17: nodes[2].host: missing; wants a host name or address, without user and port"},
	{"missing key", 19, "    user: bob", "f:17: nodes[2].address: missing; wants the node's address on the experiment network"},
	{"bad address", 19, "    address: 10.10.1", `f:19: nodes[2].address: "10.10.1"; wants an address such as 10.10.1.3`},
	{"bad address", 19, "    address: 10.10.1.3/24", `f:19: nodes[2].address: "10.10.1.3/24"; wants an address such as 10.10.1.3`},
	{"bad address", 19, "    address: 0.0.0.0", `f:19: nodes[2].address: 0.0.0.0; wants the address of one host, without a zone`},
	{"bad network", 4, "  experiment: 10.10.1.0", `f:4: network.experiment: "10.10.1.0"; wants a network such as 10.10.1.0/24`},
	{"bad network", 4, "  experiment: 10.10.1.7/24", "f:4: network.experiment: 10.10.1.7/24 is the address of a host; the network is 10.10.1.0/24"},
	{"bad MTU", 6, "  mtu: 1500", "f:6: network.mtu: 1500; wants 256, 512, 1024, 2048 or 4096"},
	{"bad MTU", 6, "  mtu: 0", "f:6: network.mtu: 0; wants 256, 512, 1024, 2048 or 4096"},
	{"outside the network", 19, "    address: 10.10.2.3", "f:19: nodes[2].address: 10.10.2.3 is outside network.experiment, 10.10.1.0/24"},
	{"bad GID index", 20, "    gid_index: -3", "f:20: nodes[2].gid_index: -3; wants 0 to 1023"},
	{"control device", 20, "    device: mlx5_0", "f:20: nodes[2].device: mlx5_0 is network.control_device: experiments must not load the control network"},
	{"control device", 20, "    netdev: eno33", "f:20: nodes[2].netdev: eno33 is network.control_netdev: experiments must not load the control network"},
	{"duplicate node", 17, "  - name: node1", "f:9: roles.cn[1]: no node is called \"node2\" (did you mean node0?); nodes: node0, node1\nf:17: nodes[2].name: node1 is there already (nodes[1].name, line 14)"},
	{"duplicate address", 19, "    address: 10.10.1.1", "f:19: nodes[2].address: 10.10.1.1 is there already (nodes[0].address, line 13)"},
	{"duplicate address", 19, "    address: ::ffff:10.10.1.1", "f:19: nodes[2].address: 10.10.1.1 is there already (nodes[0].address, line 13)"},
	{"duplicate host and port", 18, "    host: A.example.net", "f:18: nodes[2].host: a.example.net:22 is there already (nodes[0].host, line 12)"},
	{"unknown node", 9, "  cn: [node1, nod2]", `f:9: roles.cn[1]: no node is called "nod2" (did you mean node2?); nodes: node0, node1, node2`},
	{"no node in a role", 9, "  cn: []", "f:9: roles.cn: no node; wants at least one"},
	{"no node in a role", 8, "  client: [node0]", "f:8: roles.mn: no node; wants at least one"},
	{"twice in a role", 9, "  cn: [node1, node2, node1]", "f:9: roles.cn[2]: node1 is there already (roles.cn[0], line 9)"},
	{"avoided role", 8, "  mn: [node2]", "f:8: roles.mn[0]: node2 must not be mn: panics often (nodes[2].avoid.mn, line 21)"},
	{"no reason", 21, "    avoid: {mn: ' '}", "f:21: nodes[2].avoid.mn: no reason; wants one, for whoever reads the error"},
	{"not YAML", 3, "network", "f:3: not YAML: could not find expected ':'"},
	{"not YAML", 1, "name: {", "f:3: not YAML: did not find expected ',' or '}' (look at the list or mapping around this line)"},
	{"not YAML", 13, "    address: 10.10.1.1: 2", "f:13: not YAML: mapping values are not allowed in this context"},
	{"not YAML", 13, "\taddress: 10.10.1.1", "f:12: not YAML: found a tab character that violates indentation"},
	{"not YAML", 13, "   address: 10.10.1.1", "f:11: not YAML: did not find expected '-' indicator (look at the list or mapping around this line)"},
	{"not YAML", 3, "network: [", "f:3: not YAML: did not find expected ',' or ']' (look at the list or mapping around this line)"},
	{"second document", 1, "name: lan\n---", "f:2: a second document; a file describes one cluster"},
}

func TestMistakes(t *testing.T) {
	for _, tt := range mistakeTests {
		t.Run(fmt.Sprintf("%s: %s", tt.name, strings.TrimSpace(tt.text)), func(t *testing.T) {
			text := with(tt.line, tt.text)
			spec, err := Parse("f", []byte(text))
			require.Nil(t, spec)
			require.Error(t, err)
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s\nof\n%s", diff, text)
			}
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.Equal(t, "f", syntax.File)
		})
	}
}

// All mistakes come at once, in the order of lines.
func TestManyMistakes(t *testing.T) {
	_, err := Parse("cluster.yaml", []byte(`name: lan
ssh: {port: 99999, acept: new}
roles:
  mn: [node0]
  cn: []
nodes:
  - name: node0
    host: a.example.net
    address: 10.10.1.1
    avoid: {mn: "half the memory: 64 GB"}
  - name: node0
    host: b.example.net
    adress: 10.10.1.2
`))
	want := `cluster.yaml:2: ssh.acept: unknown key (did you mean accept?); allowed: config, user, port, identity, agent, known_hosts, accept, keepalive, timeout
cluster.yaml:2: ssh.port: 99999; wants a port from 1 to 65535
cluster.yaml:4: roles.mn[0]: node0 must not be mn: half the memory: 64 GB (nodes[0].avoid.mn, line 10)
cluster.yaml:5: roles.cn: no node; wants at least one
cluster.yaml:11: nodes[1].address: missing; wants the node's address on the experiment network
cluster.yaml:11: nodes[1].name: node0 is there already (nodes[0].name, line 7)
cluster.yaml:13: nodes[1].adress: unknown key (did you mean address?); allowed: name, hardware, host, port, user, identity, address, device, netdev, gid_index, avoid`
	require.Error(t, err)
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWholeFileMistakes(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "f: empty; docs/cluster.md has an example"},
		{"comment only", "# nothing\n", "f: empty; docs/cluster.md has an example"},
		{"list", "- a\n", "f:1: a list; wants keys and values (name, profile, site, expires, ssh, workdir, memcached, network, roles, nodes)"},
		{"text", "hello", `f:1: "hello"; wants keys and values (name, profile, site, expires, ssh, workdir, memcached, network, roles, nodes)`},
		{"binary", "\x00\x01\x02", "f: not YAML: control characters are not allowed"},
		{"large", strings.Repeat("# padding\n", 1<<17), "f: larger than 1048576 bytes: not a cluster file"},
		{"nodes is no list", "name: a\nroles: {mn: [x], cn: [y]}\nnodes: 3\n", `f:3: nodes: "3"; wants a list`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec, err := Parse("f", []byte(tt.text))
			require.Nil(t, spec)
			require.Error(t, err)
			first, _, _ := strings.Cut(err.Error(), "\n")
			require.Equal(t, tt.want, first)
		})
	}
	_, err := Load("no/such/file.yaml")
	require.ErrorContains(t, err, "no/such/file.yaml")
}

// The errors of a file that is all mistakes are bounded.
func TestMistakesAreBounded(t *testing.T) {
	_, err := Parse("f", []byte(strings.Repeat("x: 1\n", 10_000)))
	require.Error(t, err)
	text := err.Error()
	require.Less(t, len(text), 20_000)
	require.Regexp(t, `\nf: and \d+ more mistakes$`, text)
}

func TestValidate(t *testing.T) {
	good := func() *Spec {
		return &Spec{
			Name:  "pair",
			Roles: map[Role][]string{MN: {"a"}, CN: {"b"}},
			Nodes: []NodeSpec{
				{Name: "a", Host: "127.0.0.1", Port: 2201, Address: netip.MustParseAddr("127.0.0.1")},
				{Name: "b", Host: "127.0.0.1", Port: 2202, Address: netip.MustParseAddr("127.0.0.2")},
			},
		}
	}
	require.NoError(t, good().Validate())

	bad := good()
	bad.Roles["boss"] = []string{"a"}
	bad.Roles[CN] = []string{"c"}
	bad.Nodes[1].Port = 2201
	bad.SSH.Accept = "all"
	bad.SSH.Keepalive.Misses = -1
	err := bad.Validate()
	want := `ssh.accept: "all"; allowed: strict, new
ssh.keepalive.misses: -1; wants at least 1
nodes[1].host: 127.0.0.1:2201 is there already (nodes[0].host)
roles.boss: "boss" is no role; allowed: mn, cn, client, spare
roles.cn[0]: no node is called "c"; nodes: a, b`
	require.Error(t, err)
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	err = (&Spec{}).Validate()
	var syntax *SyntaxError
	require.True(t, errors.As(err, &syntax))
	require.ErrorContains(t, err, "name: missing")
	require.ErrorContains(t, err, "nodes: no nodes; wants at least one")
}

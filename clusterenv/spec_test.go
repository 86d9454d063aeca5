package clusterenv

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
)

var netipValues = cmpopts.EquateComparable(netip.Addr{}, netip.Prefix{})

func TestFiveNode(t *testing.T) {
	spec, err := Load("../testdata/clusters/five-node.yaml")
	require.NoError(t, err)
	three := 3
	node := func(name, host, address string, avoid map[Role]string) NodeSpec {
		return NodeSpec{
			Name: name, Hardware: "c6525-25g", Host: host + ".utah.cloudlab.us", Address: netip.MustParseAddr(address),
			Device: "mlx5_2", Netdev: "ens1f0", GIDIndex: &three, Avoid: avoid,
		}
	}
	want := &Spec{
		Name: "small-lan", Profile: "small-lan", Site: "Utah",
		SSH:       SSH{Config: DefaultSSHConfig, Agent: true},
		Workdir:   "gotestbed",
		Memcached: Memcached{Port: 11211},
		Network: Network{
			Experiment: netip.MustParsePrefix("10.10.1.0/24"), ControlDevice: "mlx5_0", ControlNetdev: "eno33",
		},
		Roles: map[Role][]string{
			MN: {"node2"}, CN: {"node3", "node1", "node4"}, Client: {"node2"}, Spare: {"node0"},
		},
		Nodes: []NodeSpec{
			node("node0", "amd119", "10.10.1.1", map[Role]string{MN: "kernel panics after a memory region overflow"}),
			node("node1", "amd107", "10.10.1.2", nil),
			node("node2", "amd103", "10.10.1.3", nil),
			node("node3", "amd118", "10.10.1.4", nil),
			node("node4", "amd112", "10.10.1.5", map[Role]string{MN: "panics often"}),
		},
	}
	if diff := cmp.Diff(want, spec, netipValues); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	require.Equal(t, []string{"node3", "node1", "node4"}, spec.Names(CN))
	n, ok := spec.Node("node4")
	require.True(t, ok)
	require.Equal(t, "panics often", n.Avoid[MN])
	_, ok = spec.Node("node9")
	require.False(t, ok)
}

func TestSevenNode(t *testing.T) {
	spec, err := Load("../testdata/clusters/seven-node.yaml")
	require.NoError(t, err)
	require.Len(t, spec.Nodes, 7)
	require.Equal(t, []string{"node6"}, spec.Names(Client))
	require.Equal(t, "/local/gotestbed", spec.Workdir)
	require.Equal(t, 21211, spec.Memcached.Port)
	last, _ := spec.Node("node6")
	require.Equal(t, 2222, last.Port)
	require.Equal(t, "geniuser", last.User)
	require.Nil(t, last.GIDIndex)
	want := SSH{
		Config: DefaultSSHConfig, Agent: true, KnownHosts: "known_hosts.seven", Accept: AcceptNew,
		Keepalive: Keepalive{Interval: 10 * time.Second, Misses: 6},
	}
	if diff := cmp.Diff(want, spec.SSH); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a file need not say: the least that is a cluster, and what becomes of it.
const leastFile = `name: pair
roles: {mn: [a], cn: [b]}
nodes:
  - {name: a, host: a.example.net, address: 10.0.0.1}
  - {name: b, host: b.example.net, address: 10.0.0.2}
`

func TestDefaults(t *testing.T) {
	spec, err := Parse("pair.yaml", []byte(leastFile))
	require.NoError(t, err)
	want := &Spec{
		Name:      "pair",
		SSH:       SSH{Config: DefaultSSHConfig, Agent: true},
		Workdir:   "gotestbed",
		Memcached: Memcached{Port: 11211},
		Roles:     map[Role][]string{MN: {"a"}, CN: {"b"}, Client: {"a"}},
		Nodes: []NodeSpec{
			{Name: "a", Host: "a.example.net", Address: netip.MustParseAddr("10.0.0.1")},
			{Name: "b", Host: "b.example.net", Address: netip.MustParseAddr("10.0.0.2")},
		},
	}
	if diff := cmp.Diff(want, spec, netipValues); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestExpires: quoted or not, in any zone.
func TestExpires(t *testing.T) {
	want := time.Date(2026, 1, 31, 18, 0, 0, 0, time.UTC)
	for _, text := range []string{"2026-01-31T18:00:00Z", `"2026-01-31T18:00:00Z"`, "2026-01-31T11:00:00-07:00"} {
		spec, err := Parse("pair.yaml", []byte("expires: "+text+"\n"+leastFile))
		require.NoError(t, err)
		require.True(t, want.Equal(spec.Expires), spec.Expires)
		requireRoundTrip(t, spec)
	}
}

func TestNodesInheritLogin(t *testing.T) {
	spec, err := Parse("pair.yaml", []byte("ssh: {user: alice, port: 2200, identity: ~/key}\n"+leastFile))
	require.NoError(t, err)
	require.Equal(t, NodeSpec{
		Name: "a", Host: "a.example.net", Port: 2200, User: "alice", Identity: "~/key", Address: netip.MustParseAddr("10.0.0.1"),
	}, spec.Nodes[0])
}

func TestRoundTrip(t *testing.T) {
	for _, file := range []string{"five-node.yaml", "seven-node.yaml"} {
		t.Run(file, func(t *testing.T) {
			spec, err := Load("../testdata/clusters/" + file)
			require.NoError(t, err)
			requireRoundTrip(t, spec)
		})
	}
	t.Run("odd texts", func(t *testing.T) {
		spec, err := Parse("pair.yaml", []byte("ssh: {agent: false, identity: '#1: \"it''s\" - ~ é'}\nworkdir: 'true'\nsite: 'Utah: #2'\nprofile: '5'\n"+leastFile))
		require.NoError(t, err)
		require.False(t, spec.SSH.Agent)
		requireRoundTrip(t, spec)
	})
}

func requireRoundTrip(t testing.TB, spec *Spec) {
	t.Helper()
	text, err := spec.YAML()
	require.NoError(t, err)
	again, err := Parse("again.yaml", text)
	require.NoError(t, err, "of\n%s", text)
	if diff := cmp.Diff(spec, again, netipValues); diff != "" {
		t.Errorf("written and read again (-want +got):\n%s\n%s", diff, text)
	}
}

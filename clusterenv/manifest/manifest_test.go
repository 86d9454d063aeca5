package manifest

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/clusterenv"
)

const cases = "../../testdata/cases"

// TestCases reads the manifests of testdata/cases, whose right answers are in cases.json.
func TestCases(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(cases, "cases.json"))
	require.NoError(t, err)
	var all []struct {
		File, Kind string
		Want       struct {
			Nodes     []map[string]any
			LAN       map[string]any
			Truncated bool
			Error     any
		}
	}
	require.NoError(t, json.Unmarshal(text, &all))
	count := 0
	for _, c := range all {
		if c.Kind != "manifest" {
			continue
		}
		count++
		t.Run(filepath.Base(c.File), func(t *testing.T) {
			f, err := os.Open(filepath.Join(cases, c.File))
			require.NoError(t, err)
			defer f.Close()
			m, err := Parse(f)
			require.Equal(t, c.Want.Truncated, errors.Is(err, ErrTruncated))
			if c.Want.Error != nil {
				require.Error(t, err)
				require.Nil(t, m)
				return
			}
			require.NoError(t, err)
			if diff := cmp.Diff(c.Want.Nodes, told(m.Nodes)); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
			var lan map[string]any
			if len(m.LANs) > 0 {
				addresses := []any{}
				for _, a := range m.LANs[0].Addresses {
					addresses = append(addresses, a.Addr().String())
				}
				lan = map[string]any{"name": m.LANs[0].Name, "addresses": addresses}
			}
			if diff := cmp.Diff(c.Want.LAN, lan); diff != "" {
				t.Errorf("lan (-want +got):\n%s", diff)
			}
		})
	}
	require.Equal(t, 3, count)
}

// told is nodes as the cases write them: what is not said is null.
func told(nodes []Node) []map[string]any {
	var all []map[string]any
	for _, n := range nodes {
		interfaces := []any{}
		for _, i := range n.Interfaces {
			port := map[string]any{"component_id": i.Component, "ip": nil, "netmask": nil}
			if i.IP.IsValid() {
				port["ip"], port["netmask"] = i.IP.String(), i.Netmask
			}
			interfaces = append(interfaces, port)
		}
		one := map[string]any{
			"client_id": n.Name, "hostname": n.Host, "port": float64(n.Port), "ipv4": n.IPv4, "hardware_type": n.Hardware,
			"interfaces": interfaces, "usable": n.Unusable == "",
		}
		if n.Unusable != "" {
			one["why"] = n.Unusable
		}
		all = append(all, one)
	}
	return all
}

const (
	head = `<rspec xmlns="http://www.geni.net/resources/rspec/3" type="manifest" expires="2026-12-02T10:00:00Z">`
	tail = `<link client_id="lan"><interface_ref client_id="a:1"/><interface_ref client_id="b:1"/></link></rspec>`
)

// node is a <node> whose machine is called name with an x before.
func node(name, address, rest string) string {
	return `<node client_id="` + name + `" component_id="urn:publicid:IDN+site.example+node+x` + name +
		`" component_manager_id="urn:publicid:IDN+site.example+authority+cm" sliver_id="s"><sliver_type name="raw-pc"/>` + rest +
		`<interface client_id="` + name + `:1" component_id="p" mac_address="0c42a15d1040"><ip address="` + address + `" netmask="255.255.255.0"/></interface>` +
		`<services><login hostname="x` + name + `.site.example" port="22" username="u"/></services></node>`
}

func TestBadInput(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "manifest: there is no XML in it"},
		{"not XML", "error: no such experiment\n", `"error:" where an element should begin`},
		{"HTML", "<html><body/></html>", "the element is <html>"},
		{"request", head + `<node client_id="a"><sliver_type name="raw-pc"/></node></rspec>`, "this is the request, not the manifest"},
		{"no node", head + `</rspec>`, "it has no node"},
		{"no login", head + `<node client_id="a" sliver_id="s"/></rspec>`, "no node has a login"},
		{"no name", head + `<node sliver_id="s"/></rspec>`, "it has no client_id"},
		{"twice", head + node("a", "10.0.0.1", "") + node("a", "10.0.0.2", "") + tail, `two nodes are called "a"`},
		{"address", head + node("a", "10.0.0.999", "") + tail, `node "a": interface a:1: `},
		{"expires", strings.Replace(head, "2026-12-02T10:00:00Z", "soon", 1) + node("a", "10.0.0.1", "") + tail, "expires: "},
		{"document type", `<!DOCTYPE rspec [<!ENTITY a "aaaa">]>` + head + tail, "document type"},
		{"entity", head + `<node client_id="&a;"/></rspec>`, "invalid character entity &a;"},
		{"cut between elements", head + node("a", "10.0.0.1", ""), "truncated"},
		{"mismatched", head + `<node client_id="a"></link></rspec>`, "manifest:1: element <node> closed by </link>"},
		{"too large", head + strings.Repeat(" ", MaxSize), "larger than 16 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Parse(strings.NewReader(c.text))
			require.ErrorContains(t, err, c.want)
			require.Nil(t, m)
		})
	}
}

func TestUnusable(t *testing.T) {
	for _, c := range []struct{ rest, want string }{
		{"", ""},
		{`<sliver_type name="emulab-blockstore"/>`, "storage"},
		{`<sliver_type name="emulab-xen"/>`, "virtual machine"},
		{`<vnode name="pcvm1-1" hardware_type="pcvm"/>`, "virtual machine"},
	} {
		m, err := Parse(strings.NewReader(head + node("a", "10.0.0.1", c.rest) + node("b", "10.0.0.2", "") + tail))
		require.NoError(t, err)
		require.Equal(t, c.want, m.Nodes[0].Unusable, c.rest)
	}
	m, err := Parse(strings.NewReader(head + strings.Replace(node("a", "10.0.0.1", ""), "services", "nothing", 2) + node("b", "10.0.0.2", "") + tail))
	require.NoError(t, err)
	require.Equal(t, "no login", m.Nodes[0].Unusable)
	require.Equal(t, []string{"b"}, m.LANs[0].Nodes)
}

func read(t *testing.T, name string) *Manifest {
	t.Helper()
	f, err := os.Open(filepath.Join(cases, "manifest", name))
	require.NoError(t, err)
	defer f.Close()
	m, err := Parse(f)
	require.NoError(t, err)
	return m
}

func TestSpec(t *testing.T) {
	m := read(t, "01-switch-and-node-of-other-site.xml")
	like, err := clusterenv.Parse("old.yaml", []byte(`
name: old
ssh: {user: alice}
network: {experiment: 10.10.1.0/24, control_device: mlx5_0}
roles: {mn: [x], cn: [y]}
nodes:
  - {name: x, host: x.example, address: 10.10.1.1}
  - {name: y, host: amd907.utah.cloudlab.us, address: 10.10.1.2, avoid: {mn: panics often}}
`))
	require.NoError(t, err)
	spec, notes, err := m.Spec(Options{Like: like})
	require.NoError(t, err)
	require.Equal(t, map[clusterenv.Role][]string{"mn": {"node1"}, "cn": {"node0", "node2", "node3", "node4"}}, spec.Roles)
	require.Equal(t, "192.168.240.0/24", spec.Network.Experiment.String())
	require.Equal(t, "mlx5_0", spec.Network.ControlDevice)
	require.Equal(t, "utah.cloudlab.us", spec.Site)
	require.Equal(t, "c6525-25g", spec.Nodes[0].Hardware)
	want := []string{
		"probe (c220g2-010917) left out: no experiment interface",
		"sw0 (ualloc-dell3) left out: switch",
		"node0 is not to be mn: panics often",
	}
	for _, w := range want {
		require.Contains(t, notes, w)
	}
	text, err := spec.YAML()
	require.NoError(t, err)
	_, err = clusterenv.Parse("cluster.yaml", text)
	require.NoError(t, err, "what was made is a cluster file:\n%s", text)
	require.NotContains(t, string(text), "198.51.100", "the control network's addresses are nobody's business")
}

func TestSpecExpires(t *testing.T) {
	m, err := Parse(strings.NewReader(head + node("a", "10.0.0.1", "") + node("b", "10.0.0.2", "") + tail))
	require.NoError(t, err)
	spec, _, err := m.Spec(Options{Like: &clusterenv.Spec{Expires: time.Now()}})
	require.NoError(t, err)
	require.Equal(t, time.Date(2026, 12, 2, 10, 0, 0, 0, time.UTC), spec.Expires, "that of the manifest, not of the file before")
}

func TestSpecNetwork(t *testing.T) {
	m := read(t, "01-switch-and-node-of-other-site.xml")
	_, _, err := m.Spec(Options{Network: "lan_other"})
	require.ErrorContains(t, err, `no network is called "lan_other"; there are: lan_main, `)
	_, _, err = read(t, "02-two-virtual-machines-on-one-host.xml").Spec(Options{})
	require.ErrorContains(t, err, "no network connects usable nodes")
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(cases, "manifest", "*.xml"))
	require.NoError(f, err)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte(head + node("a", "10.0.0.1", "") + tail))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse(strings.NewReader(string(text)))
		if (m == nil) == (err == nil) {
			t.Fatalf("manifest %v, error %v", m, err)
		}
		if err != nil {
			return
		}
		if spec, _, err := m.Spec(Options{}); err == nil {
			text, err := spec.YAML()
			require.NoError(t, err)
			_, err = clusterenv.Parse("f", text)
			require.NoError(t, err, "%s", text)
		}
	})
}

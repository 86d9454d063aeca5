package recording

import (
	"bytes"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// cloudSpec is a cluster as one finds it: names that tell the site, a network for the experiment, one for everything else.
func cloudSpec() *clusterenv.Spec {
	return &clusterenv.Spec{
		Name:    "small-lan",
		SSH:     clusterenv.SSH{User: "agnes", Identity: "/home/agnes/.ssh/key"},
		Network: clusterenv.Network{Experiment: netip.MustParsePrefix("10.10.1.0/24")},
		Roles:   map[clusterenv.Role][]string{clusterenv.MN: {"node2"}, clusterenv.CN: {"node3"}},
		Nodes: []clusterenv.NodeSpec{
			{Name: "node2", Host: "amd103.site.example.org", User: "agnes", Address: netip.MustParseAddr("10.10.1.3")},
			{Name: "node3", Host: "128.110.218.4", User: "agnes", Address: netip.MustParseAddr("10.10.1.4")},
		},
	}
}

func cloudRedactor() *redactor {
	values := &Values{}
	values.Set("run", "5f1c2d3e4b5a6978")
	values.Set("port", "11211")
	red := newRedactor(values, identity{
		users: []string{"agnes"}, homes: []string{"/Users/agnes"}, host: "agnes-laptop.site.example.org",
		secrets: map[string]string{"s3cr3t-value": "API_TOKEN"},
	})
	red.learnSpec(cloudSpec())
	red.learnHome("node2", "/users/agnes", "agnes")
	return red
}

func TestRedact(t *testing.T) {
	red := cloudRedactor()
	check := func(in, want string) {
		t.Helper()
		got := red.text(in)
		if got != want {
			t.Errorf("redacted %q:\n got %q\nwant %q", in, got, want)
		}
		if again := red.text(strings.ReplaceAll(got, openMark, "")); again != strings.ReplaceAll(got, openMark, "") {
			t.Errorf("redacted twice: %q became %q", got, again)
		}
	}
	// Who, and where at home.
	check("agnes\n", "user1\n")
	check("/users/agnes/gotestbed/lock /Users/agnes/.ssh", "/users/user1/gotestbed/lock /Users/user1/.ssh")
	check("agnes@laptop:~$ Agnesi vagnes", "user1@laptop:~$ Agnesi vagnes")
	check("uid=20001(agnes) gid=6000(proj-PG0)", "uid=20001(user1) gid=6000(proj-PG0)")
	// Hosts: the known ones, and others of their domain.
	check("amd103.site.example.org amd103", "node2.example.net node2")
	check("node5.exp.proj.site.example.org: up", "host1.example.net: up")
	check("search site.example.org", "search example.net")
	check("host agnes-laptop: driver", "host driver: driver")
	// Addresses: control network and elsewhere, consistently; those of the experiment stay.
	check("inet 128.110.218.4/21 brd 128.110.223.255", "inet 192.0.2.1/21 brd 192.0.2.2")
	check("10.10.1.3:11211 10.10.1.77 127.0.0.1 0.0.0.0 *:22", "10.10.1.3:⟦port⟧ 10.10.1.77 127.0.0.1 0.0.0.0 *:22")
	check("128.110.218.4-128.110.223.255", "192.0.2.1-192.0.2.2")
	check("netmask 255.255.255.0, at 155.98.36.1.", "netmask 255.255.255.0, at 192.0.2.3.")
	check("inet6 2001:db9:7::5/64 fe80::bace:f6ff:fe12:3456/64 ::1 [::]:11211", "inet6 2001:db8::1/64 fe80::bace:f6ff:fe12:3456/64 ::1 [::]:⟦port⟧")
	check("GID[3]: 0000:0000:0000:0000:0000:ffff:0a0a:0103", "GID[3]: 0000:0000:0000:0000:0000:ffff:0a0a:0103")
	check("GID[3]: 0000:0000:0000:0000:0000:ffff:806e:da04", "GID[3]: 0000:0000:0000:0000:0000:ffff:c000:0201")
	check("::ffff:128.110.218.4", "::ffff:192.0.2.1")
	// What only looks like an address.
	check("MLNX_OFED_LINUX-4.9-7.1.0.0:", "MLNX_OFED_LINUX-4.9-7.1.0.0:")
	check("1.2.3.4-5ubuntu1 v4.3.2.1 std::string 12:34:56 0000:3b:00.0 5.4.0-216-generic", "1.2.3.4-5ubuntu1 v4.3.2.1 std::string 12:34:56 0000:3b:00.0 5.4.0-216-generic")
	check("GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:10:01:03", "GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:10:01:03")
	check("Committed: 822000 atomic=0.480 1e+06", "Committed: 822000 atomic=0.480 1e+06")
	// Hardware.
	check("link/ether b8:ce:f6:12:34:56 brd ff:ff:ff:ff:ff:ff", "link/ether 02:00:5e:00:00:01 brd ff:ff:ff:ff:ff:ff")
	check("b8:ce:f6:12:34:56 B8:CE:F6:AA:BB:CC", "02:00:5e:00:00:01 02:00:5E:00:00:02")
	check("Serial Number: MT2045X00123", "Serial Number: SN0000000001")
	check("0123456789abcdef0123456789abcdef\n", "00000000000000000000000000000001\n")
	check("0123456789abcdef0123456789abcdef  file", "0123456789abcdef0123456789abcdef  file")
	check("UUID 8c1f3b2e-0a4d-4e6f-9b7a-112233445566", "UUID 00000000-0000-4000-8000-000000000001")
	// Secrets.
	check("x=s3cr3t-value;", "x=redacted-API_TOKEN;")
	check("Authorization: Bearer abc.DEF-123_456", "Authorization: Bearer redacted-1")
	check("GITHUB_TOKEN=ghp_0123456789", "GITHUB_TOKEN=redacted-2")
	check("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 agnes@laptop\nnext", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 redacted\nnext")
	check("a\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\nbnNz\n-----END OPENSSH PRIVATE KEY-----\nz", "a\n[a private key was here]\nz")
	check("-----BEGIN RSA PRIVATE KEY-----\nMIIE", "[a private key was here]")
	// Values.
	check("lease run-5f1c2d3e4b5a6978", "lease run-⟦run⟧")
	check("port 112110", "port 112110")
}

func TestRedactMark(t *testing.T) {
	red := cloudRedactor()
	in := "⟦run⟧ and ⟦ and 5f1c2d3e4b5a6978"
	out := red.bytes([]byte(in), nil)
	require.Equal(t, "⟦(⟧run⟧ and ⟦(⟧ and ⟦run⟧", string(out))
	require.Equal(t, in, string(red.values.putBack(out, nil)), "what looks like a placeholder must come back as it was")
}

// A secret that lies across two pieces of output is found; where the pieces met is where they meet.
func TestRedactAcrossChunks(t *testing.T) {
	red := cloudRedactor()
	text := "user agnes at 128.110.218.4 token s3cr3t-value end"
	for cut := range len(text) {
		chunks := mapChunks([]Chunk{{Data: []byte(text[:cut])}, {Stderr: true, Data: []byte("agnes")}, {Data: []byte(text[cut:])}}, red.bytes)
		var out, errs bytes.Buffer
		for _, c := range chunks {
			if c.Stderr {
				errs.Write(c.Data)
			} else {
				out.Write(c.Data)
			}
		}
		require.Equal(t, "user user1 at 192.0.2.1 token redacted-API_TOKEN end", out.String(), "cut at %d", cut)
		require.Equal(t, "user1", errs.String())
		if cut > 0 && cut < 5 {
			require.Equal(t, text[:cut], string(chunks[0].Data))
		}
	}
}

func TestRedactedSpec(t *testing.T) {
	spec := cloudSpec()
	spec.Nodes[1].Avoid = map[clusterenv.Role]string{clusterenv.MN: "agnes saw amd103 panic"}
	text, err := redactedSpec(spec, cloudRedactor())
	require.NoError(t, err)
	got, err := clusterenv.Parse("cluster.yaml", text)
	require.NoError(t, err, "the redacted file must be a cluster file")
	want, err := clusterenv.Parse("want.yaml", []byte(`
name: small-lan
ssh: {config: none, user: user1, agent: false}
network: {experiment: 10.10.1.0/24}
roles: {mn: [node2], cn: [node3]}
nodes:
  - {name: node2, host: node2.example.net, address: 10.10.1.3}
  - {name: node3, host: 192.0.2.1, address: 10.10.1.4, avoid: {mn: user1 saw node2 panic}}
`))
	require.NoError(t, err)
	if d := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.Addr) bool { return a == b }), cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	require.Equal(t, "amd103.site.example.org", spec.Nodes[0].Host, "the spec itself must stay as it is")
}

// Requests of a replay are made by another driver; what that one has of its own counts as what the first one had.
func TestScrub(t *testing.T) {
	theirs := cloudRedactor()
	ours := newRedactor(&Values{}, identity{users: []string{"bruno"}, homes: []string{"/home/bruno"}, secrets: map[string]string{"other-token": "API_TOKEN"}})
	ours.learnNetwork(cloudSpec())
	same := func(first, second string, want bool) {
		t.Helper()
		recorded, _ := theirs.scrubRecorded(theirs.bytes([]byte(first), nil))
		asked, foreign := ours.scrub([]byte(second))
		if got := foreign && string(recorded) == string(asked); got != want {
			t.Errorf("%q and %q are the same: %v, want %v (foreign %v)\n%s\n%s", first, second, got, want, foreign, recorded, asked)
		}
	}
	same("by agnes", "by bruno", true)
	same("token s3cr3t-value", "token other-token", true)
	same("ping 9.9.9.9", "ping 8.8.8.8", true)
	same("ping 10.10.1.3", "ping 10.10.1.4", false)
	same("ping 9.9.9.9", "ping 192.0.2.1", false) // that is from the recording, and says another host
	same("by agnes", "with bruno", false)
}

func TestDriver(t *testing.T) {
	for name, value := range map[string]string{
		"USER": "agnes", "LOGNAME": "agnes-admin", "HOME": "/Users/agnes", "DEPLOY_TOKEN": "s3cr3t-value", "db_password": "hunter22", "CLOUD_KEY_ID": "123456789012",
		"KEY_SIZE": "1048576", "KEYDB_HOST": "127.0.0.1", "KEY_HOST": "localhost", "SHORT_KEY": "abc", "PLAIN": "visible-value",
	} {
		t.Setenv(name, value)
	}
	id := driver()
	require.Subset(t, id.users, []string{"agnes", "agnes-admin"})
	require.Contains(t, id.homes, "/Users/agnes")
	for value, name := range map[string]string{"s3cr3t-value": "DEPLOY_TOKEN", "hunter22": "db_password", "123456789012": "CLOUD_KEY_ID"} {
		require.Equal(t, name, id.secrets[value])
	}
	for _, value := range []string{"1048576", "127.0.0.1", "localhost", "abc", "visible-value"} {
		require.NotContains(t, id.secrets, value)
	}
}

func TestHomes(t *testing.T) {
	for _, c := range []struct{ home, user, userFor, want string }{
		{"/users/agnes", "agnes", "user1", "/users/user1"},
		{"/home/agnes/chroot", "agnes", "user1", "/home/user1/chroot"},
		{"/root", "root", "root", "/home/root"},
		{"/scratch/x17", "agnes", "user1", "/home/mn"},
	} {
		require.Equal(t, c.want, homeFor(c.home, c.user, c.userFor, "mn"))
	}
}

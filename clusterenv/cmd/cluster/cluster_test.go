package main

import (
	"bytes"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/gotestbed/gotestbed/clusterenv"
	"github.com/gotestbed/gotestbed/clusterenv/sshtest"
)

const example = "../../../testdata/clusters/five-node.yaml"

// try executes a command line.
func try(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Setenv("CLUSTER", "")
	t.Setenv("HOME", t.TempDir()) // what this user's OpenSSH is told is none of the test's
	var out, errs bytes.Buffer
	p := &program{ctx: t.Context(), stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs, dial: clusterenv.DialSSH}
	return p.run(args), out.String(), errs.String()
}

// live starts two nodes and returns their cluster file; the server of the second one can be closed.
func live(t *testing.T) (file string, second *sshtest.Server) {
	t.Helper()
	dir := t.TempDir()
	key, pem, err := sshtest.NewKey()
	require.NoError(t, err)
	identity := filepath.Join(dir, "id")
	require.NoError(t, os.WriteFile(identity, pem, 0o600))
	spec := &clusterenv.Spec{
		Name:  "two",
		SSH:   clusterenv.SSH{Identity: identity, KnownHosts: filepath.Join(dir, "known_hosts"), Accept: clusterenv.AcceptStrict},
		Roles: map[clusterenv.Role][]string{clusterenv.MN: {"mn"}, clusterenv.CN: {"cn0"}},
	}
	var known string
	for i, name := range []string{"mn", "cn0"} {
		s, err := sshtest.NewServer(sshtest.Options{Dir: filepath.Join(dir, name), AuthorizedKeys: []ssh.PublicKey{key.PublicKey()}})
		require.NoError(t, err)
		t.Cleanup(func() { s.Close() })
		known += s.KnownHostsLine() + "\n"
		addr := netip.MustParseAddrPort(s.Addr())
		spec.Nodes = append(spec.Nodes, clusterenv.NodeSpec{
			Name: name, Host: addr.Addr().String(), Port: int(addr.Port()), User: s.User(), Address: netip.AddrFrom4([4]byte{10, 10, 1, byte(i + 1)}),
		})
		second = s
	}
	require.NoError(t, os.WriteFile(spec.SSH.KnownHosts, []byte(known), 0o600))
	text, err := spec.YAML()
	require.NoError(t, err)
	file = filepath.Join(dir, "cluster.yaml")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file, second
}

func TestExec(t *testing.T) {
	file, second := live(t)
	status, out, errs := try(t, "", "exec", "-f", file, "sh", "-c", `printf %s "${PWD##*/}: $1"`, "sh", "two  words; $HOME")
	require.Zero(t, status, errs)
	want := "== mn\nmn: two  words; $HOME\n== cn0\ncn0: two  words; $HOME\n"
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	status, out, _ = try(t, "", "exec", "-f", file, "-role", "cn", "--", "sh", "-c", "echo hello; exit 3")
	require.Equal(t, 1, status)
	require.Equal(t, "== cn0\nhello\n", out)

	require.NoError(t, second.Close())
	status, out, errs = try(t, "", "exec", "-f", file, "-timeout", "10s", "echo", "here")
	require.Equal(t, 1, status)
	require.Equal(t, "== mn\nhere\n== cn0\n", out, "one node that is gone does not silence the other")
	require.Contains(t, errs, "cn0: dial: ")
	require.Contains(t, errs, "\t"+clusterenv.FaultRefused.Cure()+"\n")
	require.Contains(t, errs, "failed on 1 of 2 nodes")
}

func TestExecKeepsTheBeginning(t *testing.T) {
	file, _ := live(t)
	status, out, _ := try(t, "", "exec", "-f", file, "-nodes", "mn", "head", "-c", "6000000", "/dev/zero")
	require.Zero(t, status)
	require.Contains(t, out, "\n[1805696 more bytes]\n")
}

func TestFacts(t *testing.T) {
	file, second := live(t)
	status, out, errs := try(t, "", "facts", "-f", file)
	require.Zero(t, status, errs)
	require.Regexp(t, `(?m)^NODE +SYSTEM +KERNEL +CPUS +MODEL +MEMORY +RDMA +UP$`, out)
	require.Regexp(t, `(?m)^cn0 .* \d+ MiB .*\d+h\d+m$|^cn0 .* \d+ MiB .*\d+m$`, out)
	require.NoError(t, second.Close())
	status, out, errs = try(t, "", "facts", "-f", file)
	require.Equal(t, 1, status)
	require.Regexp(t, `(?m)^cn0 +\?$`, out)
	require.Contains(t, errs, "cn0: dial: ")
}

func TestRow(t *testing.T) {
	got := row("Debian\x1b[31m 12\n6.1.0\n40\n\n257000\n mlx5_0 mlx5_2 \n93784\n")
	if diff := cmp.Diff([]string{"Debian [31m 12", "6.1.0", "40", "-", "257000 MiB", "mlx5_0 mlx5_2", "26h3m"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestShowAndCheck(t *testing.T) {
	status, out, _ := try(t, "", "show", "-f", example)
	require.Zero(t, status)
	require.Regexp(t, `(?m)^node3 +cn0 +amd118\.utah\.cloudlab\.us +10\.10\.1\.4 +mlx5_2 +3 +c6525-25g +-$`, out)
	status, out, _ = try(t, "", "check", "-f", example)
	require.Zero(t, status)
	require.Equal(t, "small-lan: 5 nodes: 1 memory, 3 compute; no mistake\n", out)

	bad := filepath.Join(t.TempDir(), "bad.yaml")
	text := "name: x\nroles: {mn: [a, a], cn: [b, c]}\nnodes:\n- {name: a, host: a, address: 10.0.0.1}\n- {name: b, host: b, address: 10.0.0.1}\n"
	require.NoError(t, os.WriteFile(bad, []byte(text), 0o600))
	status, _, errs := try(t, "", "check", "-f", bad)
	require.Equal(t, 1, status)
	for _, want := range []string{"bad.yaml:2: roles.mn[1]: ", "bad.yaml:2: roles.cn[1]: ", "bad.yaml:5: nodes[1].address: "} {
		require.Contains(t, errs, want)
	}
}

func TestSSHConfig(t *testing.T) {
	status, out, _ := try(t, "", "ssh-config", "-f", example)
	require.Zero(t, status)
	if _, err := exec.LookPath("ssh"); err != nil {
		t.Skip("no ssh here to read it: apt-get install openssh-client")
	}
	file := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(file, []byte(out), 0o600))
	read, err := exec.Command("ssh", "-G", "-F", file, "node3").CombinedOutput()
	require.NoError(t, err, "%s", read)
	for _, want := range []string{"hostname amd118.utah.cloudlab.us", "port 22", "serveraliveinterval 20", "serveralivecountmax 15", "stricthostkeychecking true", "connecttimeout 15"} {
		require.Contains(t, string(read), want+"\n")
	}
}

// TestSSHConfigOfOpenSSH has the cluster file leave the login to OpenSSH's configuration, with a jump host on the way.
func TestSSHConfigOfOpenSSH(t *testing.T) {
	dir := t.TempDir()
	config, cluster := filepath.Join(dir, "config"), filepath.Join(dir, "cluster.yaml")
	write := func(text string) {
		require.NoError(t, os.WriteFile(config, []byte(text), 0o600))
	}
	text := "name: two\nssh: {config: " + config + "}\nroles: {mn: [a], cn: [b]}\nnodes:\n- {name: a, host: one, address: 10.0.0.1}\n- {name: b, host: two, address: 10.0.0.2}\n"
	require.NoError(t, os.WriteFile(cluster, []byte(text), 0o600))
	write("Host gate\n HostName gate.example.org\n Port 2200\nHost one two\n ProxyJump alice@gate\n IdentityFile ~/.ssh/lab\nHost *\n User bob\n Ciphers aes128-ctr\n")
	status, _, errs := try(t, "", "check", "-f", cluster)
	require.Zero(t, status, errs)
	require.Equal(t, config+":9: ciphers is not followed here\n", errs)
	status, out, errs := try(t, "", "ssh-config", "-f", cluster)
	require.Zero(t, status, errs)
	if _, err := exec.LookPath("ssh"); err == nil {
		file := filepath.Join(dir, "made")
		require.NoError(t, os.WriteFile(file, []byte(out), 0o600))
		for host, want := range map[string][]string{
			"b":                                {"hostname two", "user bob", "identityfile ~/.ssh/lab", "proxyjump jump-alice-gate.example.org-2200"},
			"jump-alice-gate.example.org-2200": {"hostname gate.example.org", "user alice", "port 2200"},
		} {
			read, err := exec.Command("ssh", "-G", "-F", file, host).CombinedOutput()
			require.NoError(t, err, "%s", read)
			for _, w := range want {
				require.Contains(t, string(read), w+"\n")
			}
		}
	}
	write("Host one\n Prt 22\n")
	status, _, errs = try(t, "", "check", "-f", cluster)
	require.Equal(t, 1, status)
	require.Contains(t, errs, config+":2: prt: unknown option (did you mean port?)")
	write("Host two\n ProxyCommand nc %h %p\n")
	status, _, errs = try(t, "", "check", "-f", cluster)
	require.Equal(t, 1, status)
	require.Contains(t, errs, "b: "+config+":2: proxycommand: not followed here")
}

func TestImport(t *testing.T) {
	const manifest = "../../../testdata/cases/manifest/01-switch-and-node-of-other-site.xml"
	status, out, errs := try(t, "", "import", "-name", "mine", "-user", "alice", manifest)
	require.Zero(t, status, errs)
	require.Contains(t, errs, "sw0 (ualloc-dell3) left out: switch\n")
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	require.NoError(t, os.WriteFile(file, []byte(out), 0o600))
	status, out, errs = try(t, "", "check", "-f", file)
	require.Zero(t, status, errs)
	require.Equal(t, "mine: 5 nodes: 1 memory, 4 compute; no mistake\n", out)

	for flag, value := range map[string]string{"-user": "al ice", "-name": "my cluster"} {
		status, out, errs = try(t, "", "import", flag, value, manifest)
		require.Equal(t, 1, status)
		require.Empty(t, out, "no file that check would refuse")
		require.Contains(t, errs, value)
	}
	text, err := os.ReadFile(manifest)
	require.NoError(t, err)
	odd := strings.Replace(string(text), `experiment="expt-71402"`, `experiment="no name of ours"`, 1)
	require.NotEqual(t, string(text), odd)
	status, out, errs = try(t, odd, "import", "-name", "mine", "-")
	require.Zero(t, status, errs)
	require.Contains(t, out, "name: mine\n")

	status, out, errs = try(t, "<rspec><node client_id='a'/></rspec>", "import", "-")
	require.Equal(t, 1, status)
	require.Empty(t, out)
	require.Contains(t, errs, "cluster import: -: manifest: this is the request, not the manifest")
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, 2, "usage: "},
		{[]string{"help"}, 0, "usage: "},
		{[]string{"nonsense"}, 2, "usage: "},
		{[]string{"show"}, 2, "no cluster file: set CLUSTER"},
		{[]string{"show", "-f", example, "more"}, 2, "1 arguments"},
		{[]string{"exec", "-f", example}, 2, "0 arguments"},
		{[]string{"exec", "-f", example, "-nodes", "node9", "true"}, 2, `no node is called "node9"; nodes: node0, `},
		{[]string{"exec", "-f", example, "-role", "memory", "true"}, 2, `-role: "memory"; allowed: mn, cn, client, spare`},
		{[]string{"exec", "-f", example, "-role", "spare", "-nodes", "node1,node2", "true"}, 2, "-role: none of node1, node2 has role spare"},
		{[]string{"exec", "-f", example, "-timeout", "0", "true"}, 2, "-timeout: 0s; wants more than 0"},
		{[]string{"show", "-f", "missing.yaml"}, 1, "missing.yaml"},
	} {
		status, _, errs := try(t, "", c.args...)
		require.Equal(t, c.status, status, "%q: %s", c.args, errs)
		require.Contains(t, errs, c.want, "%q", c.args)
	}
}

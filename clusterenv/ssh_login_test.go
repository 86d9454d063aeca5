package clusterenv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestLoginDefaults(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	require.NoError(t, os.Mkdir(filepath.Join(home, ".ssh"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".ssh", "config"), []byte("User mallory\n"), 0o600))
	me, err := currentUser()
	require.NoError(t, err)
	want := &Login{
		Alias: "a", Host: "a", Port: 22, User: me, Identities: defaultIdentities, Usual: true, KnownHosts: []string{"~/.ssh/known_hosts"},
		Accept: AcceptStrict, Keepalive: Keepalive{Interval: 20 * time.Second, Misses: 15}, Timeout: 15 * time.Second, Network: "tcp",
	}
	got, err := ResolveLogin(&Spec{}, NodeSpec{Name: "n", Host: "a"})
	require.NoError(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a Spec built in Go reads no configuration (-want +got):\n%s", diff)
	}
	spec, err := Parse("f", []byte(leastFile))
	require.NoError(t, err)
	got, err = ResolveLogin(spec, spec.Nodes[0])
	require.NoError(t, err)
	require.Equal(t, "mallory", got.User, "a file does")
	spec, err = Parse("f", []byte("ssh: {config: none}\n"+leastFile))
	require.NoError(t, err)
	require.Empty(t, spec.SSH.Config)
	text, err := spec.YAML()
	require.NoError(t, err)
	require.Contains(t, string(text), "config: none\n", "else whoever reads it would read a configuration")
}

// TestLoginFromConfig has everything said twice.
func TestLoginFromConfig(t *testing.T) {
	t.Setenv("LAB", "/lab")
	spec := configured(t, []string{"a"}, `Host a
  HostName %h.lab
  User bob
  Port 2200
  IdentityFile ~/.ssh/%r_%h
  IdentityFile ${LAB}/key%%
  IdentityFile none
  CertificateFile %d/cert
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile k1 ~/k2
  GlobalKnownHostsFile g
  HostKeyAlias alias
  HashKnownHosts yes
  StrictHostKeyChecking no
  ServerAliveInterval 7
  ServerAliveCountMax 3
  ConnectTimeout 1m
  AddressFamily inet6
  BindAddress 127.0.0.2
  KexAlgorithms +diffie-hellman-group1-sha1
  PubkeyAuthentication yes
  ForwardAgent yes`)
	spec.SSH.Timeout = 0
	got, err := ResolveLogin(spec, spec.Nodes[0])
	require.NoError(t, err)
	home := os.Getenv("HOME")
	want := &Login{
		Alias: "a", Host: "a.lab", Port: 2200, User: "bob", Identities: []string{"~/.ssh/bob_a.lab", "/lab/key%"}, Certificates: []string{home + "/cert"},
		IdentitiesOnly: true, KnownHosts: []string{"k1", "~/k2", "g"}, HostKeyAlias: "alias", HashKnownHosts: true, Accept: AcceptNew, Pins: "k1",
		Keepalive: Keepalive{Interval: 7 * time.Second, Misses: 3}, Timeout: time.Minute, Network: "tcp6", BindAddress: "127.0.0.2",
		Notes: []string{
			home + "/config:21: kexalgorithms is not followed here",
			home + "/config:15: stricthostkeychecking no takes new host keys; one that has changed is refused all the same",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	t.Setenv("GOTESTBED_KNOWN_HOSTS", "/pins")
	config := spec.SSH.Config
	spec.SSH = SSH{
		Config: config, User: "carol", Port: 23, Identity: "/mine", KnownHosts: "known", Accept: AcceptNew,
		Keepalive: Keepalive{Interval: time.Second, Misses: 9}, Timeout: time.Hour,
	}
	got, err = ResolveLogin(spec, spec.Nodes[0])
	require.NoError(t, err)
	want.User, want.Port, want.Identities, want.KnownHosts, want.Pins = "carol", 23, []string{"/mine"}, []string{"known"}, "/pins"
	want.Keepalive, want.Timeout = spec.SSH.Keepalive, time.Hour
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the cluster file wins (-want +got):\n%s", diff)
	}
	spec.SSH.Accept = AcceptStrict
	spec.Nodes[0].User, spec.Nodes[0].Port, spec.Nodes[0].Identity = "dave", 24, "/his"
	got, err = ResolveLogin(spec, spec.Nodes[0])
	require.NoError(t, err)
	require.Equal(t, []any{"dave", 24, []string{"/his"}, AcceptStrict, ""}, []any{got.User, got.Port, got.Identities, got.Accept, got.Pins})
}

func TestLoginJumps(t *testing.T) {
	config := `Host c
  ProxyJump one@a:1, ssh://two%40x@b:2/ # by way of the lab
Host a
  ProxyJump gate
  HostName a.lab
Host b
  ProxyJump elsewhere
Host d
  ProxyJump %r@[fe80::1]:2200,::2
  User dora
Host gate
  IdentityFile gate_key
Host *
  User anyone`
	spec := configured(t, []string{"c"}, config)
	spec.SSH.User, spec.SSH.Identity, spec.SSH.KnownHosts = "alice", "mine", "known"
	way := func(host string) []string {
		l, err := ResolveLogin(spec, NodeSpec{Name: "n", Host: host})
		require.NoError(t, err)
		var list []string
		for _, j := range append(l.Jumps, l) {
			require.Equal(t, []string{"known"}, j.KnownHosts)
			list = append(list, j.User+"@"+j.Host+" "+strings.Join(j.Identities, ","))
		}
		return list
	}
	require.Equal(t, []string{"anyone@gate gate_key", "one@a.lab mine", "two@x@b mine", "alice@c mine"}, way("c"))
	require.Equal(t, []string{"alice@fe80::1 mine", "anyone@::2 mine", "alice@d mine"}, way("d"))
}

func TestParseJump(t *testing.T) {
	for text, want := range map[string][3]any{
		"h": {"h", "", 0}, "u@h": {"h", "u", 0}, "u@v@h:7": {"h", "u@v", 7}, "[::1]:7": {"::1", "", 7}, "[::1]": {"::1", "", 0}, "::1": {"::1", "", 0},
		"ssh://h:8/": {"h", "", 8}, " h ": {"h", "", 0},
	} {
		host, given, err := parseJump(text)
		require.NoError(t, err, "%q", text)
		require.Equal(t, want, [3]any{host, given.user, given.port}, "%q", text)
	}
	for _, text := range []string{"", "@h", "h:", "h:x", "h:70000", "[::1", "[::1]7", "-oProxyCommand=x", "a b", "ssh://"} {
		_, _, err := parseJump(text)
		require.Error(t, err, "%q", text)
	}
}

// TestLoginRefused lists what decides where a connection goes, or whom it trusts, and cannot be followed.
func TestLoginRefused(t *testing.T) {
	for _, tt := range []struct{ config, want string }{
		{"Host b\nUser x\nHost a\nProxyCommand nc %h %p", "config:4: proxycommand: not followed here: use ProxyJump"},
		{"CanonicalizeHostname yes", "config:1: canonicalizehostname: not followed here"},
		{"RevokedHostKeys /etc/revoked", "config:1: revokedhostkeys: not followed here"},
		{"KnownHostsCommand /bin/true %H", "config:1: knownhostscommand: not followed here"},
		{"\nMatch host a exec true", "config:2: match: exec is not evaluated here"},
		{"Match localnetwork 10.0.0.0/8", "config:1: match: localnetwork is not evaluated here"},
		{"HostName %p.lab", "config:1: hostname: %p in"},
		{"IdentityFile %C", "config:1: identityfile: %C in"},
		{"IdentityFile ${NO_SUCH_VARIABLE}", "config:1: identityfile: the variable NO_SUCH_VARIABLE is not set"},
		{"CertificateFile ${HOME", "config:1: certificatefile: "},
		{"UserKnownHostsFile a%", "config:1: userknownhostsfile: "},
		{"IdentityAgent %z", "config:1: identityagent: "},
		{"ProxyJump a:b", "config:1: proxyjump: jump host \"a:b\": wants a port"},
		{"ProxyJump %z", "config:1: proxyjump: "},
		{"User x\nPrt 3\nIdentityFile\n", "config:2: prt: unknown option (did you mean port?)\n"},
		{"User x\nPrt 3\nIdentityFile\n", "config:3: identityfile: no argument"},
		{"\x1b[31m 1", `config:1: "\x1b[31m": unknown option`},
	} {
		spec := configured(t, []string{"a"}, tt.config)
		_, err := ResolveLogin(spec, spec.Nodes[0])
		require.ErrorContains(t, err, tt.want, "%q", tt.config)
	}
	for _, harmless := range []string{
		"ProxyCommand none", "CanonicalizeHostname no", "Host b\nProxyCommand x", "Match host b exec false\nUser x", "ProxyJump none", "RevokedHostKeys none",
	} {
		spec := configured(t, []string{"a"}, harmless)
		_, err := ResolveLogin(spec, spec.Nodes[0])
		require.NoError(t, err, "%q", harmless)
	}
}

func TestConfigFiles(t *testing.T) {
	spec := configured(t, []string{"a"})
	home := os.Getenv("HOME")
	spec.SSH.Config = filepath.Join(home, "none")
	_, err := ResolveLogin(spec, spec.Nodes[0])
	require.ErrorIs(t, err, os.ErrNotExist, "a file that is named must exist")
	spec.SSH.Config = DefaultSSHConfig
	_, err = ResolveLogin(spec, spec.Nodes[0])
	require.NoError(t, err, "the usual one need not")

	usual := filepath.Join(home, ".ssh", "config")
	require.NoError(t, os.Mkdir(filepath.Dir(usual), 0o700))
	require.NoError(t, os.WriteFile(usual, []byte("Include more\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".ssh", "more"), []byte("User bob\n"), 0o600))
	l, err := ResolveLogin(spec, spec.Nodes[0])
	require.NoError(t, err)
	require.Equal(t, "bob", l.User, "a relative name is in ~/.ssh")
	require.NoError(t, os.Chmod(filepath.Join(home, ".ssh", "more"), 0o622))
	_, err = ResolveLogin(spec, spec.Nodes[0])
	require.ErrorContains(t, err, "more: mode -rw--w--w-, owner ")
	require.NoError(t, os.WriteFile(usual, make([]byte, maxConfigSize+1), 0o600))
	_, err = ResolveLogin(spec, spec.Nodes[0])
	require.ErrorContains(t, err, "not an ssh_config")
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		text, pattern string
		want          bool
	}{
		{"", "", true}, {"", "*", true}, {"", "?", false}, {"a", "?", true}, {"ab", "?", false}, {"abc", "a*c", true}, {"abc", "a*b", false},
		{"aXbXc", "*X*c", true}, {"abc", "***", true}, {"abc", "abc*", true}, {"a.c", "a.c", true}, {"axc", "a.c", false}, {"[a]", "[a]", true},
	} {
		require.Equal(t, tt.want, matchWildcard(tt.text, tt.pattern), "%q like %q", tt.text, tt.pattern)
	}
}

// FuzzSSHConfig: a configuration is read, or refused with places in the file; names of included files are not followed.
func FuzzSSHConfig(f *testing.F) {
	for _, c := range configCorpus {
		f.Add(c.text, "c")
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text, host string) {
		if len(text) > 4<<10 || host == "" || strings.Contains(strings.ToLower(text), "include") {
			return
		}
		file := filepath.Join(dir, "config")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		login, err := ResolveLogin(&Spec{SSH: SSH{Config: file, Agent: true}}, NodeSpec{Name: "n", Host: host})
		if (err == nil) != (login != nil) {
			t.Fatalf("login %v with error %v", login, err)
		}
		if err == nil && (login.Port < 1 || login.Port > 65535 || login.User == "" || login.Timeout <= 0) {
			t.Fatalf("%+v", login)
		}
	})
}

// FuzzSSHFailure: no output of an ssh makes the reader of it fail.
func FuzzSSHFailure(f *testing.F) {
	files, _ := filepath.Glob("../testdata/cases/ssh_fail/*")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		failure, ok := ParseSSHFailure(text)
		if ok != (failure.Fault != "") || ok && !strings.Contains(text, failure.Line) {
			t.Fatalf("%v %+v", ok, failure)
		}
	})
}

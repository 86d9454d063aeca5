package clusterenv

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// configCorpus are configurations that the installed OpenSSH is asked about, too: hosts to look up, and the text. DIR stands for the
// directory with what they include.
var configCorpus = []struct{ name, hosts, text string }{
	{"empty", "c", ""},
	{"first wins", "c d", "Host c\n User x\n Port 7\nHost *\n User y\n Port 8\n"},
	{"case of host", "A.b a.b", "Host A.b\n User x\n"},
	{"case of match", "A.b a.b", "Match host A.B\n User x\n"},
	{"one byte", "c c1 c12", "Host c?\n User x\n"},
	{"negated", "c1 c2 d", "Host c? !c1\n User x\n"},
	{"only negated", "c1 c2", "Host !c1\n User x\n"},
	{"many stars", "aaaaaaaaaaaaaaaaaaaab", "Host *a*a*a*a*a*a*a*c *b\n User x\n"},
	{"extra argument", "c", "Port 22 33\n"},
	{"no argument", "c", "Port\nUser\n"},
	{"no argument of an idle one", "c", "SendEnv\n"},
	{"mistakes for another host", "c", "Host d\n Prt 3\n Port x\n"},
	{"equals", "c", "Port=7\nUser = x\nHostName\t=\tb\n"},
	{"two equals", "c", "User ==x\n"},
	{"quotes", "c", "User \"x y\" # comment\nIdentityFile 'a b'\nIdentityFile a\\ b\nIdentityFile \"q#x\" #foo\nIdentityFile a\\\"b\n"},
	{"comment in a word", "c", "User x#y\n"},
	{"open quote", "c", "HostName \"a\n"},
	{"open quote in a comment", "c", "HostName a # it's\n"},
	{"form feed", "c", "User x\f \r\n"},
	{"ignore unknown", "c", "IgnoreUnknown foo*,bar\nFooBar 1\nBar 2\nUser x\n"},
	{"ignore unknown too late", "c", "FooBar 1\nIgnoreUnknown foo*\n"},
	{"all alone", "c", "Match user x\n Port 3\nMatch all\n User y\n"},
	{"all with others", "c", "Match all user x\n Port 4\n"},
	{"match without", "c", "Match\n"},
	{"match without argument", "c", "Match host\n"},
	{"match bogus", "c", "Match bogus x\n"},
	{"match negated", "c d", "Match !host c\n User y\n"},
	{"match several", "c d", "User me\nMatch host c,d !user you\n Port 3\nMatch host \"c\" user=me\n HostName e\n"},
	{"match sees hostname", "c d", "Host c\n HostName %h.lab\nMatch host *.lab\n User y\nMatch originalhost c\n Port 4\n"},
	{"match list negated", "c1 c2", "Match host c*,!c1\n User y\n"},
	{"match user", "c", "User bob\nMatch user b*\n Port 3\n"},
	{"match final", "c", "Match final host x.c\n Port 4\nMatch canonical all\n User z\nHost *\n HostName x.%h\n IdentityFile k\n"},
	{"match exec after false", "c", "Match host d exec \"exit 0\"\n User y\n"},
	{"host without", "c", "Host\n"},
	{"include", "a.x b", "Include DIR/x* DIR/none\nPort 9\n"},
	{"include in a block", "a.x b", "Host b\n Include DIR/x1\n User after\nHost *\n Port 9\n"},
	{"include twice", "a.x", "Include DIR/x1\nInclude DIR/x1\n"},
	{"include itself", "c", "Include DIR/loop\n"},
	{"include a mistake", "c", "Host d\nInclude DIR/bad\n"},
	{"include without", "c", "Include\n"},
	{"jump", "c", "ProxyJump a@b:3,[::1]:4,ssh://u@h:5\n"},
	{"jump before command", "c", "ProxyJump a\nProxyCommand nc %h %p\n"},
	{"command none before jump", "c", "ProxyCommand none\nProxyJump a\n"},
	{"jump none", "c d", "Host c\n ProxyJump none\nHost *\n ProxyJump gate\n"},
	{"bad ports", "c", "Port 0\nPort 70000\nPort 0x16\nPort -1\n"},
	{"bad words", "c", "AddressFamily inet7\nStrictHostKeyChecking maybe\nIdentitiesOnly maybe\nServerAliveCountMax x\nConnectTimeout 5y\n"},
	{"times", "c", "ConnectTimeout 1m30\nServerAliveInterval 1H\nServerAliveCountMax 4\nAddressFamily INET6\n"},
	{"strict no", "c", "StrictHostKeyChecking off\nHashKnownHosts yes\nHostKeyAlias x\n"},
	{"strict new", "c", "StrictHostKeyChecking accept-new\nIdentitiesOnly TRUE\n"},
	{"lists", "c", "UserKnownHostsFile a b \"c d\"\nUserKnownHostsFile e\nCertificateFile c1\nCertificateFile c2\nIdentityFile k\nIdentityFile k\nIdentityFile l\n"},
	{"old options", "c", "RhostsAuthentication yes\nUsePrivilegedPort no\nProtocol 2\nCipher 3des\nKeepAlive yes\nUseRoaming no\n"},
	{"localuser", "c", "Match localuser ME originalhost c\n User y\n"},
	{"second mistake", "c", "User y\nUser\n"},
	{"keyword in quotes", "c", "\"User\" x\n"},
}

// asOpenSSH is what ssh -G prints of an option that is used here.
func asOpenSSH(c *sshConfig, host string, me string) map[string][]string {
	or := func(option, value string) []string {
		if v := c.get(option); v != "" {
			value = v
		}
		return []string{value}
	}
	flag := func(option string) []string {
		if on, _ := configFlag(c.get(option)); on {
			return []string{"yes"}
		}
		return []string{"no"}
	}
	seconds := func(option, value string) []string {
		if d, err := configTime(c.get(option)); err == nil && d > 0 {
			value = strconv.Itoa(int(d / time.Second))
		}
		return []string{value}
	}
	got := map[string][]string{
		"user": or("user", me), "port": or("port", "22"), "addressfamily": {strings.ToLower(or("addressfamily", "any")[0])},
		"identitiesonly": flag("identitiesonly"), "hashknownhosts": flag("hashknownhosts"),
		"connecttimeout": seconds("connecttimeout", "none"), "serveraliveinterval": seconds("serveraliveinterval", "0"),
		"serveralivecountmax": or("serveralivecountmax", "3"),
	}
	name, err := expandTokens(or("hostname", host)[0], map[byte]string{'h': host})
	if err == nil {
		got["hostname"] = []string{strings.ToLower(name)}
	}
	if alias := c.get("hostkeyalias"); alias != "" {
		got["hostkeyalias"] = []string{alias}
	}
	for _, option := range []string{"identityfile", "certificatefile"} {
		for _, v := range c.added[option] {
			got[option] = append(got[option], v.args[0])
		}
	}
	if v, ok := c.first["userknownhostsfile"]; ok {
		got["userknownhostsfile"] = []string{strings.Join(v.args, " ")}
	}
	if v, ok := c.first["proxy"]; ok && !strings.EqualFold(v.rest, "none") {
		got[v.args[0]] = []string{strings.ReplaceAll(v.rest, "ssh://", "")}
	}
	strict := map[string]string{"yes": "true", "true": "true", "no": "false", "off": "false", "false": "false", "accept-new": "accept-new", "ask": "ask", "": "ask"}
	got["stricthostkeychecking"] = []string{strict[strings.ToLower(c.get("stricthostkeychecking"))]}
	return got
}

// openSSHSays asks ssh -G. The second result holds the lines of the mistakes, as file:line.
func openSSHSays(t *testing.T, file, host string) (map[string][]string, []string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("ssh", "-G", "-F", file, "--", host)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		var lines []string
		for _, m := range regexp.MustCompile(`(?m)^(\S+?):? line (\d+): `).FindAllStringSubmatch(stderr.String(), -1) {
			lines = append(lines, m[1]+":"+m[2])
		}
		return nil, append(lines, "refused")
	}
	says := map[string][]string{}
	for line := range strings.Lines(stdout.String()) {
		option, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		says[option] = append(says[option], value)
	}
	if len(says["identityfile"]) > 4 { // the usual ones
		delete(says, "identityfile")
	}
	for option, usual := range map[string]string{"userknownhostsfile": "known_hosts2"} {
		if len(says[option]) == 1 && strings.HasSuffix(says[option][0], usual) {
			delete(says, option)
		}
	}
	return says, nil
}

// TestSSHConfigAsOpenSSH reads the corpus as the installed ssh does.
func TestSSHConfigAsOpenSSH(t *testing.T) {
	needSSH(t)
	me, err := currentUser()
	require.NoError(t, err)
	for _, c := range configCorpus {
		t.Run(c.name, func(t *testing.T) {
			dir := includes(t)
			file := filepath.Join(dir, "config")
			text := strings.ReplaceAll(strings.ReplaceAll(c.text, "DIR", dir), " ME ", " "+me+" ")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			for _, host := range strings.Fields(c.hosts) {
				want, refused := openSSHSays(t, file, host)
				config, err := readSSHConfig(file, host, nil)
				if refused != nil {
					requireRefused(t, err, refused)
					continue
				}
				require.NoError(t, err, "%s: ssh takes it", host)
				got := asOpenSSH(config, host, me)
				for option := range want {
					if _, used := got[option]; !used && (option != "proxyjump" && option != "proxycommand" && option != "identityfile" && option != "certificatefile") {
						delete(want, option)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-ssh +got):\n%s", host, diff)
				}
			}
		})
	}
}

// requireRefused compares the lines of mistakes.
func requireRefused(t *testing.T, err error, lines []string) {
	t.Helper()
	require.Error(t, err, "ssh refuses it: %q", lines)
	var got []string
	for _, e := range flatten(err) {
		if m, ok := e.(*SyntaxError); ok {
			got = append(got, fmt.Sprintf("%s:%d", m.File, m.Line))
		}
	}
	want := slices.DeleteFunc(slices.Compact(lines), func(l string) bool { return l == "refused" })
	if diff := cmp.Diff(want, slices.Compact(got)); diff != "" && len(want) > 0 {
		t.Errorf("lines of mistakes (-ssh +got):\n%s\n%v", diff, err)
	}
}

// flatten takes a join of errors apart.
func flatten(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return j.Unwrap()
	}
	return []error{err}
}

// includes makes the files that the corpus includes.
func includes(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"x1":   "Host *.x\n User included\n IdentityFile i1\n",
		"x2":   "User second\nHost b\n Port 5\n",
		"loop": "Include " + dir + "/loop\n",
		"bad":  "\nPrt 3\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// needSSH skips where there is no OpenSSH client; CI has it.
func needSSH(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("ssh"); err != nil {
		const remedy = "NOT TESTED against OpenSSH: %v (apt-get install openssh-client)"
		if os.Getenv("CI") == "true" {
			t.Fatalf(remedy, err)
		}
		t.Skipf(remedy, err)
	}
}

// TestSSHOptionsAsOpenSSH holds the table of options to the installed ssh: it knows all of them but the newest.
func TestSSHOptionsAsOpenSSH(t *testing.T) {
	needSSH(t)
	newer := strings.Fields("channeltimeout obscurekeystroketiming tag versionaddendum warnweakcrypto refuseconnection")
	vendors := strings.Fields("applemultipath usekeychain keychainintegration gssapirenewalforcesrekey gssapigssapi gssapikexalgorithms gssapikeyexchange gssapitrustdns gssapiclientidentity gssapiserveridentity")
	var text strings.Builder
	options := knownOptions()
	for _, o := range options {
		fmt.Fprintf(&text, "%s\n", o) // without an argument: a mistake of another kind
	}
	file := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o600))
	out, err := exec.Command("ssh", "-G", "-F", file, "c").CombinedOutput()
	require.Error(t, err)
	for _, m := range regexp.MustCompile(`Bad configuration option: (\S+)`).FindAllStringSubmatch(string(out), -1) {
		if !slices.Contains(newer, m[1]) && !slices.Contains(vendors, m[1]) {
			t.Errorf("ssh knows no option %s", m[1])
		}
	}
	man, err := exec.Command("sh", "-c", "man 5 ssh_config 2>/dev/null | col -b | sed -n 's/^     \\([A-Z][A-Za-z0-9]*\\)$/\\1/p'").Output()
	if err != nil || len(man) == 0 {
		return // no manual pages here
	}
	for _, name := range strings.Fields(string(man)) {
		if !slices.Contains(options, strings.ToLower(name)) {
			t.Errorf("ssh_config(5) has %s", name)
		}
	}
}

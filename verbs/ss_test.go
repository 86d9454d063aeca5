package verbs

import (
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSSCases(t *testing.T) {
	runCases(t, "ss", func(t *testing.T, _ toolCase, in io.Reader) object {
		ls, err := ParseSS(in)
		if err != nil {
			t.Fatal(err)
		}
		rows := list(ls, func(w Listener) any {
			return object{"proto": w.Proto, "proc": w.Procs[0].Name, "pid": w.Procs[0].PID,
				"addr": w.Addr, "port": w.Port, "scope": w.Scope}
		})
		return object{"listeners": rows, "memcached": BoundAs(ls, "memcached")}
	})
}

func FuzzParseSS(f *testing.F) { fuzzParser(f, "ss", ParseSS) }

// Every form in which an address is printed.
func TestSSAddress(t *testing.T) {
	addr := func(in, addr, iface string, port uint16, service string, scope Scope) {
		t.Helper()
		w, ok := parseSSAddr(in)
		want := Listener{Addr: netip.MustParseAddr(addr), Interface: iface, Port: port, Service: service, Scope: scope}
		if diff := cmp.Diff(want, w, cmpAddr); diff != "" || !ok {
			t.Errorf("%s: ok %v (-want +got):\n%s", in, ok, diff)
		}
	}
	addr("0.0.0.0:11211", "0.0.0.0", "", 11211, "", ScopeAnyIPv4)
	addr("*:11211", "::", "", 11211, "", ScopeAnyDual)
	addr("[::]:11211", "::", "", 11211, "", ScopeAnyIPv6)
	addr(":::11211", "::", "", 11211, "", ScopeAnyIPv6)
	addr("127.0.0.1:11211", "127.0.0.1", "", 11211, "", ScopeLoopback)
	addr("127.3.0.2:11211", "127.3.0.2", "", 11211, "", ScopeLoopback)
	addr("[::1]:22", "::1", "", 22, "", ScopeLoopback)
	addr("[::ffff:127.0.0.1]:22", "127.0.0.1", "", 22, "", ScopeLoopback)
	addr("10.10.1.3%ens1f0:11211", "10.10.1.3", "ens1f0", 11211, "", ScopeAddress)
	addr("[fe80::1]%ens1f0:22", "fe80::1", "ens1f0", 22, "", ScopeAddress)
	addr("[fe80::1%ens1f0]:22", "fe80::1", "ens1f0", 22, "", ScopeAddress)
	addr("0.0.0.0:ssh", "0.0.0.0", "", 0, "ssh", ScopeAnyIPv4)
	for _, in := range []string{"", ":", "10.10.1.3", "10.10.1.3:", "10.10.1:22", "0.0.0.0:99999", "a:b:c", "10.0.0.1:*"} {
		if w, ok := parseSSAddr(in); ok {
			t.Errorf("%q read as %+v", in, w)
		}
	}
}

var cmpAddr = cmp.Comparer(func(a, b netip.Addr) bool { return a == b })

// ssRow is a row of `ss -tlnp` with one owner, or none.
func ssRow(addr, users string) string { return "LISTEN 0 128 " + addr + " 0.0.0.0:* " + users + "\n" }

const ssHeader = "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"

func mustSS(t *testing.T, in string) []Listener {
	t.Helper()
	ls, err := ParseSS(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	return ls
}

func TestAnswers(t *testing.T) {
	const mc, other = `users:(("memcached",pid=7,fd=26))`, `users:(("nc",pid=9,fd=3))`
	answers := func(rows, dial string, want Tri, reason string) {
		t.Helper()
		p := Answers(mustSS(t, ssHeader+rows), "memcached", netip.MustParseAddrPort(dial))
		if p.Answer != want || !strings.Contains(p.Reason, reason) {
			t.Errorf("%q dialled at %s: %s; want %s: …%s…", rows, dial, p, want, reason)
		}
	}
	const mn = "10.10.1.3:11211"
	answers("", mn, No, "nothing listens")
	answers(ssRow("0.0.0.0:11211", mc), mn, Yes, "memcached[7] on 0.0.0.0:11211")
	answers(ssRow("*:11211", mc), mn, Yes, "memcached[7] on *:11211")
	answers(ssRow("10.10.1.3:11211", mc), mn, Yes, "10.10.1.3")
	answers(ssRow("10.10.1.3%ens1f0:11211", mc), mn, Yes, "only through interface ens1f0")
	answers(ssRow("127.0.0.1:11211", mc), mn, No, "memcached[7] on 127.0.0.1:11211")
	answers(ssRow("127.9.0.3:11211", mc), "127.9.0.3:11211", Yes, "")
	answers(ssRow("127.0.0.1:11211", mc), "127.9.0.3:11211", No, "")
	answers(ssRow("[::]:11211", mc), mn, No, "")
	answers(ssRow("[::]:11211", mc), "[fd10::3]:11211", Yes, "")
	answers(ssRow("0.0.0.0:11212", mc), mn, No, "0.0.0.0:11212")
	answers(ssRow("0.0.0.0:11211", ""), mn, Unknown, "only to root")
	answers(ssRow("0.0.0.0:11211", other), mn, No, "nc[9]")
	answers(ssRow("0.0.0.0:11211", mc)+ssRow("10.10.1.3:11211", other), mn, No, "nc[9] on 10.10.1.3")
	answers(ssRow("127.0.0.1:11211", other)+ssRow("10.10.1.3:11211", mc), mn, Yes, "")
	answers(ssRow("0.0.0.0:11211", mc)+ssRow("0.0.0.0:11211", other), mn, Unknown, "share")
	answers(ssRow("0.0.0.0:memcache", mc), mn, Unknown, "-n")
	answers("UNCONN 0 0 0.0.0.0:11211 0.0.0.0:* "+mc+"\n", mn, No, "")
}

// Before iproute2 4.15 `*` is IPv4, `:::` may be both, and owners carry no names for their numbers.
func TestSSOldForm(t *testing.T) {
	ls := mustSS(t, "State Recv-Q Send-Q Local Address:Port Peer Address:Port\n"+
		"LISTEN 0 128 *:22 *:*\n\t users:((\"sshd\",1107,3))\n"+
		"LISTEN 0 128 :::11211 :::* users:((\"memcached\",7,26))\n")
	want := []Listener{
		{Proto: "tcp", Procs: []Process{{"sshd", 1107}}, Addr: netip.MustParseAddr("0.0.0.0"), Port: 22, Scope: ScopeAnyIPv4},
		{Proto: "tcp", Procs: []Process{{"memcached", 7}}, Addr: netip.MustParseAddr("::"), Port: 11211, Scope: ScopeAnyIPv6, DualMaybe: true},
	}
	if diff := cmp.Diff(want, ls, cmpAddr); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p := Answers(ls, "memcached", netip.MustParseAddrPort("10.10.1.3:11211")); p.Answer != Unknown {
		t.Errorf("IPv4 to a socket that may be IPv6 only: %s, want unknown", p)
	}
}

func TestBoundAs(t *testing.T) {
	const mc = `users:(("memcached",pid=7,fd=26))`
	bound := func(rows, want string) {
		t.Helper()
		if got := BoundAs(mustSS(t, ssHeader+rows), "memcached"); got != want {
			t.Errorf("%q: %s, want %s", rows, got, want)
		}
	}
	bound("", "absent")
	bound(ssRow("0.0.0.0:11211", ""), "unknown")
	bound(ssRow("127.0.0.1:11211", mc)+ssRow("10.10.1.3:11211", mc), "address")
	bound(ssRow("127.0.0.1:11211", mc)+ssRow("0.0.0.0:22", ""), "loopback")
	bound(ssRow("*:11211", mc), "any")
}

func TestSSRefuses(t *testing.T) {
	refuses := func(in string, target error) {
		t.Helper()
		ls, err := ParseSS(strings.NewReader(in))
		if !errors.Is(err, target) || ls != nil {
			t.Errorf("%q: %v, %v; want no list and %v", in, ls, err, target)
		}
	}
	refuses("", ErrNoData)
	refuses("bash: line 1: ss: command not found\n", ErrToolMissing)
	refuses(ssHeader+"Cannot open netlink socket: Permission denied\n", ErrPermission)
	for _, row := range []string{"LISTEN 0 128 0.0.0.0:1121", "LISTEN 0 128 10.10.1 0.0.0.0:*\n"} {
		var syntax *SyntaxError
		if _, err := ParseSS(strings.NewReader(ssHeader + row)); !errors.As(err, &syntax) || syntax.Line != 2 {
			t.Errorf("%q: %v, want a syntax error in line 2", row, err)
		}
	}
}

package verbs

import (
	"errors"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func toolFile(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(toolsDir, name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func TestIPAddrCases(t *testing.T) {
	runCases(t, "ip_addr", func(t *testing.T, _ toolCase, in io.Reader) object {
		is, err := ParseIPAddr(in)
		if err != nil {
			t.Fatal(err)
		}
		links := list(is.Interfaces, func(i Interface) any {
			return object{"name": i.Name, "state": i.State, "addrs": list(i.Addrs, func(p netip.Prefix) any { return p })}
		})
		usable := list(is.Usable(), func(a InterfaceAddr) any { return object{"name": a.Name, "addr": a.Addr} })
		return object{"links": links, "usable": usable}
	})
}

func TestIPAddrGoldens(t *testing.T) { goldens(t, "ip/*.txt", ParseIPAddr) }

func FuzzParseIPAddr(f *testing.F) {
	f.Add([]byte(ipJSON))
	fuzzParser(f, "ip_addr", ParseIPAddr)
}

const ipJSON = `[{"ifindex":1,"ifname":"lo","operstate":"UNKNOWN","mtu":65536,"addr_info":[{"family":"inet","local":"127.0.0.1","prefixlen":8}]},{},
{"ifname":"ens1f0","link":null,"operstate":"UP","mtu":9000,"addr_info":[{"local":"10.10.1.5","prefixlen":24},{"local":"fe80::1","prefixlen":64},{}]}]`

func TestIPAddrForms(t *testing.T) {
	usable := func(in string, truncated bool, want ...string) {
		t.Helper()
		is, err := ParseIPAddr(strings.NewReader(in))
		var got []string
		for _, a := range is.Usable() {
			got = append(got, a.Name+" "+a.Addr.String())
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil || is.Truncated != truncated {
			t.Errorf("%q: truncated %v, %v (-want +got):\n%s", in, is.Truncated, err, diff)
		}
	}
	usable(ipJSON, false, "ens1f0 10.10.1.5/24")
	usable("eth0 UP 10.0.2.15/24 metric 100 fe80::1/64 \n", false, "eth0 10.0.2.15/24")
	usable("tun0 UNKNOWN 10.8.0.2 peer 10.8.0.1/32 \n", false, "tun0 10.8.0.2/32")
	usable("vlan5@eth0 LOWERLAYERDOWN 10.0.5.1/24\neth0 UP 10.0.2.1", true)
	usable("eth0 UP 52:54:00:aa:00:01 <BROADCAST,UP>\neth1 UP 10.1.0.1/24\n", false, "eth1 10.1.0.1/24")
	if _, err := ParseIPAddr(strings.NewReader(ipJSON[:90])); err == nil {
		t.Error("cut JSON is no error")
	}
	is, err := ParseIPAddr(strings.NewReader(ipJSON))
	if with := is.With(netip.MustParseAddr("10.10.1.5")); err != nil || len(with) != 1 || *with[0].MTU != 9000 {
		t.Errorf("%+v, %v; want ens1f0 with MTU 9000", with, err)
	}
}

func TestLsmodCases(t *testing.T) {
	runCases(t, "lsmod", func(t *testing.T, _ toolCase, in io.Reader) object {
		ms, err := ParseLsmod(in)
		if err != nil {
			t.Fatal(err)
		}
		modules := list(ms.Modules, func(m Module) any {
			return object{"name": m.Name, "size": m.Size, "used": m.Used, "by": list(m.By, func(s string) any { return s })}
		})
		return object{"modules": modules, "rdma_ready": ms.RDMAReady().Answer == Yes}
	})
}

func TestLsmodGoldens(t *testing.T) { goldens(t, "lsmod/*.txt", ParseLsmod) }

func FuzzParseLsmod(f *testing.F) { fuzzParser(f, "lsmod", ParseLsmod) }

func TestLsmodReady(t *testing.T) {
	const head, core = "Module                  Size  Used by\n", "ib_core 368122 1 ib_uverbs\nib_uverbs 131901 0\n"
	for in, want := range map[string]Tri{head: Unknown, head + core: Unknown, head + core + "rdma_rxe 1 0\n": Yes, core + "mlx5_ib 1 0\n": Yes, head + core + "mlx5_ib 1 0": Yes} {
		ms, err := ParseLsmod(strings.NewReader(in))
		if p := ms.RDMAReady(); err != nil || p.Answer != want {
			t.Errorf("%q: %s, %v; want %s", in, p, err, want)
		}
		whole := strings.HasPrefix(in, head) && strings.HasSuffix(in, "\n")
		if ms.Truncated == whole {
			t.Errorf("%q: truncated %v, want %v", in, ms.Truncated, !whole)
		}
	}
}

func TestMemcachedCases(t *testing.T) {
	runCases(t, "memcached", func(t *testing.T, _ toolCase, in io.Reader) object {
		s, err := ParseMemcachedStats(in)
		if err != nil {
			t.Fatal(err)
		}
		out := object{"complete": s.Complete, "stats": s.Stats, "warnings": s.Warnings()}
		if m, ok := s.Listen(); ok {
			out["listen"] = object{"addr": map[bool]string{true: "any", false: "address"}[m.Any], "tcp_port": m.TCPPort, "udp_port": m.UDPPort}
		}
		return out
	})
}

func FuzzParseMemcachedStats(f *testing.F) {
	fuzzParser(f, "memcached", func(r io.Reader) (MemcachedStats, error) {
		s, err := ParseMemcachedStats(r)
		s.Listen()
		s.Warnings()
		return s, err
	})
}

func TestMemcachedReplies(t *testing.T) {
	var reply *MemcachedError
	if _, err := ParseMemcachedStats(strings.NewReader("SERVER_ERROR out of memory\r\n")); !errors.As(err, &reply) {
		t.Errorf("%v, want the reply", err)
	}
	if _, err := ParseMemcachedStats(strings.NewReader("")); !errors.Is(err, ErrNoData) {
		t.Errorf("%v, want %v", err, ErrNoData)
	}
	s, err := ParseMemcachedStats(strings.NewReader("STAT uptime 12\r\nSTAT curr_connections 4"))
	if diff := cmp.Diff(MemcachedStats{Stats: map[string]string{"uptime": "12"}}, s); diff != "" || err != nil {
		t.Errorf("a reply that is cut inside a number: %v (-want +got):\n%s", err, diff)
	}
	if s, err := ParseMemcachedStats(strings.NewReader("STAT a 1\r\nEND of it\r\n")); err != nil || s.Complete {
		t.Errorf("complete %v, %v; want a reply without END", s.Complete, err)
	}
	listen := func(inter string, any bool) {
		t.Helper()
		s, _ := ParseMemcachedStats(strings.NewReader("STAT tcpport 11211\r\nSTAT udpport 0\r\nSTAT inter " + inter + "\r\nEND\r\n"))
		if m, ok := s.Listen(); !ok || m.Any != any || m.TCPPort != 11211 {
			t.Errorf("inter %s: %+v, %v; want any %v", inter, m, ok, any)
		}
	}
	listen("NULL", true)
	listen("127.0.0.1", false)
	listen("10.10.1.3,127.0.0.1", false)
	listen("0.0.0.0:11211", true)
}

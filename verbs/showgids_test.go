package verbs

import (
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShowGIDsCases(t *testing.T) {
	runCases(t, "show_gids", func(t *testing.T, _ toolCase, in io.Reader) object {
		g, err := ParseShowGIDs(in)
		if err != nil {
			t.Fatal(err)
		}
		rows := list(g.GIDs, func(g GID) any {
			out := object{"dev": g.Device, "port": g.Port, "index": g.Index, "gid": g.Addr.StringExpanded(), "ipv4": nil,
				"ver": strings.TrimPrefix(string(g.Type), "RoCE "), "netdev": orNull(g.Netdev)}
			if a, ok := g.IPv4(); ok {
				out["ipv4"] = a
				b := a.As4()
				out["gid"] = strings.Replace(g.Addr.StringExpanded(), a.String(), hextets(b), 1)
			}
			return out
		})
		best := list(RoutableGIDs(g.GIDs), func(g GID) any {
			return object{"dev": g.Device, "netdev": g.Netdev, "index": g.Index}
		})
		return object{"rows": rows, "count_printed": g.Count, "best": best, "malformed": len(g.Malformed) > 0, "truncated": g.Truncated}
	})
}

// hextets spells an IPv4 address as the last 32 bits of an IPv6 address.
func hextets(b [4]byte) string {
	const digits = "0123456789abcdef"
	var s []byte
	for i, v := range b {
		if i == 2 {
			s = append(s, ':')
		}
		s = append(s, digits[v>>4], digits[v&15])
	}
	return string(s)
}

func FuzzParseShowGIDs(f *testing.F) { fuzzParser(f, "show_gids", ParseShowGIDs) }

// The count that is printed at the end tells whether rows are missing in the middle.
func TestShowGIDsCount(t *testing.T) {
	const row = "mlx5_2\t1\t3\t0000:0000:0000:0000:0000:ffff:0a0a:0107\t10.10.1.7\tv2\tens1f0\n"
	for in, truncated := range map[string]bool{row + "n_gids_found=1\n": false, row + "n_gids_found=2\n": true, row: true} {
		g, err := ParseShowGIDs(strings.NewReader(in))
		if err != nil || g.Truncated != truncated {
			t.Errorf("%q: truncated %v, %v; want %v", in, g.Truncated, err, truncated)
		}
	}
	if _, err := ParseShowGIDs(strings.NewReader("show_gids: command not found\n")); !errors.Is(err, ErrToolMissing) {
		t.Errorf("%v, want %v", err, ErrToolMissing)
	}
}

// The same address can stand on two devices; only the netdev tells them apart.
func TestFindGIDs(t *testing.T) {
	ip := netip.MustParseAddr("10.10.1.7")
	on := func(dev, netdev string, index int, typ GIDType) GID {
		return GID{Device: dev, Port: 1, Index: index, Addr: netip.AddrFrom16(ip.As16()), Type: typ, Netdev: netdev}
	}
	table := []GID{on("mlx5_2", "ens1f0", 2, RoCEv1), on("mlx5_2", "ens1f0", 3, RoCEv2), on("mlx5_3", "ens1f1", 5, RoCEv2), on("mlx5_3", "ens1f1", 6, "")}
	found := func(netdev string, want ...int) {
		t.Helper()
		var got []int
		for _, g := range FindGIDs(table, netdev, ip) {
			got = append(got, g.Index)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("netdev %q (-want +got):\n%s", netdev, diff)
		}
	}
	found("ens1f0", 3)
	found("ens1f1", 5)
	found("", 3, 5)
	found("eno1")
}

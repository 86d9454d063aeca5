package verbs

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestRDMALinkCases(t *testing.T) {
	runCases(t, "rdma_link", func(t *testing.T, _ toolCase, in io.Reader) object {
		ls, err := ParseRDMALink(in)
		if err != nil {
			t.Fatal(err)
		}
		links := list(ls.Links, func(k Link) any {
			return object{"dev": k.Device, "port": k.Port, "state": k.State, "phys_state": k.PhysState,
				"netdev": orNull(k.Netdev), "usable": k.State.Active() == Yes}
		})
		return object{"links": links, "truncated": ls.Truncated}
	})
}

func TestRDMALinkGoldens(t *testing.T) { goldens(t, "rdma/*.txt", ParseRDMALink) }

func FuzzParseRDMALink(f *testing.F) { fuzzParser(f, "rdma_link", ParseRDMALink) }

func TestRDMALinkForms(t *testing.T) {
	reads := func(in string, truncated bool, want ...string) {
		t.Helper()
		ls, err := ParseRDMALink(strings.NewReader(in))
		var got []string
		for _, k := range ls.Links {
			got = append(got, k.String())
		}
		if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") || ls.Truncated != truncated {
			t.Errorf("%q: %q, truncated %v, %v; want %q, %v", in, got, ls.Truncated, err, want, truncated)
		}
	}
	reads("link rxe1/1 state ACTIVE physical_state LINK_UP \n", false, "rxe1/1 ACTIVE (LINK_UP)")
	reads("link a/1 state ACTIVE physical_state LINK_UP netdev x\nlink b/1 state AC", true, "a/1 ACTIVE (LINK_UP) on x")
	reads(`[{"ifindex":0,"ifname":"mlx5_2","port":1,"state":"DOWN","physical_state":"DISABLED","netdev":"ens1f0"}]`+"\n", false,
		"mlx5_2/1 DOWN (DISABLED) on ens1f0")
	if _, err := ParseRDMALink(strings.NewReader("")); !errors.Is(err, ErrNoData) {
		t.Errorf("empty input: %v, want %v", err, ErrNoData)
	}
}

func FuzzParseRDMAStatistic(f *testing.F) { fuzzParser(f, "rdma_link", ParseRDMAStatistic) }

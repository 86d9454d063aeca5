package verbs

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestIBStatCases(t *testing.T) {
	runCases(t, "ibstat", func(t *testing.T, _ toolCase, in io.Reader) object {
		c, err := ParseIBStat(in)
		if err != nil {
			t.Fatal(err)
		}
		var devices, down []any
		for _, ca := range c.CAs {
			for _, p := range ca.Ports {
				devices = append(devices, object{"name": ca.Name, "type": orNull(ca.Type), "port": p.Number, "state": p.State,
					"phys_state": p.PhysState, "rate": p.Rate, "base_lid": p.LID, "port_guid": p.GUID, "link_layer": p.LinkLayer})
				if p.State.Active() == No {
					down = append(down, ca.Name)
				}
			}
		}
		return object{"devices": devices, "down": down, "truncated": c.Truncated, "error": nil, "usable": casePairs(c.Ports())}
	})
}

func TestIBStatGoldens(t *testing.T) { goldens(t, "ibstat/*.txt", ParseIBStat) }

func FuzzParseIBStat(f *testing.F) { fuzzParser(f, "ibstat", ParseIBStat) }

func TestIBStatCut(t *testing.T) {
	const whole = "CA 'mlx5_0'\n\tNumber of ports: 2\n\tPort 1:\n\t\tState: Active\n\t\tLink layer: Ethernet\n" +
		"\tPort 2:\n\t\tState: Down\n\t\tLink layer: Ethernet\n"
	for n, truncated := range map[int]bool{len(whole): false, strings.Index(whole, "\tPort 2"): true, strings.Index(whole, "\t\tState: D"): true, 12: true} {
		c, err := ParseIBStat(strings.NewReader(whole[:n]))
		if err != nil || c.Truncated != truncated {
			t.Errorf("%q: truncated %v, %v; want %v", whole[:n], c.Truncated, err, truncated)
		}
	}
	if _, err := ParseIBStat(strings.NewReader("")); !errors.Is(err, ErrNoData) {
		t.Errorf("empty input: %v, want %v", err, ErrNoData)
	}
}

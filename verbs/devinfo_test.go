package verbs

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDevinfoCases(t *testing.T) {
	runCases(t, "ibv_devinfo", func(t *testing.T, _ toolCase, in io.Reader) object {
		d, err := ParseDevinfo(in)
		var driver *NoDriverError
		if errors.As(err, &driver) {
			return object{"devices": []any{}, "error": "no-driver-library", "kernel_devices": driver.KernelDevices, "truncated": false}
		}
		if err != nil {
			t.Fatal(err)
		}
		out := object{"devices": list(d.Devices, caseDevice), "truncated": d.Truncated, "best_gid_index": nil}
		if best := RoutableGIDs(d.GIDs()); len(best) > 0 {
			out["best_gid_index"] = best[0].Index
		}
		return out
	})
}

func caseDevice(d Device) any {
	if len(d.Ports) == 0 {
		return object{"name": orNull(d.Name), "port": nil, "state": nil, "active_mtu": nil, "link_layer": nil, "lid": nil}
	}
	p := d.Ports[0]
	gids := list(p.GIDs, func(g GID) any {
		out := object{"index": g.Index, "gid": g.Addr, "type": g.Type, "ipv4": nil}
		if a, ok := g.IPv4(); ok {
			out["ipv4"] = a
		}
		return out
	})
	return object{"name": orNull(d.Name), "port": orNull(p.Number), "state": p.State, "active_mtu": p.ActiveMTU,
		"link_layer": orNull(p.LinkLayer), "lid": p.LID, "gids": gids}
}

func TestDevinfoGoldens(t *testing.T) { goldens(t, "ibv_devinfo/*.txt", ParseDevinfo) }

func FuzzParseDevinfo(f *testing.F) { fuzzParser(f, "ibv_devinfo", ParseDevinfo) }

// Before rdma-core v29 each address stands there twice without a type: unknown, not "the second is v2".
func TestDevinfoOldGIDs(t *testing.T) {
	d, err := ParseDevinfo(strings.NewReader("hca_id:\tmlx5_2\n\t\tport:\t1\n\t\t\tstate:\t\tPORT_ACTIVE (4)\n" +
		"\t\t\tGID[  2]:\t\t0000:0000:0000:0000:0000:ffff:0a0a:0107\n" +
		"\t\t\tGID[  3]:\t\t0000:0000:0000:0000:0000:ffff:0a0a:0107\n"))
	if err != nil {
		t.Fatal(err)
	}
	var types []GIDType
	for _, g := range d.GIDs() {
		types = append(types, g.Type)
	}
	if diff := cmp.Diff([]GIDType{"", ""}, types); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if best := RoutableGIDs(d.GIDs()); best != nil {
		t.Errorf("routable %v, want none: the type is unknown", best)
	}
}

func TestDevinfoCut(t *testing.T) {
	const whole = "hca_id:\tmlx4_0\n\tphys_port_cnt:\t2\n\t\tport:\t1\n\t\t\tstate:\tPORT_ACTIVE (4)\n" +
		"\t\tport:\t2\n\t\t\tstate:\tPORT_DOWN (1)\n"
	for n, truncated := range map[int]bool{len(whole): false, strings.Index(whole, "\t\tport:\t2"): true, strings.LastIndex(whole, "\t\t\tstate"): true} {
		d, err := ParseDevinfo(strings.NewReader(whole[:n]))
		if err != nil || d.Truncated != truncated {
			t.Errorf("%q: truncated %v, %v; want %v", whole[:n], d.Truncated, err, truncated)
		}
	}
}

func TestDevinfoRefuses(t *testing.T) {
	refuses := func(in string, target error) {
		t.Helper()
		if _, err := ParseDevinfo(strings.NewReader(in)); !errors.Is(err, target) {
			t.Errorf("%q: %v, want %v", in, err, target)
		}
	}
	refuses("", ErrNoData)
	refuses("No IB devices found\n", ErrNoDevices)
	refuses("IB device 'mlx5_9' wasn't found\n", ErrNoDevices)
	refuses("-bash: ibv_devinfo: command not found\n", ErrToolMissing)
	refuses("\tstate:\t\t 4: ACTIVE\n\tlink_layer:\t Ethernet\n", ErrNoData) // ibstatus
}

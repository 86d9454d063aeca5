package verbs

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// caseGID spells a GID as sysfs does.
func caseGID(p Port) any {
	if !p.DefaultGID.IsValid() {
		return nil
	}
	return p.DefaultGID.StringExpanded()
}

func casePairs(ports []Port) []any {
	return list(Usable(ports), func(p Port) any { return []any{p.Device, p.Number} })
}

func TestIBStatusCases(t *testing.T) {
	runCases(t, "ibstatus", func(t *testing.T, _ toolCase, in io.Reader) object {
		p, err := ParseIBStatus(in)
		if err != nil && !errors.Is(err, ErrNoDevices) {
			t.Fatal(err)
		}
		devices := list(p.Ports, func(p Port) any {
			return object{"name": orNull(p.Device), "port": orNull(p.Number), "state": p.State, "phys_state": p.PhysState,
				"rate": p.Rate, "link_layer": orNull(p.LinkLayer), "gid": caseGID(p)}
		})
		return object{"devices": devices, "truncated": p.Truncated, "usable": casePairs(p.Ports), "error": noDevices(err)}
	})
}

func noDevices(err error) any {
	if errors.Is(err, ErrNoDevices) {
		return "no-devices"
	}
	return nil
}

func TestIBStatusGoldens(t *testing.T) { goldens(t, "ibstatus/*.txt", ParseIBStatus) }

func FuzzParseIBStatus(f *testing.F) { fuzzParser(f, "ibstatus", ParseIBStatus) }

func TestIBStatusRefuses(t *testing.T) {
	var gone *DeviceNotFoundError
	_, err := ParseIBStatus(strings.NewReader("Fatal error:  device 'mlx5_9': sys files not found (/sys/class/infiniband/mlx5_9/ports)\n"))
	if !errors.As(err, &gone) || gone.Device != "mlx5_9" || !errors.Is(err, ErrNoDevices) {
		t.Errorf("unknown device: %v", err)
	}
	_, err = ParseIBStatus(strings.NewReader("sh: 1: ibstatus: not found\n"))
	if !errors.Is(err, ErrToolMissing) || errors.Is(err, ErrNoDevices) {
		t.Errorf("tool missing: %v", err)
	}
}

// A cut, colours and CR LF.
func TestIBStatusDamaged(t *testing.T) {
	const whole = "Infiniband device 'mlx5_2' port 1 status:\r\n\tdefault gid:\t fe80::1\r\n" +
		"\tstate:\t\t \x1b[32m4: ACTIVE\x1b[0m\r\n\tphys state:\t 5: LinkUp\r\n\trate:\t\t 25 Gb/sec (1X EDR)\r\n"
	for cut, truncated := range map[string]bool{whole: false, whole[:len(whole)-32]: true} {
		p, err := ParseIBStatus(strings.NewReader(cut))
		if err != nil || p.Truncated != truncated || len(p.Ports) != 1 || p.Ports[0].State.Active() != Yes {
			t.Errorf("%q: %+v, %v; want one active port, truncated %v", cut, p, err, truncated)
		}
	}
}

func TestPortState(t *testing.T) {
	for s, want := range map[PortState]Tri{"ACTIVE": Yes, "Active": Yes, "PORT_ACTIVE": Yes, "PORT_DOWN": No, "Down": No, "INIT": No, "": Unknown} {
		if diff := cmp.Diff(want, s.Active()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", s, diff)
		}
	}
}

package verbs

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKernelLogCases(t *testing.T) {
	runCases(t, "kernel_log", func(t *testing.T, _ toolCase, in io.Reader) object {
		k, err := ParseKernelLog(in)
		if err != nil {
			t.Fatal(err)
		}
		out := object{"truncated": k.Truncated, "host": k.Host, "node_healthy": len(k.NodeFaults()) == 0}
		var kinds []EventKind
		for _, e := range k.Events {
			if !slices.Contains(kinds, e.Kind) {
				kinds = append(kinds, e.Kind)
			}
			for key, v := range (object{"scope": orNull(e.Scope), "device": orNull(e.PCI), "netdev": orNull(e.Netdev),
				"process": orNull(e.Process), "pid": orNull(e.PID), "min_count": orNull(e.Suppressed)}) {
				if v != nil {
					out[key] = v
				}
			}
		}
		out["events"] = kinds
		if netdev, ok := out["netdev"].(string); ok && k.LinkUp(netdev).Answer == Yes {
			out["link_now"] = "up"
		}
		return out
	})
}

func TestKernelLogGoldens(t *testing.T) {
	golden(t, toolsDir+"/dmesg/boot-events.txt", mustKernel(t, string(toolFile(t, "dmesg/boot.txt"))))
}

func FuzzParseKernelLog(f *testing.F) { fuzzParser(f, "kernel_log", ParseKernelLog) }

func mustKernel(t *testing.T, in string) KernelLog {
	t.Helper()
	k, err := ParseKernelLog(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKernelEvents(t *testing.T) {
	event := func(in string, want KernelEvent) {
		t.Helper()
		k := mustKernel(t, in+"\n")
		if len(k.Events) != 1 {
			t.Fatalf("%q: %d events, want 1", in, len(k.Events))
		}
		got := k.Events[0]
		got.Line, got.Time, got.Text = 0, nil, ""
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
	event("[ 1.0] Out of memory: Killed process 4021 (bench_runner) total-vm:1kB", KernelEvent{Kind: EventOOM, Scope: OOMNode, Process: "bench_runner", PID: 4021})
	event("[ 1.0] Out of memory: Kill process 4021 (bench_runner) score 9 or sacrifice child", KernelEvent{Kind: EventOOM, Scope: OOMNode, Process: "bench_runner", PID: 4021})
	event("[ 1.0] oom-kill:constraint=CONSTRAINT_CPUSET,nodemask=1,cpuset=/,mems_allowed=0,task=a b,pid=7,uid=0", KernelEvent{Kind: EventOOM, Scope: OOMPolicy, Process: "a b", PID: 7})
	event("[ 1.0] bench_runner[4021]: segfault at 0 ip 0 sp 0 error 4 in bench_runner[400000+1000]", KernelEvent{Kind: EventSegfault, Process: "bench_runner", PID: 4021})
	event("[ 1.0] INFO: task bench_runner:4021 blocked for more than 120 seconds.", KernelEvent{Kind: EventHung, Process: "bench_runner", PID: 4021})
	event("Nov 30 18:00:00 cn0 kernel: mlx5_core 0000:81:00.0: poll_health:825:(pid 0): Fatal error 1 detected", KernelEvent{Kind: EventHealth, PCI: "0000:81:00.0"})
	event("[ 1.0] igb 0000:01:00.0 eno1: igb: eno1 NIC Link is Down", KernelEvent{Kind: EventLinkDown, Netdev: "eno1"})
	event("[ 1.0] infiniband mlx5_2: set active", KernelEvent{Kind: EventLinkUp, Device: "mlx5_2"})
}

// Two kills in a row are two events, each of its own lines.
func TestKernelTwoKills(t *testing.T) {
	kill := func(pid string) string {
		return "[ 1.0] sh invoked oom-killer: gfp_mask=0x1\n" +
			"[ 1.0] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task=bench_runner,pid=" + pid + ",uid=0\n" +
			"[ 1.0] Out of memory: Killed process " + pid + " (bench_runner) total-vm:1kB\n"
	}
	last := func(s string) string { return s[strings.LastIndex(strings.TrimSpace(s), "\n")+1:] }
	for _, in := range []string{kill("11") + kill("12"), last(kill("11")) + last(kill("12"))} {
		k := mustKernel(t, in)
		var pids []int
		for _, e := range k.Of(EventOOM) {
			pids = append(pids, e.PID)
		}
		if diff := cmp.Diff([]int{11, 12}, pids); diff != "" || len(k.NodeFaults()) != 2 {
			t.Errorf("%q: %d node faults, want 2; pids (-want +got):\n%s", in, len(k.NodeFaults()), diff)
		}
	}
}

func TestKernelLink(t *testing.T) {
	const up, down = "[ 1.0] mlx5_core 0000:c1:00.0 ens1f0: Link up\n", "[ 2.0] mlx5_core 0000:c1:00.0 ens1f0: Link down\n"
	for in, want := range map[string]Tri{up + down: No, down + up: Yes, "[ 1.0] nothing\n": Unknown} {
		if p := mustKernel(t, in).LinkUp("ens1f0"); p.Answer != want {
			t.Errorf("%q: %s, want %s", in, p, want)
		}
	}
}

func TestKernelLogRefused(t *testing.T) {
	_, err := ParseKernelLog(strings.NewReader("dmesg: read kernel buffer failed: Operation not permitted\n"))
	if !errors.Is(err, ErrPermission) {
		t.Errorf("%v, want %v", err, ErrPermission)
	}
	k := mustKernel(t, "[ 0.0] Command line: ro panic=-1 oom=panic\n")
	if len(k.Events) != 0 {
		t.Errorf("options of the command line are events: %+v", k.Events)
	}
}

package verbs

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIOMMULogCases(t *testing.T) {
	runCases(t, "iommu_dmesg", func(t *testing.T, c toolCase, in io.Reader) object {
		g, err := ParseIOMMULog(in)
		if err != nil {
			t.Fatal(err)
		}
		out := object{"verdict": g.Mode, "evidence": g.Evidence, "hardware": g.Hardware}
		if g.Cmdline != nil {
			out["cmdline_iommu"] = g.Cmdline.Values("iommu")
		}
		events, err := ParseKernelLog(strings.NewReader(string(c.input(t))))
		out["panic"] = err == nil && len(events.Of(EventPanic)) > 0
		return out
	})
}

func TestIOMMULogGoldens(t *testing.T) { goldens(t, "dmesg/boot.txt", ParseIOMMULog) }

func FuzzParseIOMMULog(f *testing.F) { fuzzParser(f, "iommu_dmesg", ParseIOMMULog) }

func TestIOMMULogWordings(t *testing.T) {
	mode := func(in string, want IOMMUMode, hardware string) {
		t.Helper()
		g, err := ParseIOMMULog(strings.NewReader(in))
		if err != nil || g.Mode != want || g.Hardware != hardware {
			t.Errorf("%q: %+v, %v; want %s on %q", in, g, err, want, hardware)
		}
	}
	mode("[    0.31] iommu: Default domain type: Passthrough \n", IOMMUPassthrough, "")
	mode("Nov 30 18:00:00 cn0 kernel: iommu: Default domain type: Translated (set via kernel command line)\n", IOMMUTranslated, "")
	mode("[    1.1] AMD-Vi: Initialized for Passthrough Mode\n", IOMMUPassthrough, "amd")
	mode("[    1.1] AMD-Vi: Found IOMMU at 0000:00:00.2 cap 0x40\n", IOMMUUnknown, "amd")
	mode("[    1.1] AMD-Vi: AMD IOMMUv2 functionality not available on this system - This is not a bug.\n", IOMMUUnknown, "")
	// These two stand for intel_iommu= on the command line, on hosts of AMD too.
	mode("[    0.0] DMAR: IOMMU enabled\n", IOMMUUnknown, "")
	mode("[    0.0] DMAR: IOMMU disabled\n", IOMMUUnknown, "")
	mode("[    0.0] DMAR: IOMMU disabled\n[    0.1] DMAR: Host address width 46\n[    0.3] iommu: Default domain type: Translated\n", IOMMUDisabled, "intel")
	mode("[    0.0] DMAR: IOMMU disabled\n[    0.3] iommu: Default domain type: Translated\n[    1.1] AMD-Vi: Found IOMMU at 0000:00:00.2 cap 0x40\n", IOMMUTranslated, "amd")
	mode("[    1.1] DMAR: Intel(R) Virtualization Technology for Directed I/O\n", IOMMUUnknown, "intel")
	mode("[    1.1] arm-smmu-v3 arm-smmu-v3.0.auto: ias 44-bit, oas 44-bit (features 0x00008305)\n", IOMMUUnknown, "arm")
	mode("[    5.0] usb 1-1: new device\n", IOMMUUnknown, "")
	mode("(XEN) I/O virtualisation enabled\n", IOMMUUnknown, "")
	// The last boot counts.
	mode("[    0.0] Linux version 6.8.0\n[    0.3] iommu: Default domain type: Passthrough\n[    0.0] Linux version 6.8.0\n", IOMMUUnknown, "")
}

// Before kernel 5.0 the Intel driver lists the devices that it maps one to one; others are translated.
func TestIOMMULogIdentity(t *testing.T) {
	g, err := ParseIOMMULog(strings.NewReader("[    1.5] DMAR: Hardware identity mapping for device 0000:81:00.0\n" +
		"[    1.5] DMAR: Hardware identity mapping for device 0000:81:00.1\n[    1.6] DMAR: Setting identity map for device 0000:00:1d.0 [0x7a0 - 0x7a1]\n"))
	if diff := cmp.Diff([]string{"0000:81:00.0", "0000:81:00.1"}, g.Identity); diff != "" || err != nil || g.Mode != IOMMUUnknown {
		t.Errorf("%s, %v (-want +got):\n%s", g.Mode, err, diff)
	}
}

func TestIOMMULogRefused(t *testing.T) {
	for in, target := range map[string]error{
		"dmesg: read kernel buffer failed: Operation not permitted\n": ErrPermission,
		"": ErrNoData,
	} {
		if _, err := ParseIOMMULog(strings.NewReader(in)); !errors.Is(err, target) {
			t.Errorf("%q: %v, want %v", in, err, target)
		}
	}
}

func TestCmdlinePassthrough(t *testing.T) {
	asks := func(text string, want Tri) {
		t.Helper()
		if p := (Cmdline{text}).Passthrough(); p.Answer != want {
			t.Errorf("%q: %s, want %s", text, p, want)
		}
	}
	asks("ro quiet", Unknown)
	asks("ro iommu=pt", Yes)
	asks("amd_iommu=on iommu=pt iommu=1", Yes)
	asks("iommu=pt,force", Yes)
	asks("iommu.passthrough=1", Yes)
	asks("iommu.passthrough=0", No) // a search for "iommu.*pass" finds this one
	asks("iommu.passthrough=1 iommu.passthrough=0", No)
	asks("iommu=pt iommu=nopt", No)
	asks("intel_iommu=on", Unknown)
	asks("iommu=off", Yes)
	asks("intel_iommu=off", Unknown) // the host may be of another make
	asks("amd_iommu=off", Unknown)
	asks("xiommu=pt", Unknown)
	asks("iommu=ptx", Unknown)
	asks(`dyndbg="file iommu.c iommu=pt"`, Unknown)
	asks("quiet -- iommu=pt", Unknown)
}

func TestPassthrough(t *testing.T) {
	str := func(s string) *string { return &s }
	cmdline := func(s string) *Cmdline { return &Cmdline{s} }
	answer := func(name string, e IOMMUEvidence, want Tri, reason string) {
		t.Helper()
		e.Device = "mlx5_2"
		if p := e.Passthrough(); p.Answer != want || !strings.Contains(p.Reason, reason) {
			t.Errorf("%s: %s; want %s: …%s…", name, p, want, reason)
		}
	}
	passed, translated := &IOMMULog{Mode: IOMMUPassthrough, Line: "domain"}, &IOMMULog{Mode: IOMMUTranslated, Line: "domain"}
	working := &IOMMULog{Mode: IOMMUTranslated, Line: "domain", Hardware: "amd"}
	silent := &IOMMULog{Mode: IOMMUUnknown}
	answer("nothing", IOMMUEvidence{}, Unknown, "could not be read")
	answer("soft-RoCE", IOMMUEvidence{Software: true, Log: working}, Yes, "software")
	answer("group identity", IOMMUEvidence{GroupType: str("identity"), Log: working, Cmdline: cmdline("")}, Yes, "identity")
	answer("group DMA beats iommu=pt", IOMMUEvidence{GroupType: str("DMA-FQ"), Log: passed, Cmdline: cmdline("iommu=pt")}, No, "DMA-FQ")
	answer("group of another kind", IOMMUEvidence{GroupType: str("blocked")}, Unknown, "blocked")
	answer("log", IOMMUEvidence{Log: passed}, Yes, "domain")
	answer("log with hardware", IOMMUEvidence{Log: working}, No, "domain")
	answer("domain line without IOMMU", IOMMUEvidence{Log: translated, Cmdline: cmdline("quiet")}, Unknown, "shows no IOMMU")
	answer("no group, whole boot", IOMMUEvidence{NoGroup: true, Log: &IOMMULog{Mode: IOMMUTranslated, Boot: true}}, Yes, "no IOMMU")
	answer("4.15: no domain line", IOMMUEvidence{Log: silent, Cmdline: cmdline("iommu=pt")}, Yes, "iommu=pt")
	answer("log refused", IOMMUEvidence{Cmdline: cmdline("quiet")}, Unknown, "kernel log could not be read")
	answer("iommu=pt means nothing on ARM", IOMMUEvidence{Log: &IOMMULog{Mode: IOMMUUnknown, Hardware: "arm"}, Cmdline: cmdline("iommu=pt")}, Unknown, "")
	answer("off, of that make", IOMMUEvidence{Hardware: "intel", Cmdline: cmdline("intel_iommu=off")}, Yes, "intel_iommu=off")
	answer("off and on again", IOMMUEvidence{Hardware: "intel", Cmdline: cmdline("intel_iommu=off intel_iommu=on")}, Unknown, "")
	answer("off, of another make", IOMMUEvidence{Hardware: "amd", Cmdline: cmdline("intel_iommu=off")}, Unknown, "")
	answer("identity mapping of the device", IOMMUEvidence{PCI: "0000:81:00.0", Log: &IOMMULog{Mode: IOMMUUnknown, Identity: []string{"0000:81:00.0"}}}, Yes, "0000:81:00.0")
}

func TestRebootPending(t *testing.T) {
	for _, c := range []struct {
		configured, running Probe
		want                Tri
	}{{yes("a"), no("b"), Yes}, {no("a"), yes("b"), Yes}, {yes("a"), yes("b"), No}, {unknown("a"), yes("b"), Unknown}, {yes("a"), Probe{}, Unknown}} {
		if diff := cmp.Diff(c.want, RebootPending(c.configured, c.running).Answer); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", c.configured, c.running, diff)
		}
	}
}

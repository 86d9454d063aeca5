package verbs

import (
	"io"
	"regexp"
	"slices"
	"strings"
)

// IOMMUMode is what a kernel log says of the IOMMU.
type IOMMUMode string

// The modes.
const (
	IOMMUPassthrough IOMMUMode = "passthrough" // devices use physical addresses
	IOMMUTranslated  IOMMUMode = "translated"
	IOMMUDisabled    IOMMUMode = "disabled"
	IOMMUUnknown     IOMMUMode = "unknown" // the log does not tell: it may be filtered, rotated, or of an old kernel
)

// An IOMMULog is the evidence that a kernel log gives.
type IOMMULog struct {
	Mode     IOMMUMode
	Evidence string   // domain-line, amd-mode-line, off-line, hypervisor or no-domain-line
	Line     string   // the line that decided
	Hardware string   // intel, amd or arm when the log shows an IOMMU at work
	Identity []string // PCI addresses that an old Intel driver mapped one to one
	Cmdline  *Cmdline // of that boot, when the log shows it
	off      string   // the line that says that an Intel IOMMU is switched off
	Boot     bool     // the log begins with the boot, so that what it does not say did not happen
}

var (
	bootLine      = regexp.MustCompile(`\bLinux version \d`)
	domainLine    = regexp.MustCompile(`iommu: Default domain type: (Passthrough|Translated)\b`)
	amdModeLine   = regexp.MustCompile(`AMD-Vi: Initialized for Passthrough Mode`)
	offLine       = regexp.MustCompile(`DMAR: IOMMU disabled`) // intel_iommu=off, on hosts of AMD too
	identityLine  = regexp.MustCompile(`DMAR: Hardware identity mapping for device ([0-9a-f:.]+)`)
	xenLine       = regexp.MustCompile(`\(XEN\).*I/O virtuali[sz]ation (disabled|enabled)`)
	cmdlineLine   = regexp.MustCompile(`\b(?:Kernel c|C)ommand line: (.*)$`)
	kernelStamp   = regexp.MustCompile(`^(?:.*\bkernel: ?)?\s*\[ *\d+\.\d+\]|\bkernel: |^\(XEN\) |^<\d+>`)
	iommuHardware = []struct {
		re   *regexp.Regexp
		name string
	}{
		{regexp.MustCompile(`\bDMAR: (?:dmar\d+: reg_base|Intel\(R\) Virtualization Technology|Host address width)|DMAR-IR: `), "intel"},
		{regexp.MustCompile(`AMD-Vi: (?:Found IOMMU|IOMMU performance counters|Extended features|Interrupt remapping enabled|Using global IVHD|Lazy IO/TLB|Initialized for)`), "amd"},
		{regexp.MustCompile(`\barm-smmu(?:-v3)? .*(?:probing hardware|ias \d+|oas \d+|stage \d)`), "arm"},
	}
)

// ParseIOMMULog reads `dmesg` or a kernel log for evidence of the IOMMU's mode, on AMD, Intel and ARM, and under Xen. Of
// several boots the last one counts. A log that says nothing gives IOMMUUnknown, not "translated"; an
// input that is no kernel log is an error, compatible with ErrPermission where dmesg was refused.
func ParseIOMMULog(r io.Reader) (IOMMULog, error) {
	l := newLines(r)
	g := IOMMULog{Mode: IOMMUUnknown, Evidence: "no-domain-line"}
	found := false
	for l.next() {
		if refusal(l.text) != nil && strings.HasPrefix(strings.TrimSpace(l.text), "dmesg:") {
			continue
		}
		found = g.line(l.text) || found || kernelStamp.MatchString(l.text)
	}
	if l.err != nil || !found {
		return IOMMULog{}, l.inputError("dmesg", "kernel message")
	}
	if g.off != "" && g.Hardware == "intel" {
		g.Mode, g.Evidence, g.Line = IOMMUDisabled, "off-line", g.off
	}
	return g, nil
}

// iommuWords are in every line that is evidence; other lines are not looked at further.
var iommuWords = []string{"Linux version", "ommand line:", "iommu", "IOMMU", "AMD-Vi", "DMAR", "(XEN)", "smmu"}

// line takes one line and reports whether it was evidence.
func (g *IOMMULog) line(text string) bool {
	if !slices.ContainsFunc(iommuWords, func(w string) bool { return strings.Contains(text, w) }) {
		return false
	}
	if bootLine.MatchString(text) {
		*g = IOMMULog{Mode: IOMMUUnknown, Evidence: "no-domain-line", Boot: true}
		return true
	}
	if m := cmdlineLine.FindStringSubmatch(text); m != nil {
		if len(m[1]) <= maxCmdline {
			g.Cmdline = &Cmdline{strings.TrimSpace(m[1])}
		}
		return true
	}
	return g.mode(text) || g.hardware(text)
}

func (g *IOMMULog) mode(text string) bool {
	decide := func(mode IOMMUMode, evidence string) bool {
		g.Mode, g.Evidence, g.Line = mode, evidence, shorten(strings.TrimSpace(text))
		return true
	}
	if m := domainLine.FindStringSubmatch(text); m != nil {
		return decide(map[string]IOMMUMode{"Passthrough": IOMMUPassthrough, "Translated": IOMMUTranslated}[m[1]], "domain-line")
	}
	if m := xenLine.FindStringSubmatch(text); m != nil {
		return decide(map[string]IOMMUMode{"disabled": IOMMUDisabled, "enabled": IOMMUUnknown}[m[1]], "hypervisor")
	}
	if m := identityLine.FindStringSubmatch(text); m != nil {
		g.Hardware = "intel"
		if len(g.Identity) < maxPorts && !slices.Contains(g.Identity, m[1]) {
			g.Identity = append(g.Identity, strings.TrimRight(m[1], ":."))
		}
		return true
	}
	switch {
	case amdModeLine.MatchString(text):
		g.Hardware = "amd"
		return decide(IOMMUPassthrough, "amd-mode-line")
	case offLine.MatchString(text):
		g.off = shorten(strings.TrimSpace(text))
		return true
	}
	return false
}

func (g *IOMMULog) hardware(text string) bool {
	for _, h := range iommuHardware {
		if h.re.MatchString(text) {
			g.Hardware = h.name
			return true
		}
	}
	return false
}

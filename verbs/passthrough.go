package verbs

import "slices"

// IOMMUEvidence is all that is known about the IOMMU for one device. Nil is what could not be read.
type IOMMUEvidence struct {
	Device    string   // RDMA device, for the reasons
	PCI       string   // its PCI address; empty when not known
	Hardware  string   // make of the IOMMU when known from elsewhere: intel, amd or arm
	Software  bool     // soft-RoCE: there is no hardware behind it
	GroupType *string  // iommu_group/type of the device: identity, DMA, DMA-FQ, …
	NoGroup   bool     // sysfs could be read and the device has no iommu_group: old kernel or no IOMMU
	Cmdline   *Cmdline // /proc/cmdline
	Log       *IOMMULog
}

// GroupType returns device/iommu_group/type of a device.
func (s Sysfs) GroupType(device string) (string, bool) {
	t, ok := s[device+"/device/iommu_group/type"]
	return t, ok
}

// Passthrough tells whether the device uses physical addresses. The type of its own group is the truth; without it
// the log of this boot and the running command line are asked, in this order, and where they are silent
// the answer is unknown.
func (e IOMMUEvidence) Passthrough() Probe {
	switch {
	case e.Software:
		return yes("%s is a software device: no hardware reads or writes memory", e.Device)
	case e.GroupType != nil:
		return e.byGroup()
	}
	if e.Log != nil {
		if p := e.byLog(); p.Answer != Unknown {
			return p
		}
	}
	if e.Cmdline != nil {
		if p := e.Cmdline.passthrough(e.hardware()); p.Answer != Unknown {
			return p
		}
	}
	return unknown("%s", e.missing())
}

func (e IOMMUEvidence) hardware() string {
	if e.Hardware == "" && e.Log != nil {
		return e.Log.Hardware
	}
	return e.Hardware
}

func (e IOMMUEvidence) byGroup() Probe {
	switch t := *e.GroupType; t {
	case "identity":
		return yes("%s: iommu_group/type is identity", e.Device)
	case "DMA", "DMA-FQ", "DMA-SQ":
		return no("%s: iommu_group/type is %s: addresses are translated", e.Device, t)
	default:
		return unknown("%s: iommu_group/type is %q", e.Device, t)
	}
}

// byLog: the domain line stands in the log even where there is no IOMMU, so that "translated" counts only
// when the log shows an IOMMU at work.
func (e IOMMUEvidence) byLog() Probe {
	g := e.Log
	if e.PCI != "" && slices.Contains(g.Identity, e.PCI) {
		return yes("the kernel log has an identity mapping for %s", e.PCI)
	}
	switch g.Mode {
	case IOMMUPassthrough:
		return yes("the kernel log says %q", g.Line)
	case IOMMUDisabled:
		return yes("the kernel log says %q: no IOMMU translates", g.Line)
	case IOMMUTranslated:
		switch {
		case g.Hardware != "":
			return no("the kernel log says %q", g.Line)
		case e.NoGroup && g.Boot:
			return yes("%s has no IOMMU group and the kernel log of the whole boot shows no IOMMU", e.Device)
		}
	}
	return unknown("the kernel log does not tell")
}

func (e IOMMUEvidence) missing() string {
	s := "no iommu_group/type for " + e.Device
	switch {
	case e.Log == nil:
		s += "; the kernel log could not be read"
	case e.Log.Mode == IOMMUTranslated:
		s += "; the kernel log names translation as the default but shows no IOMMU"
	default:
		s += "; the kernel log has no line about the mode"
	}
	if e.Cmdline == nil {
		return s + "; the command line could not be read"
	}
	return s + "; the command line leaves it to the kernel's default"
}

// RebootPending tells whether the boot loader's configuration asks for passthrough while the running kernel does not
// have it yet, or the other way round.
func RebootPending(configured, running Probe) Probe {
	switch {
	case configured.Answer == Unknown || running.Answer == Unknown:
		return unknown("configuration: %s; running: %s", configured, running)
	case configured.Answer == running.Answer:
		return no("configuration and running kernel agree: %s", running)
	}
	return yes("configuration: %s; running: %s", configured, running)
}

package verbs

import (
	"io"
	"regexp"
	"strconv"
	"strings"
)

// A Module is one loaded kernel module.
type Module struct {
	Name string
	Size uint64 // bytes
	Used int    // users; negative for a module that cannot be unloaded
	By   []string
}

// Modules is the list of loaded modules. Drivers that are built into the kernel are not in it.
type Modules struct {
	Modules   []Module
	Truncated bool // no header, or no line end after the last line
}

// The size of a module is right-aligned in a column that long names push to the right.
var lsmodRow = regexp.MustCompile(`^([\w-]+)\s+(\d+)\s+(-?\d+)(?:\s+(\S+))?\s*$`)

// ParseLsmod reads `lsmod` (kmod, tools/lsmod.c).
func ParseLsmod(r io.Reader) (Modules, error) {
	l := newLines(r)
	var out Modules
	head := false
	for l.next() {
		if f := strings.Fields(l.text); len(f) == 4 && f[0] == "Module" && f[1] == "Size" {
			head = true
			continue
		}
		if m, ok := lsmodModule(l.text); ok {
			out.Modules = append(out.Modules, m)
		}
		if len(out.Modules) > maxItems {
			return Modules{}, &SyntaxError{"lsmod", l.num, "too many modules"}
		}
	}
	if l.err != nil || len(out.Modules) == 0 && !head {
		return Modules{}, l.inputError("lsmod", "module")
	}
	out.Truncated = !head || l.cut || l.partial()
	return out, nil
}

func lsmodModule(text string) (Module, bool) {
	m := lsmodRow.FindStringSubmatch(text)
	if m == nil {
		return Module{}, false
	}
	size, ok := decimal(m[2])
	used, err := strconv.Atoi(m[3])
	mod := Module{Name: m[1], Size: size, Used: used}
	if m[4] != "" {
		mod.By = strings.FieldsFunc(m[4], func(r rune) bool { return r == ',' })
	}
	return mod, ok && err == nil
}

// Loaded tells whether a module is loaded. One that is not in the list may be built into the kernel.
func (ms Modules) Loaded(name string) Probe {
	name = strings.ReplaceAll(name, "-", "_") // the kernel's spelling
	for _, m := range ms.Modules {
		if m.Name == name {
			return yes("%s is loaded", name)
		}
	}
	if ms.Truncated {
		return unknown("%s is not in the list, which is cut", name)
	}
	return unknown("%s is not in the list: not loaded, or built into the kernel", name)
}

// rdmaDrivers are the modules that make RDMA devices.
var rdmaDrivers = []string{"mlx5_ib", "mlx4_ib", "rdma_rxe", "siw", "irdma", "i40iw", "bnxt_re", "qedr", "hns_roce_hw_v2",
	"efa", "erdma", "iw_cxgb4", "ocrdma", "hfi1", "vmw_pvrdma", "mana_ib", "usnic_verbs", "ib_mthca", "ib_qib"}

// RDMAReady tells whether a device driver and the modules that user programs need (ib_core, ib_uverbs) are loaded.
func (ms Modules) RDMAReady() Probe {
	for _, name := range []string{"ib_core", "ib_uverbs"} {
		if p := ms.Loaded(name); p.Answer != Yes {
			return p
		}
	}
	for _, name := range rdmaDrivers {
		if ms.Loaded(name).Answer == Yes {
			return yes("ib_uverbs and %s are loaded", name)
		}
	}
	return unknown("no driver of an RDMA device is in the list: not loaded, or built into the kernel")
}

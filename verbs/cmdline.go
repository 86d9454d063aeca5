package verbs

import (
	"io"
	"strings"
)

// A Cmdline is a kernel command line: of the running kernel, or what a boot loader would pass.
type Cmdline struct{ Text string }

// ParseCmdline reads /proc/cmdline: the last line that is not blank, and not the echoed command or a message about the file.
func ParseCmdline(r io.Reader) (Cmdline, error) {
	l := newLines(r)
	var c Cmdline
	for l.next() {
		t := strings.TrimSpace(l.text)
		if t != "" && refusal(t) == nil && !strings.Contains(t, "/proc/cmdline") {
			c.Text = t
		}
	}
	if l.err != nil || c.Text == "" || len(c.Text) > maxCmdline {
		return Cmdline{}, l.inputError("/proc/cmdline", "kernel command line")
	}
	return c, nil
}

// maxCmdline is beyond the longest COMMAND_LINE_SIZE of any architecture (4096, arm64 2048).
const maxCmdline = 8192

// A Param is one parameter of the kernel.
type Param struct {
	Key, Value string
	HasValue   bool
}

// Params returns the parameters in order, quotes removed. What stands after -- is for init.
func (c Cmdline) Params() []Param {
	var out []Param
	for _, w := range cmdlineWords(c.Text) {
		if w == "--" {
			break
		}
		k, v, ok := strings.Cut(w, "=")
		if u := strings.TrimSuffix(strings.TrimPrefix(v, `"`), `"`); len(u) == len(v)-2 {
			v = u
		}
		out = append(out, Param{k, v, ok})
	}
	return out
}

// cmdlineWords splits at blanks outside double quotes, as the kernel's next_arg does.
func cmdlineWords(s string) []string {
	quoted := false
	return strings.FieldsFunc(s, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && (r == ' ' || r == '\t' || r == '\n')
	})
}

// Values returns the values of a parameter, in order.
func (c Cmdline) Values(key string) []string {
	var out []string
	for _, p := range c.Params() {
		if p.Key == key && p.HasValue {
			out = append(out, p.Value)
		}
	}
	return out
}

// Passthrough tells whether the command line asks for passthrough: yes for iommu=pt (x86),
// iommu.passthrough=1 and iommu=off, no for iommu=nopt and iommu.passthrough=0, else unknown, because the
// default is a choice of whoever built the kernel. The last of several parameters wins; intel_iommu=on alone
// decides nothing, and intel_iommu=off means nothing on a host of another make (see IOMMUEvidence).
func (c Cmdline) Passthrough() Probe { return c.passthrough("") }

// passthrough knows the make of the IOMMU: intel, amd, arm, or empty.
func (c Cmdline) passthrough(hardware string) Probe {
	ask, off := unknown("the command line has neither iommu=pt nor iommu.passthrough"), ""
	for _, p := range c.Params() {
		word := p.Key + "=" + p.Value
		switch {
		case p.Key == "iommu.passthrough" && isTrue(p.Value):
			ask = yes("the command line has %s", word)
		case p.Key == "iommu.passthrough" && isFalse(p.Value):
			ask = no("the command line has %s", word)
		case p.Key == "iommu" && hardware != "arm", p.Key == hardware+"_iommu":
			for _, v := range strings.Split(p.Value, ",") {
				ask, off = x86IOMMU(p.Key, v, ask, off)
			}
		}
	}
	if off != "" {
		return yes("the command line has %s: no IOMMU translates", off)
	}
	return ask
}

// x86IOMMU applies one option of iommu=, intel_iommu= or amd_iommu=.
func x86IOMMU(key, value string, ask Probe, off string) (Probe, string) {
	switch {
	case value == "off":
		off = key + "=off"
	case value == "on" && off == key+"=off":
		off = ""
	case key == "iommu" && value == "pt":
		ask = yes("the command line has iommu=pt")
	case key == "iommu" && value == "nopt":
		ask = no("the command line has iommu=nopt")
	}
	return ask, off
}

// isTrue and isFalse follow the kernel's kstrtobool.
func isTrue(s string) bool {
	return s != "" && strings.ContainsRune("yYtT1", rune(s[0])) || strings.EqualFold(s, "on")
}
func isFalse(s string) bool {
	return s != "" && strings.ContainsRune("nNfF0", rune(s[0])) || strings.EqualFold(s, "off")
}

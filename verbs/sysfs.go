package verbs

import (
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Sysfs is a set of small files below /sys/class/infiniband, by their path below it
// (`mlx5_2/ports/1/state`), without the last line end.
type Sysfs map[string]string

// ParseSysfs reads what `grep -H . /sys/class/infiniband/*/ports/*/{state,gids/*,gid_attrs/*/*,counters/*,hw_counters/*} …`
// (or grep -r) prints: a path, a colon and a line of that file.
// Messages of grep for files that cannot be read (an empty GID entry has no type) are passed over, and so
// are empty files, which grep does not print. Paths may go through /sys/devices.
func ParseSysfs(r io.Reader) (Sysfs, error) {
	l := newLines(r)
	files := Sysfs{}
	for l.next() {
		name, value, ok := sysfsLine(l.text)
		if ok {
			files.add(name, value)
		}
		if len(files) > maxItems {
			return nil, &SyntaxError{"sysfs", l.num, "too many files"}
		}
	}
	if l.err != nil || len(files) == 0 {
		return nil, l.inputError("sysfs", "file below /sys/class/infiniband")
	}
	return files, nil
}

// add keeps the first line of a file, and all lines of the one kind that has several.
func (s Sysfs) add(name, value string) {
	old, dup := s[name]
	switch {
	case !dup:
		s[name] = value
	case path.Base(name) == "uevent" && len(old)+len(value) < 4<<10:
		s[name] = old + "\n" + value
	}
}

// sysfsLine cuts `…/infiniband/mlx5_2/ports/1/state:4: ACTIVE` after the file's name. Only the part before
// infiniband/ can hold colons, in PCI addresses.
func sysfsLine(text string) (name, value string, ok bool) {
	const root = "/infiniband/"
	i := strings.LastIndex(text, root)
	if i < 0 || !strings.HasPrefix(text, "/") {
		return "", "", false
	}
	name, value, ok = strings.Cut(text[i+len(root):], ":")
	if !ok || strings.ContainsAny(name, " \t") || path.Clean("/"+name) != "/"+name || name == "" {
		return "", "", false
	}
	return name, strings.TrimSpace(value), true
}

// Devices returns the names of the devices, sorted.
func (s Sysfs) Devices() []string {
	var names []string
	for name := range s {
		dev, _, _ := strings.Cut(name, "/")
		if !slices.Contains(names, dev) {
			names = append(names, dev)
		}
	}
	slices.Sort(names)
	return names
}

// Ports returns the ports from ports/<n>/{state,phys_state,rate,lid,link_layer} and their GID tables.
func (s Sysfs) Ports() []Port {
	var ports []Port
	for _, k := range s.portKeys() {
		dir := k.dir()
		p := Port{Device: k.dev, Number: k.port,
			State: PortState(afterNumber(s[dir+"state"])), PhysState: afterNumber(s[dir+"phys_state"]),
			LID: lid(s[dir+"lid"]), LinkLayer: LinkLayer(s[dir+"link_layer"])}
		p.setRate(s[dir+"rate"])
		p.GIDs = s.gids(k)
		ports = append(ports, p)
	}
	return ports
}

// GIDs returns the entries of all GID tables that are not empty, from ports/<n>/gids/<i>,
// gid_attrs/types/<i> and gid_attrs/ndevs/<i>, by device, port and index.
func (s Sysfs) GIDs() []GID {
	var out []GID
	for _, k := range s.portKeys() {
		out = append(out, s.gids(k)...)
	}
	return out
}

type portKey struct {
	dev  string
	port int
}

func (k portKey) dir() string { return k.dev + "/ports/" + strconv.Itoa(k.port) + "/" }

func (s Sysfs) portKeys() []portKey {
	seen := map[portKey]bool{}
	var keys []portKey
	for name := range s {
		f := strings.SplitN(name, "/", 4)
		if len(f) < 4 || f[1] != "ports" {
			continue
		}
		k := portKey{f[0], small(f[2], 255)}
		if k.port > 0 && !seen[k] && k.dir() == f[0]+"/ports/"+f[2]+"/" {
			seen[k] = true
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b portKey) int {
		if c := strings.Compare(a.dev, b.dev); c != 0 {
			return c
		}
		return a.port - b.port
	})
	return keys
}

func (s Sysfs) gids(k portKey) []GID {
	var out []GID
	for name, value := range s.below(k.dir() + "gids/") {
		index, err := strconv.Atoi(name)
		addr, ok := parseGID(value)
		if err != nil || !ok {
			continue
		}
		out = append(out, GID{Device: k.dev, Port: k.port, Index: index, Addr: addr,
			Type: gidType(s[k.dir()+"gid_attrs/types/"+name]), Netdev: s[k.dir()+"gid_attrs/ndevs/"+name]})
	}
	slices.SortFunc(out, func(a, b GID) int { return a.Index - b.Index })
	return out
}

// below returns the files of one directory, by their base names.
func (s Sysfs) below(dir string) map[string]string {
	out := map[string]string{}
	for name, value := range s {
		if base, ok := strings.CutPrefix(name, dir); ok && !strings.Contains(base, "/") {
			out[base] = value
		}
	}
	return out
}

// Netdevs returns the network devices of a device's PCI function, from device/net/<name>/…; a dual-port
// card of one function has two, and then the GID table tells which belongs to a port.
func (s Sysfs) Netdevs(device string) []string {
	var names []string
	for name := range s {
		if rest, ok := strings.CutPrefix(name, device+"/device/net/"); ok {
			if dev, _, _ := strings.Cut(rest, "/"); !slices.Contains(names, dev) {
				names = append(names, dev)
			}
		}
	}
	slices.Sort(names)
	return names
}

// PCIAddress returns the PCI address of a device, from PCI_SLOT_NAME in device/uevent; software devices have none.
func (s Sysfs) PCIAddress(device string) (string, bool) {
	for _, line := range strings.Split(s[device+"/device/uevent"], "\n") {
		if addr, ok := strings.CutPrefix(line, "PCI_SLOT_NAME="); ok {
			return addr, true
		}
	}
	return "", false
}

package verbs

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// A world is a made-up node and what all of its tools would print, all of it true.
type world struct {
	text  nodeText
	addrs []netip.Addr
	truth map[netip.Addr][]string // address → the entries that carry it, as Carrier spells them
	all   map[string]bool         // every RoCE v2 entry with its address
}

// newWorld makes a node of up to four ports. Some are down, some entries are v1 only, some netdevs are down, and an
// address can stand on two netdevs.
func newWorld(r *rand.Rand) world {
	w := world{truth: map[netip.Addr][]string{}, all: map[string]bool{}}
	var table []string
	for i := range 1 + r.IntN(4) {
		device, netdev := fmt.Sprintf("mlx5_%d", i), fmt.Sprintf("ens%d", i)
		state, up := pick(r, "4: ACTIVE", "4: ACTIVE", "4: ACTIVE", "1: DOWN"), pick(r, "UP", "UP", "UP", "DOWN")
		addr := netip.AddrFrom4([4]byte{10, 10, 1, byte(1 + r.IntN(5))})
		var rows, gids []string
		index := r.IntN(4)
		for _, typ := range [][]string{{"v1", "v2"}, {"v1", "v2"}, {"v1"}, {"v2"}}[r.IntN(4)] {
			rows = append(rows, fmt.Sprintf("%d ::ffff:%s %s %s", index, addr, map[string]string{"v1": "IB/RoCE_v1", "v2": "RoCE_v2"}[typ], netdev))
			gids = append(gids, fmt.Sprintf("%d ::ffff:%s, RoCE %s", index, addr, typ))
			table = append(table, fmt.Sprintf("%s 1 %d ::ffff:%s %s %s", device, index, addr, typ, netdev))
			entry := fmt.Sprintf("%s (%s) GID %d", device, netdev, index)
			w.all[addr.String()+" "+entry] = typ == "v2"
			if typ == "v2" && state == "4: ACTIVE" && up == "UP" {
				w.truth[addr] = append(w.truth[addr], entry)
			}
			index++
		}
		w.addrs = append(w.addrs, addr)
		w.text.sysfs += sysfsOf(device, 1, state, "Ethernet", fmt.Sprintf("0000:8%d:00.0", i), netdev, rows...)
		w.text.devinfo += devinfoOf(device, map[bool]string{true: "PORT_ACTIVE (4)", false: "PORT_DOWN (1)"}[state == "4: ACTIVE"], "1024 (3)", gids...)
		w.text.links += fmt.Sprintf("link %s/1 state %s physical_state LINK_UP netdev %s \n", device, state[3:], netdev)
		w.text.ibdev += fmt.Sprintf("%s port 1 ==> %s (Up)\n", device, netdev)
		w.text.ip += fmt.Sprintf("%s %s %s/24 \n", netdev, up, addr)
	}
	w.text.showGIDs = gidTable(table...)
	return w
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// partial leaves out some of the sources, and of sysfs some of the files.
func (w world) partial(r *rand.Rand) nodeText {
	n := w.text
	for _, s := range []*string{&n.showGIDs, &n.devinfo, &n.links, &n.ibdev, &n.ip, &n.sysfs} {
		if r.IntN(2) == 0 {
			*s = ""
		}
	}
	for _, file := range []string{"/gid_attrs/types/", "/gid_attrs/ndevs/", "/device/net/", "/state:", "/gids/"} {
		if r.IntN(4) == 0 {
			n.sysfs = without(n.sysfs, file)
		}
	}
	if r.IntN(3) == 0 {
		n.devinfo = strings.NewReplacer(", RoCE v1", "", ", RoCE v2", "").Replace(n.devinfo) // before rdma-core v29
	}
	return n
}

func without(text, part string) string {
	return strings.Join(slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(l string) bool { return strings.Contains(l, part) }), "")
}

// With everything read the map is right; with less it may say unknown, but nothing else that is wrong.
func TestCarryingIsSound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	answers := map[Tri]int{}
	for range 1500 {
		w := newWorld(r)
		full := w.text.mapped(t)
		if full.Notes != nil {
			t.Fatalf("notes on a node without contradictions: %q\n%+v", full.Notes, w.text)
		}
		n := w.partial(r)
		m, err := MapDevices(n.read(t))
		for _, a := range w.addrs {
			w.right(t, full, a)
			if err == nil {
				answers[w.sound(t, m, a, n)]++
			}
		}
	}
	for _, a := range []Tri{Yes, No, Unknown} {
		if answers[a] < 100 {
			t.Errorf("only %d answers %s: the worlds test nothing", answers[a], a)
		}
	}
}

func (w world) right(t *testing.T, m DeviceMap, a netip.Addr) {
	t.Helper()
	c, p := m.Carrying(a)
	want := map[int]Tri{0: No, 1: Yes, 2: Unknown}[min(len(w.truth[a]), 2)]
	if p.Answer != want || want == Yes && c.String() != w.truth[a][0] {
		t.Fatalf("%s: %s, want %s %q\n%+v", a, p, want, w.truth[a], w.text)
	}
}

func (w world) sound(t *testing.T, m DeviceMap, a netip.Addr, n nodeText) Tri {
	t.Helper()
	c, p := m.Carrying(a)
	if p.Answer == Yes && !w.all[a.String()+" "+c.String()] || p.Answer == No && len(w.truth[a]) > 0 {
		t.Fatalf("%s: %s, in truth %q\n%+v", a, p, w.truth[a], n)
	}
	return p.Answer
}

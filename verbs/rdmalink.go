package verbs

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Link is one port as `rdma link` shows it.
type Link struct {
	Device    string
	Port      int
	State     PortState
	PhysState string // POLLING is normal on soft-RoCE
	Netdev    string // empty when there is none, or when it is in another network namespace
}

// Links is the output of `rdma link`.
type Links struct {
	Links     []Link
	Truncated bool
}

// ParseRDMALink reads `rdma link` (iproute2, rdma/link.c), as text or with -j. It prints nothing where there is no
// device; that is an error compatible with ErrNoData. Lines of `rdma statistic` are passed over.
func ParseRDMALink(r io.Reader) (Links, error) {
	l := newLines(r)
	var out Links
	for l.next() {
		text := strings.TrimSpace(l.text)
		if strings.HasPrefix(text, "[{") {
			out.json(text)
			continue
		}
		if link, ok := parseLink(text); ok {
			out.add(link)
		} else if l.cut && strings.HasPrefix(text, "link ") {
			out.Truncated = true
		}
		if len(out.Links) > maxPorts {
			return Links{}, &SyntaxError{"rdma link", l.num, "too many links"}
		}
	}
	if l.err != nil || len(out.Links) == 0 {
		return Links{}, l.inputError("rdma link", "link")
	}
	out.Truncated = out.Truncated || l.partial()
	return out, nil
}

// add keeps a link once, also when the capture holds several forms of the output.
func (out *Links) add(link Link) {
	if !slices.Contains(out.Links, link) {
		out.Links = append(out.Links, link)
	}
}

// parseLink reads `link mlx5_2/1 state ACTIVE physical_state LINK_UP netdev ens1f0`: after the
// name come keys and values, on InfiniBand with more of them before the state.
func parseLink(text string) (Link, bool) {
	f := strings.Fields(text)
	if len(f) < 4 || f[0] != "link" {
		return Link{}, false
	}
	dev, port, ok := strings.Cut(f[1], "/")
	link := Link{Device: dev, Port: small(port, 255)}
	if !ok || dev == "" || link.Port == 0 {
		return Link{}, false
	}
	for i := 2; i+1 < len(f); i += 2 {
		switch f[i] {
		case "state":
			link.State = PortState(f[i+1])
		case "physical_state":
			link.PhysState = f[i+1]
		case "netdev":
			link.Netdev = f[i+1]
		}
	}
	return link, link.State != "" && link.PhysState != ""
}

// ParseRDMAStatistic reads `rdma statistic show link` (iproute2, rdma/stat.c): the same counters as hw_counters
// in sysfs, one line a port.
func ParseRDMAStatistic(r io.Reader) ([]Counter, error) {
	l := newLines(r)
	var out []Counter
	for l.next() {
		f := strings.Fields(l.text)
		if len(f) < 4 || f[0] != "link" || len(f)%2 != 0 || strings.Contains(l.text, " physical_state ") {
			continue // not ours, or cut, or a line of rdma link
		}
		dev, port, _ := strings.Cut(f[1], "/")
		for i := 2; i+1 < len(f) && small(port, 255) > 0; i += 2 {
			if n, ok := decimal(f[i+1]); ok && dev != "" {
				out = append(out, Counter{dev, small(port, 255), true, f[i], n})
			}
		}
		if len(out) > maxItems {
			return nil, &SyntaxError{"rdma statistic", l.num, "too many counters"}
		}
	}
	if l.err != nil || len(out) == 0 {
		return nil, l.inputError("rdma statistic", "counter")
	}
	return out, nil
}

// json adds the links of `rdma -j link`; a list of something else has no port and state.
func (out *Links) json(text string) {
	var rows []struct {
		Ifname         string
		Port           int
		State          string
		Physical_state string
		Netdev         string
	}
	if err := decodeJSON(text, &rows); err != nil {
		out.Truncated = true
		return
	}
	for _, r := range rows {
		if r.Ifname != "" && r.Port > 0 && r.State != "" && len(out.Links) <= maxPorts {
			out.add(Link{r.Ifname, r.Port, PortState(r.State), r.Physical_state, r.Netdev})
		}
	}
}

// String gives the link as in `mlx5_2/1 ACTIVE (LINK_UP) on ens1f0`.
func (k Link) String() string {
	s := fmt.Sprintf("%s/%d %s (%s)", k.Device, k.Port, k.State, k.PhysState)
	if k.Netdev != "" {
		s += " on " + k.Netdev
	}
	return s
}

package verbs

import "strings"

// portRows are the rows that ibv_devinfo prints for a port; other rows belong to the device.
var portRows = map[string]bool{
	"state": true, "max_mtu": true, "active_mtu": true, "sm_lid": true, "port_lid": true,
	"port_lmc": true, "link_layer": true, "phys_state": true, "active_width": true, "active_speed": true,
	"max_msg_sz": true, "port_cap_flags": true, "port_cap_flags2": true, "max_vl_num": true, "bad_pkey_cntr": true,
	"qkey_viol_cntr": true, "sm_sl": true, "pkey_tbl_len": true, "gid_tbl_len": true, "subnet_timeout": true,
	"init_type_reply": true,
}

func (p *devinfo) row(key, value string) {
	if len(p.Devices.Devices) == 0 && (!portRows[key] || key == "state" || key == "link_layer") {
		return // before the first device, and ibstatus prints such rows too
	}
	if portRows[key] {
		p.port().devinfoRow(key, value)
		return
	}
	d := p.device()
	switch key {
	case "transport":
		d.Transport = word(value)
	case "fw_ver":
		d.Firmware = value
	case "node_guid":
		d.NodeGUID = value
	case "board_id":
		d.Board = value
	case "phys_port_cnt":
		p.want = small(value, 255)
	default:
		d.attr(key, value)
	}
}

// attr keeps the first value of a row whose name has no field.
func (d *Device) attr(key, value string) {
	const most = 256
	if d.Attrs == nil {
		d.Attrs = map[string]string{}
	}
	if _, ok := d.Attrs[key]; !ok && value != "" && len(d.Attrs) < most {
		d.Attrs[key] = shorten(value)
	}
}

func (p *Port) devinfoRow(key, value string) {
	switch key {
	case "state":
		p.State = PortState(word(value))
	case "phys_state":
		p.PhysState = word(value)
	case "max_mtu":
		p.MaxMTU = mtu(value)
	case "active_mtu":
		p.ActiveMTU = mtu(value)
	case "port_lid":
		p.LID = lid(value)
	case "link_layer":
		if value != "Unspecified" {
			p.LinkLayer = LinkLayer(value)
		}
	}
}

// word gives PORT_ACTIVE for `PORT_ACTIVE (4)`.
func word(s string) string {
	w, _, _ := strings.Cut(s, " (")
	return strings.TrimSpace(w)
}

// mtu reads `1024 (3)`; `invalid MTU (0)` is none.
func mtu(s string) *MTU {
	n, ok := number(word(s), 16)
	if !ok || n == 0 {
		return nil
	}
	m := MTU(n)
	return &m
}

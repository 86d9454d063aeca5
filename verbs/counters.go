package verbs

import (
	"slices"
	"strings"
)

// A Counter is one counter of a port. Its unit is that of its name: see Bytes.
type Counter struct {
	Device   string
	Port     int
	Hardware bool   // from hw_counters, whose names differ between drivers
	Name     string // port_xmit_data, out_of_sequence, …
	Value    uint64
}

// Bytes returns the bytes that the counter counted: port_{xmit,rcv}_data count units of 4 bytes, in
// either direction and on any link layer; other counters count no bytes.
func (c Counter) Bytes() (uint64, bool) {
	switch c.Name {
	case "port_xmit_data", "port_rcv_data":
		return 4 * c.Value, !c.Hardware && c.Value <= 1<<62-1
	}
	return 0, false
}

// IsError reports whether the counter counts trouble: retries, drops, sequence errors, timeouts.
func (c Counter) IsError() bool { return errorCounters[c.Name] }

// errorCounters are those of the InfiniBand port counters, of mlx5 and of soft-RoCE.
var errorCounters = map[string]bool{
	"symbol_error": true, "link_error_recovery": true, "link_downed": true, "port_rcv_errors": true,
	"port_rcv_remote_physical_errors": true, "port_rcv_switch_relay_errors": true, "port_xmit_discards": true,
	"port_xmit_constraint_errors": true, "port_rcv_constraint_errors": true, "local_link_integrity_errors": true,
	"excessive_buffer_overrun_errors": true, "VL15_dropped": true,

	"out_of_sequence": true, "packet_seq_err": true, "rnr_nak_retry_err": true, "local_ack_timeout_err": true,
	"out_of_buffer": true, "implied_nak_seq_err": true, "duplicate_request": true, "req_cqe_error": true,
	"resp_cqe_error": true, "req_remote_access_errors": true, "resp_remote_access_errors": true,
	"req_remote_invalid_request": true, "resp_local_length_error": true, "rx_icrc_encapsulated": true,
	"req_transport_retries_exceeded": true, "req_rnr_retries_exceeded": true, "roce_adp_retrans": true, "roce_adp_retrans_to": true,
	"roce_slow_restart": true, "roce_slow_restart_trans": true,

	"out_of_seq_request": true, "rcvd_rnr_err": true, "send_rnr_err": true, "rcvd_seq_err": true,
	"retry_exceeded_err": true, "retry_rnr_exceeded_err": true, "completer_retry_err": true, "send_err": true,
}

// Counters returns the counters of all ports, from ports/<n>/counters and ports/<n>/hw_counters, by
// device, port and name. A file that holds no number (`lifespan` is a setting) is no counter.
func (s Sysfs) Counters() []Counter {
	var out []Counter
	for _, k := range s.portKeys() {
		for _, dir := range []string{"counters", "hw_counters"} {
			for name, value := range s.below(k.dir() + dir + "/") {
				n, ok := decimal(value)
				if ok && name != "lifespan" {
					out = append(out, Counter{k.dev, k.port, dir == "hw_counters", name, n})
				}
			}
		}
	}
	slices.SortFunc(out, compareCounters)
	return out
}

func compareCounters(a, b Counter) int {
	if c := strings.Compare(a.Device, b.Device); c != 0 {
		return c
	}
	if a.Port != b.Port {
		return a.Port - b.Port
	}
	if a.Hardware != b.Hardware {
		if b.Hardware {
			return -1
		}
		return 1
	}
	return strings.Compare(a.Name, b.Name)
}

// CounterDelta returns by how much each counter grew from before to after. A counter that is missing on one
// side, or that shrank (the driver was reloaded or the counter reset), has no difference and is named in lost.
func CounterDelta(before, after []Counter) (delta, lost []Counter) {
	old := map[Counter]uint64{}
	key := func(c Counter) Counter { c.Value = 0; return c }
	for _, c := range before {
		old[key(c)] = c.Value
	}
	for _, c := range after {
		v, ok := old[key(c)]
		delete(old, key(c))
		if !ok || c.Value < v {
			lost = append(lost, key(c))
			continue
		}
		c.Value -= v
		delta = append(delta, c)
	}
	for c := range old {
		lost = append(lost, c)
	}
	slices.SortFunc(delta, compareCounters)
	slices.SortFunc(lost, compareCounters)
	return delta, lost
}

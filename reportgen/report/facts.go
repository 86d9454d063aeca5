package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// A fact is one key of a node's facts, with the words for it.
type fact struct {
	key    string
	name   string // in "the firmware is not known"
	phrase string // with the value in place of %s
}

// The facts that the text tells, by sentence. Keys and their meaning: docs/run-directory.md.
var (
	machineFacts = []fact{
		{"cpu", "processor", "the processor %s"},
		{"memory", "memory", "%s of memory"},
		{"nic", "NIC", "the NIC %s"},
		{"firmware", "firmware of the NIC", "NIC firmware %s"},
		{"link_rate", "link rate", "a link of %s"},
	}
	softwareFacts = []fact{
		{"os", "operating system", "%s"},
		{"kernel", "kernel", "kernel %s"},
		{"ofed", "OFED", "%s"},
		{"rdma_core", "version of rdma-core", "rdma-core %s"},
		{"iommu", "IOMMU mode", "IOMMU %s"},
		{"memcached", "version of memcached", "memcached %s"},
		{"perftest", "version of perftest", "perftest %s"},
	}
	networkFacts = []fact{
		{"device", "RDMA device", "device %s"},
		{"netdev", "network device", "network device %s"},
		{"port_state", "port state", "port state %s"},
		{"active_mtu", "active MTU", "an active MTU of %s"},
		{"gid_index", "GID index", "GID index %s"},
		{"gid_type", "GID type", "GIDs of type %s"},
	}
)

const unknownPrefix = "unknown"

// value returns a fact of a node in print, empty if it was not asked or not found out.
func value(n results.Node, key string) string {
	v := strings.TrimSpace(n.Facts[key])
	switch {
	case v == "" && key == "os":
		v = capital(n.OS)
	case v == "" && key == "kernel":
		v = n.Kernel
	case v == "" && key == "device":
		v = n.Device
	}
	if strings.HasPrefix(v, unknownPrefix) {
		return ""
	}
	switch {
	case key == "ofed" && v == "none":
		return "no MLNX_OFED"
	case key == "cpu":
		if model, threads, ok := strings.Cut(v, ", "); ok && strings.HasSuffix(threads, "threads") {
			return model + " (" + threads + ")"
		}
	}
	if bytes, err := strconv.ParseUint(v, 10, 64); err == nil && key == "memory" {
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	}
	return v
}

// shared writes the facts that all nodes have in common as one sentence, and those that differ as one each. format takes the
// nodes and the facts.
func shared(nodes []results.Node, format string, facts []fact) string {
	var common, others []string
	for _, f := range facts {
		folds := foldBy(nodes, func(n results.Node) string { return value(n, f.key) })
		if len(folds) == 1 && len(folds[0].nodes) == len(nodes) {
			common = append(common, fmt.Sprintf(f.phrase, folds[0].value))
			continue
		}
		var parts []string
		for _, fold := range folds {
			parts = append(parts, fold.value+" on "+nodeNames(fold.nodes))
		}
		if len(parts) > 0 {
			others = append(others, fmt.Sprintf("The %s is %s.", f.name, and(parts)))
		}
	}
	var sentences []string
	if len(common) > 0 {
		who := "every node"
		if len(nodes) == 1 {
			who = nodes[0].Name
		}
		sentences = append(sentences, capital(fmt.Sprintf(format, who, and(common))))
	}
	return strings.Join(append(sentences, others...), " ")
}

// ofNetwork are the facts that no node of a cluster without an RDMA device has.
var ofNetwork = append([]string{"nic", "firmware", "link_rate", "ofed", "rdma_core", "iommu", "perftest"}, keys(networkFacts)...)

func keys(facts []fact) []string {
	var list []string
	for _, f := range facts {
		list = append(list, f.key)
	}
	return list
}

// unknowns says what could not be found out, and why, and what was never asked.
func unknowns(run *results.Run) []string {
	nodes := run.Nodes
	var sentences, never []string
	for _, f := range slices.Concat(machineFacts, softwareFacts, networkFacts) {
		for _, fold := range foldBy(nodes, func(n results.Node) string { return whyUnknown(n, f.key) }) {
			text := fmt.Sprintf("The %s of %s is not known", f.name, nodeNames(fold.nodes))
			if fold.value != unknownPrefix {
				text += " (" + fold.value + ")"
			}
			sentences = append(sentences, text+".")
		}
		if run.Tag == "local" && slices.Contains(ofNetwork, f.key) {
			continue // where() says that there is no RDMA hardware
		}
		if !slices.ContainsFunc(nodes, func(n results.Node) bool { return value(n, f.key) != "" || whyUnknown(n, f.key) != "" }) {
			never = append(never, f.name)
		}
	}
	if len(never) > 0 && len(nodes) > 0 {
		sentences = append(sentences, "Not recorded: "+strings.Join(never, ", ")+".")
	}
	return sentences
}

// whyUnknown is the reason why a fact that was asked is not known, empty if it is or was not asked.
func whyUnknown(n results.Node, key string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(n.Facts[key]), unknownPrefix)
	if !ok || value(n, key) != "" {
		return ""
	}
	if reason := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), ":")); reason != "" {
		return reason
	}
	return unknownPrefix
}

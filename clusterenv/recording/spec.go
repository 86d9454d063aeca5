package recording

import (
	"maps"
	"slices"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// specFile is the name of the cluster file in a recording.
const specFile = "cluster.yaml"

// redactedSpec is the cluster file as it may be told: hosts and logins replaced, and nothing about keys.
func redactedSpec(spec *clusterenv.Spec, red *redactor) ([]byte, error) {
	if spec == nil {
		return nil, errNoCluster
	}
	standIns := &Values{byName: red.values.standIns()}
	text := func(s string) string { // no placeholders: they could not stand in a cluster file
		return string(standIns.putBack([]byte(red.text(s)), nil))
	}
	s := *spec
	s.Name, s.Profile, s.Site = text(s.Name), text(s.Profile), text(s.Site)
	s.SSH.User = text(s.SSH.User)
	s.SSH.Config, s.SSH.Identity, s.SSH.KnownHosts, s.SSH.Agent = "", "", "", false
	s.Workdir = text(s.Workdir)
	s.Roles = maps.Clone(s.Roles)
	s.Nodes = slices.Clone(s.Nodes)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		n.Hardware, n.Host, n.User, n.Identity = text(n.Hardware), text(n.Host), text(n.User), ""
		n.Avoid = maps.Clone(n.Avoid)
		for role, reason := range n.Avoid {
			n.Avoid[role] = text(reason)
		}
	}
	return s.YAML()
}

// redactedHeader is the header with all that is in it redacted.
func (r *Recorder) redactedHeader(spec *clusterenv.Spec) Header {
	h := r.header
	if spec != nil {
		h.Cluster = r.red.text(spec.Name)
	}
	h.Command = nil
	for _, arg := range r.header.Command {
		h.Command = append(h.Command, r.red.text(arg))
	}
	redact := func(m map[string]string) map[string]string {
		out := map[string]string{}
		for name, value := range m {
			out[name] = r.red.text(value)
		}
		return out
	}
	h.Tools, h.Flags, h.standIns = redact(h.Tools), redact(h.Flags), r.values.standIns()
	return h
}

package claims

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// comparable reports whether absolute values of the run may be held to the claimed ones, and says why not, or what is not known.
// What a run did not record is not taken for the same; but if all that it did record agrees, that is a doubt, not an obstacle.
func (f *File) comparable(run *results.Run) (bool, string) {
	var other, unknown []string
	same := f.System != "" || len(f.Recorded) == 0
	for _, key := range slices.Sorted(maps.Keys(f.Recorded)) {
		want := f.Recorded[key]
		got := recorded(run, key)
		switch {
		case len(got) == 0:
			unknown = append(unknown, key)
		case slices.ContainsFunc(got, func(v string) bool { return !strings.Contains(strings.ToLower(v), strings.ToLower(want)) }):
			other = append(other, fmt.Sprintf("%s is %s, the claim was measured on %s", key, strings.Join(got, " and "), want))
		default:
			same = true
		}
	}
	switch {
	case len(other) > 0:
		return false, strings.Join(other, "; ")
	case !same:
		return false, "the run did not record " + strings.Join(unknown, ", ") + ": nobody can tell whether it is the hardware of the claim"
	case len(unknown) > 0:
		return true, "the run did not record " + strings.Join(unknown, ", ") + "; taken for the claim's"
	}
	return true, ""
}

// recorded are the different values of a key that the run has.
func recorded(run *results.Run, key string) []string {
	set := map[string]bool{}
	switch key {
	case "cluster":
		set[run.Cluster] = true
	case "profile":
		set[run.Profile] = true
	case "site":
		set[run.Site] = true
	case "kind":
		set[run.Tag] = true
	default:
		for _, n := range run.Nodes {
			v := n.Facts[key]
			if key == "hardware" {
				v = n.Hardware
			}
			if !strings.HasPrefix(v, "unknown: ") {
				set[v] = true
			}
		}
	}
	delete(set, "")
	return slices.Sorted(maps.Keys(set))
}

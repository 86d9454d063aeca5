package results

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSanity(t *testing.T) {
	run := readDir(t, write(t, "s", map[string]string{sanityFile: `{"time": "2026-01-31T10:00:00Z", "checks": [
 {"check": "port active", "node": "mn", "answer": "yes"},
 {"check": "ofed", "node": "cn0", "answer": "unknown", "reason": "no ofed_info", "cure": "install it"},
 {"check": "", "node": "cn0", "answer": "yes"},
 {"check": "iommu", "node": "cn1", "answer": "perhaps", "reason": "a later version"},
 7,
 {"check": "port active", "node": "mn", "answer": "yes"}]}`}))
	want := &Sanity{Time: "2026-01-31T10:00:00Z", Checks: []Check{
		{Check: "port active", Node: "mn", Answer: Yes, Line: 2},
		{Check: "ofed", Node: "cn0", Answer: Unknown, Reason: "no ofed_info", Cure: "install it", Line: 3},
		{Check: "iommu", Node: "cn1", Answer: Unknown, Reason: "answer perhaps: a later version", Line: 5},
		{Check: "port active", Node: "mn", Answer: Yes, Line: 7}}}
	if diff := cmp.Diff(want, run.Sanity); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"sanity.json:4: check dropped: it has no name",
		"sanity.json:6: check dropped: json: cannot unmarshal number into Go value of type results.Check"}, run.Warnings); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
}

func TestNoSanity(t *testing.T) {
	files := cutShort()
	files[sanityFile] = "{\n\"checks\": 7}"
	run := readDir(t, write(t, "s", files))
	if run.Sanity != nil || len(run.Experiments) != 1 {
		t.Errorf("%+v", run.Sanity)
	}
	if got := run.Warnings[len(run.Warnings)-1]; !cmp.Equal(got, "sanity.json:2: json: cannot unmarshal number into Go struct field .checks of type []json.RawMessage") {
		t.Errorf("warning %q", got)
	}
}

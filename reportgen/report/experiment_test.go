package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/render"
)

// What the notes say of all numbers marks none of them.
func TestWarningsThatNotesSay(t *testing.T) {
	c := render.TableCell{Warnings: []string{"n=3: short", "n=3 against n=3: low (p is 0.100)", "an outlier"}}
	notes := []string{"n=3: short.", "n=3 against n=3: low (p is 0.100, corrected)."}
	if diff := cmp.Diff([]string{"an outlier"}, unsaid(c, notes).Warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(c.Warnings) != 3 || c.Warnings[0] != "n=3: short" {
		t.Errorf("the table's own warnings changed: %q", c.Warnings)
	}
}

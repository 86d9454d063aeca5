package verbs

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOFEDCases(t *testing.T) {
	runCases(t, "ofed_info", func(t *testing.T, _ toolCase, in io.Reader) object {
		o, err := ParseOFED(in)
		if err != nil {
			t.Fatal(err)
		}
		return object{"flavour": o.Flavour, "version": o.Version, "exp_verbs": o.ExpVerbs()}
	})
}

func FuzzParseOFED(f *testing.F) { fuzzParser(f, "ofed_info", ParseOFED) }

func TestOFEDForms(t *testing.T) {
	reads := func(in string, want OFED, exp bool) {
		t.Helper()
		got, err := ParseOFED(strings.NewReader(in))
		if diff := cmp.Diff(want, got); diff != "" || err != nil || got.ExpVerbs() != exp {
			t.Errorf("%q: experimental verbs %v, %v (-want +got):\n%s", in, got.ExpVerbs(), err, diff)
		}
	}
	reads("MLNX_OFED_LINUX-4.9-7.1.0.0:\n", OFED{"MLNX_OFED_LINUX", "4.9-7.1.0.0", 4, 9}, true)
	reads("MLNX_OFED_LINUX-5.8-3.0.7.0:\r\n", OFED{"MLNX_OFED_LINUX", "5.8-3.0.7.0", 5, 8}, false)
	reads("OFED-4.17-1:\n", OFED{"OFED", "4.17-1", 4, 17}, false)

	absent := "$ ofed_info -s\nbash: line 1: ofed_info: command not found\n"
	if _, err := ParseOFED(strings.NewReader(absent)); !errors.Is(err, ErrToolMissing) {
		t.Errorf("%v, want %v", err, ErrToolMissing)
	}
}

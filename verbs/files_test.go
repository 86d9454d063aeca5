package verbs

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseFiles(t *testing.T) {
	got, err := ParseFiles(strings.NewReader("exp@cn0:~$ tail -v -n +1 a b c d\n==> a <==\n1\n\n2\n\n==> b <==\n\n==> c <==\n3\n" +
		"tail: cannot open 'd e' for reading: Permission denied\n"))
	want := Files{
		Files:  []File{{"a", "1\n\n2\n"}, {"b", ""}, {"c", "3\n"}},
		Failed: []FailedFile{{"d e", "Permission denied", 11}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	g, err := ParseFiles(strings.NewReader("==> /etc/default/grub <==\nGRUB_CMDLINE_LINUX='iommu=pt'\n\n==> /etc/hosts <==\nA=(\n"))
	if err != nil {
		t.Fatal(err)
	}
	if conf, err := ParseGrub(g.Grub()...); err != nil || conf.Passthrough().Answer != Yes {
		t.Errorf("%+v, %v; want passthrough", conf, err)
	}
	if _, err := ParseFiles(strings.NewReader("")); !errors.Is(err, ErrNoData) {
		t.Errorf("%v, want %v", err, ErrNoData)
	}
}

func FuzzParseFiles(f *testing.F) {
	f.Add([]byte("==> a <==\n1\n\n==> b <==\n"))
	fuzzParser(f, "cmdline_grub", ParseFiles)
}

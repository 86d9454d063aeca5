package verbs

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChecksumCases(t *testing.T) {
	runCases(t, "md5sum", func(t *testing.T, _ toolCase, in io.Reader) object {
		c, err := ParseChecksums(in)
		if err != nil {
			t.Fatal(err)
		}
		return object{
			"files": list(c.Files, func(f Checksum) any {
				return object{"digest": f.Digest, "name": f.Name, "binary": f.Binary}
			}),
			"empty_files":     c.EmptyFiles(),
			"malformed_lines": list(c.Malformed, func(b BadLine) any { return b.Line }),
			"failed":          list(c.Failed, func(f FailedFile) any { return f.Name }),
		}
	})
}

func FuzzParseChecksums(f *testing.F) { fuzzParser(f, "md5sum", ParseChecksums) }

const (
	md5a    = "e44bee5701a896a652c30476ad439827"
	sha256a = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
)

func TestChecksumForms(t *testing.T) {
	reads := func(in string, want Checksums) {
		t.Helper()
		got, err := ParseChecksums(strings.NewReader(in))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", in, err, diff)
		}
	}
	one := func(alg, digest, name string, binary bool) Checksums {
		return Checksums{Files: []Checksum{{alg, digest, name, binary, 1}}}
	}
	reads(md5a+"  a\n", one("md5", md5a, "a", false))
	reads(md5a+" *a\n", one("md5", md5a, "a", true))
	reads(md5a+"   two leading\n", one("md5", md5a, " two leading", false))
	reads(md5a+"  *star\n", one("md5", md5a, "*star", false))
	reads(strings.ToUpper(md5a)+"  a\r\n", one("md5", md5a, "a", false))
	reads(sha256a+"  -\n", one("sha256", sha256a, "-", false))
	reads(`\`+md5a+`  new\nline\\x`+"\n", one("md5", md5a, "new\nline\\x", false))
	reads(md5a+`  not\nescaped`+"\n", one("md5", md5a, `not\nescaped`, false))
	reads("MD5 (a (b).txt) = "+md5a+"\n", one("md5", md5a, "a (b).txt", false))
	reads("SHA256 (a) = "+sha256a+"\n", one("sha256", sha256a, "a", false))

	cut := one("md5", md5a, "bench_run", false)
	cut.Truncated = true
	reads(md5a+"  bench_run", cut)

	bad := one("md5", md5a, "a", false)
	bad.Malformed = []BadLine{{2, md5a[:31] + "  b"}, {4, `\` + md5a + `  bad\qescape`}, {5, "zz"}}
	reads(md5a+"  a\n"+md5a[:31]+"  b\n\n\\"+md5a+"  bad\\qescape\nzz\n", bad)
}

func TestChecksumReports(t *testing.T) {
	got, err := ParseChecksums(strings.NewReader("" +
		"md5sum: core: Permission denied\n" +
		"md5sum: 'a b': No such file or directory\n" +
		"a: OK\n" +
		"b: FAILED\n" +
		"c: FAILED open or read\n" +
		"md5sum: 'd e': Permission denied\n" +
		"d e: FAILED open or read\n" +
		"md5sum: WARNING: 1 listed file could not be read\n"))
	want := Checksums{OK: []string{"a"}, Failed: []FailedFile{
		{"core", "Permission denied", 1},
		{"a b", "No such file or directory", 2},
		{"b", "FAILED", 4},
		{"c", "FAILED open or read", 5},
		{"d e", "Permission denied", 6},
	}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestChecksumEmpty(t *testing.T) {
	empties := "d41d8cd98f00b204e9800998ecf8427e  a\n" +
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  b\n" + md5a + "  c\n"
	got, err := ParseChecksums(strings.NewReader(empties))
	if diff := cmp.Diff([]string{"a", "b"}, got.EmptyFiles()); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	_, err = ParseChecksums(strings.NewReader("bash: md5sum: command not found\n"))
	if !errors.Is(err, ErrToolMissing) {
		t.Errorf("%v, want %v", err, ErrToolMissing)
	}
}

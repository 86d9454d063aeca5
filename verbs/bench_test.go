package verbs

import (
	"bytes"
	"testing"
)

// A kernel log of a node can be long; reading it must not be what a preflight waits for.
func BenchmarkParseKernelLog(b *testing.B) {
	in := bytes.Repeat(toolFile(b, "dmesg/boot.txt"), 50)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := ParseKernelLog(bytes.NewReader(in)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseIOMMULog(b *testing.B) {
	in := bytes.Repeat(toolFile(b, "dmesg/boot.txt"), 50)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := ParseIOMMULog(bytes.NewReader(in)); err != nil {
			b.Fatal(err)
		}
	}
}

// A full GID table has 1024 entries a port, most of them empty.
func BenchmarkParseSysfs(b *testing.B) {
	in := bytes.Repeat([]byte(sysfsText), 500)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := ParseSysfs(bytes.NewReader(in)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParsePerftest(b *testing.B) {
	in := toolFile(b, "perftest/ib_write_bw.client.txt")
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := ParsePerftest(bytes.NewReader(in)); err != nil {
			b.Fatal(err)
		}
	}
}

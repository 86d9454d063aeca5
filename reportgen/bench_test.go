package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A run of benchmarks alone prints their tables, from its directory as from the text; one with cells prints them below.
func TestBenchmarksArePrinted(t *testing.T) {
	const text = "cluster: utah\nUnit ops/s better=higher\nBenchmarkAtomicMlx5_2/op=fetch_add/pair=mn-cn0 1 21.81 ops/s\n" +
		"BenchmarkRemoteSSDRead/mode=pinned/block=4096 1 1e+09 B/s 0.002 sec/op\n"
	dir := filepath.Join(t.TempDir(), "bench")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"benchmarks.txt": text, "run.json": `{"version": 1, "id": "bench", "system": "microbenchmarks", "tag": "rxe"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const table = "| op=fetch_add pair=mn-cn0 |   1 | 21.81 |"
	fromDir := try(t, statusOK, table, "", dir)
	for _, want := range []string{"## Microbenchmarks", "> Soft-RoCE: ", "## Remote SSD over RDMA", "| parameters             |   n | MiB/s | ms (median) |"} {
		if !strings.Contains(fromDir, want) {
			t.Errorf("no %q in\n%s", want, fromDir)
		}
	}
	try(t, statusOK, table, "", filepath.Join(dir, "benchmarks.txt"))
	try(t, statusOK, "<details><summary><b>Microbenchmarks</b> — tables: 1</summary>\n\n> Soft-RoCE: ", "", "-format", "github", dir)
	try(t, statusOK, table, "", "-format", "github", dir)
	both := try(t, statusOK, "## Microbenchmarks", "", "report/testdata/full")
	if strings.Index(both, "## step6") > strings.Index(both, "## Microbenchmarks") {
		t.Errorf("the benchmarks stand above the experiments:\n%s", both)
	}
}

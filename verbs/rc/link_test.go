//go:build !ibverbs

package rc

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// build builds rdmaprobe with tags. It is skipped where the headers and libraries are not installed, but in CI.
func build(t *testing.T, tags string) *elf.File {
	t.Helper()
	if testing.Short() {
		t.Skip("links a C program")
	}
	if runtime.GOOS != "linux" {
		t.Skip("libibverbs is a library of Linux")
	}
	file := filepath.Join(t.TempDir(), "rdmaprobe")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-tags", tags, "-o", file, "github.com/gotestbed/gotestbed/verbs/cmd/rdmaprobe")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := cmd.CombinedOutput()
	for _, missing := range []string{"infiniband/verbs.h: No such file", "cannot find -l", `"gcc": executable file not found`} {
		if bytes.Contains(out, []byte(missing)) && os.Getenv("CI") != "true" {
			t.Skip("needs: sudo apt-get install gcc libc6-dev libibverbs-dev libnl-3-dev libnl-route-3-dev")
		}
	}
	require.NoError(t, err, "%s", out)
	f, err := elf.Open(file)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// Nodes have an older C library than the machine that builds, and perhaps no libibverbs.
func TestTheStaticProgramNeedsNoLibrary(t *testing.T) {
	f := build(t, "ibverbs,rdmastatic,netgo,osusergo")
	libraries, err := f.ImportedLibraries()
	require.NoError(t, err)
	require.Empty(t, libraries)
	for _, p := range f.Progs {
		require.NotEqual(t, elf.PT_INTERP, p.Type, "it names a dynamic loader")
	}
	symbols, err := f.Symbols()
	require.NoError(t, err)
	providers := map[string]bool{}
	for _, s := range symbols {
		if s.Name == "verbs_provider_rxe" || s.Name == "verbs_provider_mlx5" {
			providers[s.Name] = true
		}
	}
	require.Equal(t, map[string]bool{"verbs_provider_rxe": true, "verbs_provider_mlx5": true}, providers)
}

// The libibverbs of MLNX_OFED 4.9 has the symbols of the versions 1.0 and 1.1 in common with rdma-core, and few later ones.
func TestOnlySymbolsThatOFED4HasAreUsed(t *testing.T) {
	f := build(t, "ibverbs")
	symbols, err := f.ImportedSymbols()
	require.NoError(t, err)
	versions := map[string]int{}
	for _, s := range symbols {
		if s.Library == "libibverbs.so.1" {
			versions[s.Version]++
		}
	}
	require.Greater(t, versions["IBVERBS_1.1"], 10)
	if diff := cmp.Diff(map[string]int{"IBVERBS_1.1": versions["IBVERBS_1.1"], "IBVERBS_1.0": versions["IBVERBS_1.0"]}, versions); diff != "" {
		t.Errorf("versions of symbols (-want +got)\n%s", diff)
	}
}

package clusterenv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file is either a Spec that is valid and survives being written, or an error that names the file; never both.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("../testdata/clusters/*.yaml")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte(leastFile))
	for _, tt := range mistakeTests {
		f.Add([]byte(with(tt.line, tt.text)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		spec, err := Parse("fuzz.yaml", data)
		if err == nil {
			require.NoError(t, spec.Validate())
			requireRoundTrip(t, spec)
			return
		}
		require.Nil(t, spec)
		require.Less(t, len(err.Error()), 1<<16)
		for line := range strings.Lines(err.Error()) {
			require.True(t, strings.HasPrefix(line, "fuzz.yaml: ") || strings.HasPrefix(line, "fuzz.yaml:"), line)
		}
	})
}

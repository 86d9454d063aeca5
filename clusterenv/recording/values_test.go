package recording

import (
	"context"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/clusterenv"
)

func TestValues(t *testing.T) {
	v := &Values{}
	v.Set("dir", "/var/tmp/run-17")
	v.Set("run", "run-17")
	v.Set("port", "4711")
	v.Set("short", "abc") // would be found everywhere
	check := func(text, recorded string) {
		t.Helper()
		got := string(v.takeOut([]byte(text)))
		require.Equal(t, recorded, got)
		require.Equal(t, text, string(v.putBack([]byte(got), nil)))
	}
	check("/var/tmp/run-17/log of run-17", "⟦dir⟧/log of ⟦run⟧")
	check(":4711 14711 47110 x4711", ":⟦port⟧ 14711 47110 x⟦port⟧")
	check("abc ⟦run⟧ ⟦ ⟧ ⟦unknown⟧ ⟦", "abc ⟦(⟧run⟧ ⟦(⟧ ⟧ ⟦(⟧unknown⟧ ⟦(⟧")
	v.Set("run", "")
	check("run-17", "run-17")
	require.Equal(t, map[string]string{"dir": "/recorded/dir", "port": "4711"}, v.standIns())
	require.Equal(t, "recorded-who", standIn("who", "agnes, pid 17"))
	require.Len(t, standIn("sum", digest(nil)), 64)
	require.NotEqual(t, standIn("sum", digest(nil)), standIn("other", digest(nil)))
	require.Panics(t, func() { v.Set("a name", "value") })
}

// A value can be in the cluster file. Whether a replay sets it or not, requests that carry what the file says are found.
func TestValueInTheClusterFile(t *testing.T) {
	root := t.TempDir()
	spec := cloudSpec()
	spec.Workdir = "/scratch/run-17/work"
	rec, err := NewRecorder(root, Header{Tag: "local"})
	require.NoError(t, err)
	rec.Values().Set("scratch", "/scratch/run-17")
	c, err := clusterenv.Open(t.Context(), spec, rec.Dialer(func(context.Context, *clusterenv.Spec, clusterenv.NodeSpec) (clusterenv.Transport, error) {
		return instant{}, nil
	}))
	require.NoError(t, err)
	ctx := WithScope(t.Context(), "TestA")
	_, err = c.Node("node2").Run(ctx, "ls", c.Node("node2").Workdir)
	require.NoError(t, err)
	rec.Finish("TestA", true)
	require.NoError(t, rec.Close())
	for _, value := range []string{"", "/tmp/of-today"} {
		r, err := Open(filepath.Join(root, "TestA"))
		require.NoError(t, err)
		if value != "" {
			r.Values().Set("scratch", value)
		}
		c, err := clusterenv.Open(t.Context(), r.Spec(), r.Dialer())
		require.NoError(t, err)
		require.Equal(t, "/recorded/scratch/work", c.Node("node2").Workdir)
		out, err := c.Node("node2").Run(ctx, "ls", c.Node("node2").Workdir)
		require.NoError(t, err)
		if value != "" {
			require.Equal(t, value+"/work", string(out))
		}
	}
}

// A run in which no test used the cluster has nothing to record, and nothing to complain about.
func TestNothingToRecord(t *testing.T) {
	root := t.TempDir()
	rec, err := NewRecorder(root, Header{})
	require.NoError(t, err)
	require.NoError(t, rec.Close())
	require.Empty(t, filesIn(t, root))
	require.NoError(t, Dump(io.Discard, &Recorded{}, true))
}

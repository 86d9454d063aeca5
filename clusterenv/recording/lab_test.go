package recording

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/gotestbed/gotestbed/clusterenv"
	"github.com/gotestbed/gotestbed/clusterenv/sshtest"
)

// A lab is nodes that speak SSH in this process: mn, cn0, cn1, …
type lab struct {
	dir     string // holds their home directories
	spec    *clusterenv.Spec
	servers []*sshtest.Server
}

func newLab(t testing.TB, nodes int) *lab {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	key, identity, err := sshtest.NewKey()
	require.NoError(t, err)
	l := &lab{dir: dir, spec: &clusterenv.Spec{
		Name:  "lab",
		SSH:   clusterenv.SSH{Identity: filepath.Join(dir, "key"), KnownHosts: filepath.Join(dir, "known_hosts")},
		Roles: map[clusterenv.Role][]string{},
	}}
	require.NoError(t, os.WriteFile(l.spec.SSH.Identity, identity, 0o600))
	var known strings.Builder
	for i := range nodes {
		name, role := fmt.Sprintf("cn%d", i-1), clusterenv.CN
		if i == 0 {
			name, role = "mn", clusterenv.MN
		}
		s, err := sshtest.NewServer(sshtest.Options{Dir: filepath.Join(dir, name), AuthorizedKeys: []ssh.PublicKey{key.PublicKey()}})
		require.NoError(t, err)
		t.Cleanup(func() { s.Close() })
		l.servers = append(l.servers, s)
		fmt.Fprintln(&known, s.KnownHostsLine())
		addr := netip.MustParseAddrPort(s.Addr())
		l.spec.Roles[role] = append(l.spec.Roles[role], name)
		l.spec.Nodes = append(l.spec.Nodes, clusterenv.NodeSpec{
			Name: name, Host: addr.Addr().String(), Port: int(addr.Port()), User: s.User(), Address: netip.AddrFrom4([4]byte{127, 0, 1, byte(i + 1)}),
		})
	}
	require.NoError(t, os.WriteFile(l.spec.SSH.KnownHosts, []byte(known.String()), 0o600))
	return l
}

// shutdown closes the servers and removes what was on them: whatever is replayed after it comes from the recording.
func (l *lab) shutdown(t testing.TB) {
	t.Helper()
	for _, s := range l.servers {
		require.NoError(t, s.Close())
	}
	require.NoError(t, os.RemoveAll(l.dir))
}

// record runs f as the test TestLab on the lab and returns the directory of its recording. Then the lab is gone.
func (l *lab) record(t testing.TB, f func(ctx context.Context, rec *Recorder, c *clusterenv.Cluster)) string {
	t.Helper()
	root := t.TempDir()
	rec, err := NewRecorder(root, Header{Tag: "local", Flags: map[string]string{"reps": "1"}})
	require.NoError(t, err)
	ctx := soon(t)
	c, err := clusterenv.Open(ctx, l.spec, rec.Dialer(clusterenv.DialSSH))
	require.NoError(t, err)
	f(WithScope(ctx, "TestLab/sub"), rec, c)
	rec.Finish("TestLab", true)
	require.NoError(t, c.Close())
	require.NoError(t, rec.Close())
	require.Equal(t, []string{"TestLab"}, rec.Written())
	l.shutdown(t)
	return filepath.Join(root, "TestLab")
}

// replay opens a recording and its cluster.
func replay(t testing.TB, dir string) (context.Context, *Replay, *clusterenv.Cluster) {
	t.Helper()
	r, err := Open(dir)
	require.NoError(t, err)
	ctx := soon(t)
	c, err := clusterenv.Open(ctx, r.Spec(), r.Dialer())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return WithScope(ctx, "TestLab/sub"), r, c
}

// soon bounds what a test waits for; it is far longer than anything should take.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	return ctx
}

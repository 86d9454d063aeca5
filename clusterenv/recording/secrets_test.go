package recording

import (
	"bytes"
	"context"
	"io/fs"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// planted are the secrets of a run: of the driver, of its cluster file, and of what nodes print.
var planted = []string{
	"agnes", "/Users/agnes", "/users/agnes", "agneslaptop", "amd103", "site.example.org", "node5.exp", "128.110.218.4", "2001:db9:7::5",
	"tok-0123456789", "b3BlbnNzaC1rZXktdjEAAAAA", "ghp_ABCDEFGHIJ", "b8:ce:f6:12:34:56", "MT2045X00123", "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
	"8c1f3b2e-0a4d-4e6f-9b7a-112233445566", "run-77aa88bb99", "agnes@laptop",
}

const plantedOutput = `agnes
/users/agnes/gotestbed
amd103.site.example.org node5.exp.site.example.org
inet 128.110.218.4/21 scope global eno33
inet 10.10.1.3/24 scope global ens1f0
inet6 2001:db9:7::5/64
link/ether b8:ce:f6:12:34:56 brd ff:ff:ff:ff:ff:ff
Serial Number: MT2045X00123
0a1b2c3d4e5f60718293a4b5c6d7e8f9
boot 8c1f3b2e-0a4d-4e6f-9b7a-112233445566
Authorization: Bearer tok-0123456789
GITHUB_TOKEN=ghp_ABCDEFGHIJ
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI agnes@laptop
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAA
-----END OPENSSH PRIVATE KEY-----
lease run-77aa88bb99
`

// plantedNode prints the secrets byte by byte, on both streams, and wherever else something can be printed.
type plantedNode struct{ home string }

func (n plantedNode) Start(_ context.Context, cmd clusterenv.Command) (func() error, error) {
	return func() error {
		if cmd.Stdin != nil {
			if _, err := bytes.NewBuffer(nil).ReadFrom(cmd.Stdin); err != nil {
				return err
			}
		}
		text := plantedOutput
		switch {
		case cmd.Hint == clusterenv.HintIdentity:
			text = n.home + "\nagnes\nLinux\nx86_64\n5.4.0\n"
		case cmd.Hint == clusterenv.HintFileOut:
			var b bytes.Buffer
			if err := putFile(&b, []byte(strings.Repeat(plantedOutput, 50))); err != nil {
				return err
			}
			text = b.String()
		case cmd.Hint == clusterenv.HintArchive:
			var b bytes.Buffer
			if err := putArchive(&b, "0 1\n", []File{{Name: "./a.log", Mode: 0o644, Data: []byte(plantedOutput)}, {Name: "./agnes.log", Mode: 0o644, Data: []byte("by agnes\n")}}, true); err != nil {
				return err
			}
			text = b.String()
		}
		for i := range len(text) {
			if _, err := cmd.Stdout.Write([]byte{text[i]}); err != nil {
				return err
			}
			if _, err := cmd.Stderr.Write([]byte{text[i]}); err != nil {
				return err
			}
		}
		switch cmd.Argv[0] {
		case "lost":
			return clusterenv.ErrDisconnected
		case "odd":
			return &fs.PathError{Op: "dial 128.110.218.4", Path: "/users/agnes", Err: fs.ErrNotExist}
		}
		return nil
	}, nil
}

func (plantedNode) Close() error { return nil }

// makePlanted does everything in which a secret could get into a recording, or be asked for.
func makePlanted(ctx context.Context, t *testing.T, c *clusterenv.Cluster, user string) []string {
	t.Helper()
	n := c.Node("node2")
	var seen []string
	add := func(out []byte, err error) {
		text := string(out)
		if err != nil {
			text += err.Error()
		}
		seen = append(seen, text)
	}
	add(n.Run(ctx, "env"))
	add(n.Run(ctx, "lost"))
	add(n.Run(ctx, "odd"))
	add(n.Script(ctx, "by "+user, `echo "$1"`, n.Home+"/x", os.Getenv("PLANTED_TOKEN"), "run-77aa88bb99", n.Host))
	add(n.RunInput(ctx, strings.NewReader("user "+user+"\n"), "tee", "file"))
	_, err := n.Push(ctx, n.Home+"/config", strings.NewReader(user+" run-77aa88bb99\n"), 0o600)
	require.NoError(t, err)
	var file bytes.Buffer
	_, err = n.Pull(ctx, n.Home+"/key", &file)
	require.NoError(t, err, "size and digest must agree with what is in it now")
	add(file.Bytes(), nil)
	dir := t.TempDir()
	names, err := n.PullDir(ctx, "logs", dir, clusterenv.PullOptions{}, "a.log", path.Base(n.Home)+".log") // a name that comes from the node
	require.NoError(t, err)
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		add(data, nil)
	}
	return seen
}

func TestNoSecretIsWritten(t *testing.T) {
	t.Setenv("USER", "agnes")
	t.Setenv("HOME", "/Users/agnes")
	t.Setenv("PLANTED_TOKEN", "tok-0123456789")
	root := t.TempDir()
	rec, err := NewRecorder(root, Header{Tag: "cloudlab", Command: []string{"/Users/agnes/e2e.test", "-out=/Users/agnes/out"}, Flags: map[string]string{"out": "/Users/agnes/out"},
		Tools: map[string]string{"driver": "agneslaptop.site.example.org"}})
	require.NoError(t, err)
	rec.red.addHost("agneslaptop.site.example.org", "driver.example.net", "driver") // nobody can set the host's name in a test
	rec.Values().Set("run", "run-77aa88bb99")
	dial := func(context.Context, *clusterenv.Spec, clusterenv.NodeSpec) (clusterenv.Transport, error) {
		return plantedNode{home: "/users/agnes"}, nil
	}
	c, err := clusterenv.Open(t.Context(), cloudSpec(), rec.Dialer(dial))
	require.NoError(t, err)
	ctx := WithScope(t.Context(), "TestSecrets")
	makePlanted(ctx, t, c, "agnes")
	rec.Finish("TestSecrets", true)
	require.NoError(t, rec.Close())

	dir := filepath.Join(root, "TestSecrets")
	all := plainText(t, dir)
	for _, secret := range planted {
		if i := strings.Index(strings.ToLower(all), strings.ToLower(secret)); i >= 0 {
			t.Errorf("%q is in the recording: …%s…", secret, all[max(0, i-60):min(len(all), i+60)])
		}
	}
	for _, stays := range []string{"10.10.1.3", "/users/user1/gotestbed", "inet 192.0.2.", "redacted-PLANTED_TOKEN", "lease ⟦run⟧"} {
		require.Contains(t, all, stays)
	}

	// Another user's driver gets the same answers. What it says itself counts as what the first one said.
	t.Setenv("USER", "bruno")
	t.Setenv("HOME", "/home/bruno")
	t.Setenv("PLANTED_TOKEN", "another-token")
	r, err := Open(dir)
	require.NoError(t, err)
	c, err = clusterenv.Open(t.Context(), r.Spec(), r.Dialer())
	require.NoError(t, err)
	require.Equal(t, "/users/user1", c.Node("node2").Home)
	r.Values().Set("run", "run-77aa88bb99")
	for _, text := range makePlantedAs(ctx, t, c) {
		require.NotContains(t, text, openMark)
		for _, secret := range planted {
			if secret != "run-77aa88bb99" {
				require.NotContains(t, text, secret)
			}
		}
	}
	require.Equal(t, netip.MustParseAddr("10.10.1.3"), c.Node("node2").Address)
	require.Len(t, r.Unasked(), 0)
}

// makePlantedAs asks as bruno, except for names of files, which come from the recording.
func makePlantedAs(ctx context.Context, t *testing.T, c *clusterenv.Cluster) []string {
	t.Helper()
	return makePlanted(ctx, t, c, "bruno")
}

// plainText is all that a recording holds: its names, its files as they are, and what is compressed in them.
func plainText(t *testing.T, dir string) string {
	t.Helper()
	var all bytes.Buffer
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		all.WriteString(e.Name() + "\n")
		all.Write(raw)
		if e.Name() == specFile {
			continue
		}
		rec, err := Read(path)
		require.NoError(t, err)
		for _, r := range rec.Requests {
			all.WriteString(strings.Join(r.Argv, "\n") + "\n" + string(r.Input.Data) + r.End.Text)
			for _, f := range r.Files {
				all.WriteString(f.Name + "\n")
				all.Write(f.Data)
			}
			for _, c := range r.Output {
				if !c.Stderr {
					all.Write(c.Data)
				}
			}
			for _, c := range r.Output {
				if c.Stderr {
					all.Write(c.Data)
				}
			}
		}
	}
	return all.String()
}

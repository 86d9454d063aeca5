package clusterenv

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hinting notes the hint of each command, by its name, and fails them all.
type hinting struct{ seen map[string]Hint }

func (h hinting) Start(_ context.Context, cmd Command) (func() error, error) {
	h.seen[shortOp(cmd.Argv)] = cmd.Hint
	return func() error { return &ExitError{Status: 1} }, nil
}

func (hinting) Close() error { return nil }

func TestCommandsCarryHints(t *testing.T) {
	h := hinting{map[string]Hint{}}
	n := &Node{NodeSpec: NodeSpec{Name: "n0"}, transport: h}
	ctx := t.Context()
	_, err := n.Push(ctx, "file", strings.NewReader("x"), 0o644)
	require.Error(t, err)
	_, err = n.Pull(ctx, "file", new(strings.Builder))
	require.Error(t, err)
	_, err = n.PullDir(ctx, "dir", t.TempDir(), PullOptions{}, "name")
	require.Error(t, err)
	_, err = (&Daemon{node: n, name: "d"}).Wait(ctx)
	require.Error(t, err)
	require.Error(t, (&Lease{node: n, name: "l", ttl: minTTL}).renew(ctx))
	_, err = n.Run(ctx, "true")
	require.Error(t, err)
	require.Error(t, n.open(ctx, &Spec{}, func(context.Context, *Spec, NodeSpec) (Transport, error) { return h, nil }))
	require.Equal(t, map[string]Hint{
		"push file": HintFileIn, "pull file": HintFileOut, "pull from dir": HintArchive, "wait for d": HintEnd,
		"renew lease l": HintPeriodic, "true": 0, "identify": HintIdentity,
	}, h.seen)
}

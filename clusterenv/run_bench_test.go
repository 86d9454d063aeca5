package clusterenv

import (
	"io"
	"testing"
)

// BenchmarkRun is the cost of a command that does nothing, on a connection that stands.
func BenchmarkRun(b *testing.B) {
	for _, kind := range serverKinds {
		if kind.shell {
			continue
		}
		b.Run(kind.name, func(b *testing.B) {
			n := kind.start(b).node(b)
			for b.Loop() {
				if _, err := n.Run(b.Context(), "true"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDaemon is what the harness adds to a program: start, and notice of the end.
func BenchmarkDaemon(b *testing.B) {
	for _, kind := range serverKinds {
		if kind.shell {
			continue
		}
		b.Run(kind.name, func(b *testing.B) {
			n := kind.start(b).node(b)
			spec := DaemonSpec{Name: "d", Dir: b.TempDir(), Argv: []string{"true"}}
			for b.Loop() {
				d, err := StartDaemon(b.Context(), n, spec)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := d.Wait(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPush is the rate of a transfer with its digests.
func BenchmarkPush(b *testing.B) {
	const size = 32 << 20
	for _, kind := range serverKinds {
		if kind.shell {
			continue
		}
		b.Run(kind.name, func(b *testing.B) {
			n := kind.start(b).node(b)
			path := b.TempDir() + "/f"
			b.SetBytes(size)
			for b.Loop() {
				if _, err := n.Push(b.Context(), path, io.LimitReader(zeros{}, size), 0o600); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package clusterenv

import "testing"

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

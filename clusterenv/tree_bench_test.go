package clusterenv

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// What BenchmarkDeployRsync deploys, and how often.
const (
	benchNodes  = 5
	benchFiles  = 5000
	benchRounds = 5
)

// BenchmarkDeployRsync deploys a tree to five OpenSSH servers, by SyncTree and by parallel rsync -a in turn, after nothing, one file, ten files or
// all of them have changed. It prints the medians, and fails where the ratio is larger than it may be.
//
// SyncTree is measured twice: with the connections that a cluster has open, hashing of the driver's files included; and with everything, from the dialling
// on. The limits hold for both.
func BenchmarkDeployRsync(b *testing.B) {
	rsync, err := exec.LookPath("rsync")
	if err != nil {
		b.Skipf("NOT COMPARED: %v (apt-get install rsync)", err)
	}
	if _, err := exec.LookPath("ssh"); err != nil {
		b.Skipf("NOT COMPARED: %v (apt-get install openssh-client)", err)
	}
	d := newDeployBench(b, rsync)
	for b.Loop() {
		d.round(b, d.changeAll, nil) // to fill the nodes
		for _, c := range []struct {
			name   string
			change func(testing.TB)
			limit  float64 // 0: none
		}{
			{"nothing", func(testing.TB) {}, 0.5},
			{"one file", d.changer(1), 0.5},
			{"ten files", d.changer(10), 0},
			{"all files", d.changeAll, 1},
		} {
			d.compare(b, c.name, c.change, c.limit)
		}
	}
}

type deployBench struct {
	src, rsync string
	rounds     int
	random     *rand.ChaCha8
	files      []string
	servers    []*testServer
	homes      []string // of our trees and rsync's, one a server
	nodes      []*Node
	ssh        []string // option -e of rsync, one a server
}

func newDeployBench(b *testing.B, rsync string) *deployBench {
	d := &deployBench{src: b.TempDir(), rsync: rsync, random: rand.NewChaCha8([32]byte{7})}
	for i := range benchFiles {
		d.files = append(d.files, filepath.Join(d.src, fmt.Sprintf("module%03d/file%04d.cc", i/50, i)))
	}
	for range benchNodes {
		s := startSSHD(b)
		d.servers = append(d.servers, s)
		d.homes = append(d.homes, b.TempDir())
		d.nodes = append(d.nodes, s.node(b))
		host := splitAddr(s.addr)
		known := filepath.Join(b.TempDir(), "known_hosts")
		writeFile(b, known, fmt.Sprintf("[%s]:%s %s", host[0], host[1], ssh.MarshalAuthorizedKey(s.hostKey)))
		d.ssh = append(d.ssh, fmt.Sprintf("ssh -F none -p %s -l %s -i %s -o IdentitiesOnly=yes -o BatchMode=yes -o UserKnownHostsFile=%s", host[1], s.user, s.identity, known))
	}
	return d
}

// text is something like source code: it compresses, but not to nothing.
func (d *deployBench) text() []byte {
	words := []string{"int ", "return ", "static ", "for (", "if (", "x += ", "node->", ";\n\t", "{ ", "} ", "uint64_t ", "const "}
	var b bytes.Buffer
	for size := 500 + int(d.random.Uint64()%9000); b.Len() < size; {
		if v := d.random.Uint64(); v%3 == 0 {
			b.WriteString(strconv.FormatUint(v>>40, 36))
		} else {
			b.WriteString(words[v>>8%uint64(len(words))%uint64(len(words))])
		}
	}
	return b.Bytes()
}

func (d *deployBench) changer(n int) func(testing.TB) {
	return func(tb testing.TB) {
		for range n {
			writeFile(tb, d.files[d.random.Uint64()%benchFiles], string(d.text()))
		}
	}
}

func (d *deployBench) changeAll(tb testing.TB) {
	for _, file := range d.files {
		writeFile(tb, file, string(d.text()))
	}
}

// compare prints and checks the medians of some rounds.
func (d *deployBench) compare(b *testing.B, name string, change func(testing.TB), limit float64) {
	var times [3][]float64
	for range benchRounds {
		d.round(b, change, &times)
	}
	var medians [3]float64
	for i, list := range times {
		slices.Sort(list)
		medians[i] = list[len(list)/2]
	}
	open, dialled, rsync := medians[0], medians[1], medians[2]
	b.Logf("%-9s changed: %.3f s connected, %.3f s with dialling; rsync -a %.3f s; ratios %.2f and %.2f (medians of %d)",
		name, open, dialled, rsync, open/rsync, dialled/rsync, benchRounds)
	b.ReportMetric(dialled/rsync, strings.ReplaceAll(name, " ", "-")+"/rsync")
	if limit > 0 && max(open, dialled) > limit*rsync {
		b.Errorf("%s changed: more than %.1f × rsync", name, limit)
	}
}

// round changes the files and deploys them to three places, and adds the times in seconds. Each round begins with another place.
func (d *deployBench) round(b *testing.B, change func(testing.TB), times *[3][]float64) {
	change(b)
	ways := []func(context.Context, *testing.B) error{d.connected, d.dialled, d.byRsync}
	d.rounds++
	for k := range ways {
		i := (k + d.rounds) % len(ways)
		start := time.Now()
		require.NoError(b, ways[i](b.Context(), b))
		if times != nil {
			times[i] = append(times[i], time.Since(start).Seconds())
		}
	}
}

func (d *deployBench) connected(ctx context.Context, b *testing.B) error {
	return d.deploy(ctx, d.nodes, "connected")
}

func (d *deployBench) deploy(ctx context.Context, nodes []*Node, place string) error {
	t, err := ReadTree(ctx, d.src, TreeOptions{})
	if err != nil {
		return err
	}
	defer t.Close()
	index := map[*Node]int{}
	for i, n := range nodes {
		index[n] = i
	}
	return Each(nodes, func(n *Node) error {
		_, err := n.SyncTree(ctx, t, d.homes[index[n]]+"/"+place, SyncOptions{Delete: true})
		return err
	})
}

// dialled connects to all nodes first.
func (d *deployBench) dialled(ctx context.Context, b *testing.B) error {
	nodes := make([]*Node, benchNodes)
	index := map[*Node]int{}
	for i, n := range d.nodes {
		index[n] = i
	}
	err := Each(d.nodes, func(n *Node) error {
		tr, err := dialSSH(ctx, d.servers[index[n]].target(b))
		nodes[index[n]] = &Node{NodeSpec: n.NodeSpec, transport: tr}
		return err
	})
	if err != nil {
		return err
	}
	defer Each(nodes, func(n *Node) error { return n.transport.Close() })
	return d.deploy(ctx, nodes, "dialled")
}

func (d *deployBench) byRsync(ctx context.Context, b *testing.B) error {
	index := map[*Node]int{}
	for i, n := range d.nodes {
		index[n] = i
	}
	return Each(d.nodes, func(n *Node) error {
		i := index[n]
		host := splitAddr(d.servers[i].addr)
		cmd := exec.CommandContext(ctx, d.rsync, "-a", "--delete", "-e", d.ssh[i], d.src+"/", host[0]+":"+d.homes[i]+"/rsync/")
		cmd.Stderr = os.Stderr
		return cmd.Run()
	})
}

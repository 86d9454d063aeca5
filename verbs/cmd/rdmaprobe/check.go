package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"

	"github.com/gotestbed/gotestbed/verbs/probe"
	"github.com/gotestbed/gotestbed/verbs/rc"
)

// wordSpace is what a region has behind its bytes, for results of atomics.
const wordSpace = 8

// checkDepth is how many requests are under way.
const checkDepth = 32

// checker looks whether a server's memory is what RDMA makes of it.
type checker struct {
	*client
	size   int
	seed   uint64
	result probe.Checked
}

// check tries all operations on the whole region of a server.
func check(ctx context.Context, fs *flag.FlagSet, args []string, s stdio) (err error) {
	var c common
	c.register(fs)
	peer := fs.String("peer", "", "`address` that serve printed")
	size := fs.Int("size", 1<<20, "how many `bytes` of the peer's region to try, a multiple of 8")
	seed := fs.Uint64("seed", 0, "of the pattern (0: draw one)")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if *peer == "" || *size < 8 || *size%8 != 0 {
		fmt.Fprintln(fs.Output(), "-peer is missing, or -size is no multiple of 8")
		return errUsage
	}
	token, err := s.token()
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	cl, err := dial(ctx, c, *peer, token, *size+wordSpace, checkDepth, *size)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cl.Close()) }()
	k := &checker{client: cl, size: *size, seed: *seed, result: probe.Checked{Peer: *peer, Region: *size}}
	if k.seed == 0 {
		k.seed = rand.Uint64()
	}
	if err := k.all(ctx); err != nil {
		return fmt.Errorf("client: %w", err)
	}
	k.result.OK = len(k.result.Differences) == 0
	if err := s.print(k.result); err != nil {
		return err
	}
	if !k.result.OK {
		return errDiffers
	}
	return nil
}

// all tries everything. Its errors are of what could not be tried; what differs goes into the result.
func (k *checker) all(ctx context.Context) error {
	for _, step := range []func(context.Context) error{k.write, k.readBack, k.readRemote, k.atomics} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// found keeps what a step found, if it found something.
func (k *checker) found(step string, d *probe.Difference) {
	if d != nil {
		d.Step = step
		k.result.Differences = append(k.result.Differences, *d)
	}
}

// write WRITEs a pattern, and has the server look at its own memory.
func (k *checker) write(ctx context.Context) error {
	fill(k.region(), k.seed)
	if err := k.transfer(ctx, rc.Write); err != nil {
		return err
	}
	a, err := k.ask(request{Do: doVerify, Seed: k.seed, Size: k.size})
	k.found("WRITE, seen by the server", a.Difference)
	return err
}

// readBack READs what was written.
func (k *checker) readBack(ctx context.Context) error {
	return k.read(ctx, "READ of what was written", k.seed)
}

// readRemote READs what the server writes with its own processor.
func (k *checker) readRemote(ctx context.Context) error {
	if _, err := k.ask(request{Do: doFill, Seed: k.seed + 1, Size: k.size}); err != nil {
		return err
	}
	return k.read(ctx, "READ of what the server wrote", k.seed+1)
}

func (k *checker) read(ctx context.Context, step string, seed uint64) error {
	set(k.region(), poison)
	if err := k.transfer(ctx, rc.Read); err != nil {
		return err
	}
	k.found(step, compare(k.region(), seed))
	return nil
}

func (k *checker) region() []byte { return k.mr.Bytes()[:k.size] }

// pieces are lengths of requests: they begin and end at odd places too, and cross pages and packets.
var pieces = []int{4096, 1, 65536, 7, 1024, 1025, 16384, 4095, 8, 3}

// transfer WRITEs or READs the whole region, piece by piece.
func (k *checker) transfer(ctx context.Context, op rc.Op) error {
	var batch []rc.WR
	for i, at := 0, 0; at < k.size; i++ {
		n := min(pieces[i%len(pieces)], k.size-at)
		batch = append(batch, k.request(op, at, n))
		at += n
		if len(batch) == checkDepth || at == k.size {
			if err := k.do(ctx, k.timeout, batch...); err != nil {
				return fmt.Errorf("%s of %d bytes up to %d: %w", op, k.size, at, err)
			}
			k.result.Operations += len(batch)
			batch = batch[:0]
		}
	}
	return nil
}

// atomics tries both atomics on the first, a middle and the last word of the region.
func (k *checker) atomics(ctx context.Context) error {
	for _, at := range []int{0, k.size / 16 * 8, k.size - 8} {
		old := patternWord(k.seed+2, uint64(at))
		for _, a := range []struct {
			step  string
			wr    rc.WR
			after uint64
		}{
			{"FETCH_AND_ADD", rc.WR{Op: rc.FetchAdd, Add: 0x1_0000_0001}, old + 0x1_0000_0001},
			{"CMP_AND_SWAP of an equal word", rc.WR{Op: rc.CompareSwap, Compare: old, Swap: ^old}, ^old},
			{"CMP_AND_SWAP of another word", rc.WR{Op: rc.CompareSwap, Compare: old + 1, Swap: 1}, old},
		} {
			if err := k.atomic(ctx, a.step, a.wr, at, old, a.after); err != nil {
				return err
			}
		}
	}
	return nil
}

// atomic has the server set a word, changes it, and compares the word that came back and that which the server then has.
func (k *checker) atomic(ctx context.Context, step string, wr rc.WR, at int, old, after uint64) error {
	if _, err := k.ask(request{Do: doStore, Offset: at, Value: old}); err != nil {
		return err
	}
	result := k.mr.Bytes()[k.size:]
	set(result, poison)
	wr.Local = k.mr.Segment(k.size, wordSpace)
	wr.RemoteAddr, wr.RemoteKey = k.peer.Address+uint64(at), k.peer.RKey
	if err := k.do(ctx, k.timeout, wr); err != nil {
		return fmt.Errorf("%s at %d: %w", step, at, err)
	}
	k.result.Operations++
	k.found(step+", old word", compareWord(at, old, binary.NativeEndian.Uint64(result)))
	a, err := k.ask(request{Do: doLoad, Offset: at})
	if err != nil {
		return err
	}
	k.found(step+", new word", compareWord(at, after, a.Value))
	return nil
}

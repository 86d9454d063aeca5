// Rdmaprobe tries RDMA between two nodes: whether written bytes are seen, and how fast.
//
//	rdmaprobe info  -device mlx5_2                                        what the device is and can hold
//	rdmaprobe serve -device mlx5_2 -gid-index 3 -listen 10.10.1.3:0       offer a memory region to peers, until stdin ends
//	rdmaprobe check -device mlx5_2 -gid-index 3 -peer 10.10.1.3:34567     are written bytes seen, and do atomics count?
//	rdmaprobe bench -device mlx5_2 -gid-index 3 -peer 10.10.1.3:34567 -op read -size 65536 -depth 16 -iters 1000
//
//	rdmaprobe ssd-serve -device mlx5_2 -gid-index 3 -listen 10.10.1.3:0 -file /ssd/file -size 4294967296       offer a file, until stdin ends
//	rdmaprobe ssd-read  -device mlx5_2 -gid-index 3 -peer 10.10.1.3:34567 -mode staged -size 4294967296 -block 16777216
//
// All but info read a token from the first line of stdin, 64 hexadecimal digits; both sides need the same one, and no
// other peer is accepted. Results are lines of JSON on stdout, errors one line on stderr. The exit status is 0 if all is well, 1 if
// the question could not be answered, 2 for a wrong command line, and 3 if bytes are not what they should be.
//
// It is built with the tags ibverbs,rdmastatic,netgo,osusergo into one static file, see package rc.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gotestbed/gotestbed/verbs"
	"github.com/gotestbed/gotestbed/verbs/probe"
	"github.com/gotestbed/gotestbed/verbs/rc"
)

// commands are what rdmaprobe can do.
var commands = map[string]func(context.Context, *flag.FlagSet, []string, stdio) error{
	"info":      info,
	"serve":     serve,
	"check":     check,
	"bench":     bench,
	"ssd-serve": ssdServe,
	"ssd-read":  ssdRead,
}

// stdio are the streams of a command.
type stdio struct {
	in  *bufio.Reader
	out io.Writer
	err io.Writer
}

func newStdio(in io.Reader, out, err io.Writer) stdio { return stdio{bufio.NewReader(in), out, err} }

// print writes a line of JSON.
func (s stdio) print(v any) error { return json.NewEncoder(s.out).Encode(v) }

// errUsage is an error of the command line, which was told already.
var errUsage = errors.New("usage")

// errDiffers says that check or ssd-read found a difference, which it printed.
var errDiffers = errors.New("bytes differ")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], newStdio(os.Stdin, os.Stdout, os.Stderr))
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, s stdio) int {
	if len(args) == 0 || commands[args[0]] == nil {
		fmt.Fprintln(s.err, "usage: rdmaprobe info|serve|check|bench|ssd-serve|ssd-read [flags]")
		return 2
	}
	fs := flag.NewFlagSet("rdmaprobe "+args[0], flag.ContinueOnError)
	fs.SetOutput(s.err)
	switch err := commands[args[0]](ctx, fs, args[1:], s); {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		return 2
	case errors.Is(err, errDiffers):
		return probe.Differs
	default:
		fmt.Fprintf(s.err, "rdmaprobe: %v\n", err)
		return 1
	}
}

// common are the flags of all commands.
type common struct {
	rc.Config
	timeout time.Duration
}

func (c *common) register(fs *flag.FlagSet) {
	fs.StringVar(&c.Device, "device", "", "RDMA `device`, as mlx5_2")
	fs.IntVar(&c.Port, "port", 1, "its `port`")
	fs.IntVar(&c.GIDIndex, "gid-index", 0, "`index` of its GID, that of RoCE v2 with the experiment network's IPv4 address")
	fs.IntVar((*int)(&c.MTU), "mtu", 0, "path MTU in `bytes` (0: the port's active MTU)")
	fs.DurationVar(&c.timeout, "timeout", 20*time.Second, "limit of each step")
}

// parse parses the command line and says what is missing.
func (c *common) parse(fs *flag.FlagSet, args []string) error {
	if fs.Parse(args) != nil {
		return errUsage
	}
	switch {
	case fs.NArg() > 0:
		fmt.Fprintf(fs.Output(), "unexpected argument %q\n", fs.Arg(0))
		return errUsage
	case c.Device == "":
		fmt.Fprintln(fs.Output(), "-device is missing")
		return errUsage
	case c.timeout <= 0:
		fmt.Fprintf(fs.Output(), "-timeout %s: must be positive\n", c.timeout)
		return errUsage
	}
	return nil
}

// token reads the token that both sides hold.
func (s stdio) token() (verbs.Token, error) {
	const digits = 64
	line := make([]byte, digits+1)
	if _, err := io.ReadFull(s.in, line); err != nil || line[digits] != '\n' {
		return verbs.Token{}, fmt.Errorf("stdin has to begin with a line of %d hexadecimal digits, the token", digits)
	}
	return verbs.ParseToken(string(line[:digits]))
}

// info prints what a device is.
func info(_ context.Context, fs *flag.FlagSet, args []string, s stdio) (err error) {
	var c common
	c.register(fs)
	if err := c.parse(fs, args); err != nil {
		return err
	}
	dev, err := rc.Open(c.Config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	return s.print(dev.Info())
}

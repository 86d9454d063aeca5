package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/gotestbed/gotestbed/reportgen/watch"
)

const watchUsage = `Usage: reportgen watch [-every DURATION] RUN

Follows a run while it goes on, until it ends: which cells have run and how they ended, throughput, how long the rest will take, and
what went wrong. RUN is its directory, which need not exist yet. On a terminal the progress is drawn in place; elsewhere it is one
line for each thing that happens.

  -every DURATION   how often to look (default 1s)

Examples:
  reportgen watch out/demo
  reportgen watch out/demo >progress.log &

Exit status: 0 when the run has ended, or on an interrupt; 1 if the journal cannot be read; 2 if the command line is wrong.
`

// watchCommand follows a run.
func watchCommand(args []string, _ io.Reader, stdout, stderr io.Writer) int {
	flags := newFlags("watch", watchUsage, stderr)
	every := flags.Duration("every", time.Second, "")
	if status, ok := parse(flags, args); !ok {
		return status
	}
	if flags.NArg() != 1 || *every <= 0 {
		return wrong(stderr, watchUsage, "watch takes one RUN, and -every more than 0")
	}
	if info, err := os.Stat(flags.Arg(0)); err == nil && !info.IsDir() {
		return wrong(stderr, watchUsage, "%s: not a directory", flags.Arg(0))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ticker := time.NewTicker(*every)
	defer ticker.Stop()
	err := watch.Follow(ctx, flags.Arg(0), watch.Options{Out: stdout, Size: sizeOf(stdout), Wait: looks(ticker.C)})
	if err != nil && !errors.Is(err, context.Canceled) {
		return complain(stderr, err)
	}
	return statusOK
}

// sizeOf returns what tells the size of the terminal that w is, which may change; nil if it is none.
func sizeOf(w io.Writer) func() (width, height int) {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	if _, _, ok := terminalSize(f); !ok {
		return nil
	}
	return func() (int, int) {
		width, height, ok := terminalSize(f)
		if !ok { // it has gone: the interrupt follows
			return 80, 24
		}
		return width, height
	}
}

// looks returns what waits for the next tick; the first look does not wait.
func looks(ticks <-chan time.Time) func(ctx context.Context) (time.Time, error) {
	first := true
	return func(ctx context.Context) (time.Time, error) {
		if first {
			first = false
			return time.Now(), nil
		}
		select {
		case now := <-ticks:
			return now, nil
		case <-ctx.Done():
			return time.Time{}, ctx.Err()
		}
	}
}

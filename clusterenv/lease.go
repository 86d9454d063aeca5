package clusterenv

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// A Lease is a file on a node that says "whoever started you is still there". Daemons that were started with it are ended by
// their supervisors (TERM, KILL 2 s later) when it has not been renewed for its ttl, or when it is gone. So whatever happens
// to this process, nothing of it stays on the node.
//
// The file holds the node's uptime at the last renewal: neither a difference between two machines' clocks nor a step of the
// node's own can end a lease.
type Lease struct {
	node *Node
	name string
	path string // on the node, absolute
	ttl  time.Duration

	stop     context.CancelFunc
	renewing sync.WaitGroup
	lost     chan struct{}
	err      error // why it was lost; read it after lost
}

// ErrLeaseLost marks a lease that ran out or was taken away, whose daemons are being ended.
var ErrLeaseLost = errors.New("the lease is lost")

// minTTL is the shortest time to live; shorter ones would be lost to a busy node's hiccups.
const minTTL = 500 * time.Millisecond

const leaseRenew = `
read -r gt_now gt_rest </proc/uptime && printf '%s\n' "$gt_now" >"$1.$$" && mv -f -- "$1.$$" "$1"
`

// leaseHold makes the lease $1 below the home directory and prints its absolute path.
const leaseHold = `set -e
mkdir -p .gotestbed/leases
set -- "$PWD/.gotestbed/leases/$1"
` + leaseRenew + `
printf %s "$1"
`

// leaseKeep renews the lease $1, unless it is gone or older than $2 hundredths of a second.
const leaseKeep = `
{ read -r gt_old <"$1"; } 2>/dev/null || exit 44
read -r gt_now gt_rest </proc/uptime
[ $((${gt_now%.*}${gt_now#*.} - ${gt_old%.*}${gt_old#*.})) -le "$2" ] || { rm -f -- "$1"; exit 44; }
` + leaseRenew

// HoldLease makes a lease on the node and renews it every ttl/3 until Release. The name (letters, digits, "._-") must differ from that of
// every other lease of the user on the node; ttl is at least 0.5 s.
func HoldLease(ctx context.Context, n *Node, name string, ttl time.Duration) (*Lease, error) {
	op := "hold lease " + name
	if !plainName.MatchString(name) {
		return nil, n.failed(op, errName)
	}
	if ttl < minTTL {
		return nil, n.failed(op, fmt.Errorf("a ttl of %v is shorter than %v", ttl, minTTL))
	}
	path, err := n.Script(ctx, op, leaseHold, name)
	if err != nil {
		return nil, err
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	l := &Lease{node: n, name: name, path: string(path), ttl: ttl, stop: stop, lost: make(chan struct{})}
	l.renewing.Go(func() { l.keep(renewing) })
	return l, nil
}

// keep renews the lease until ctx ends or the lease is lost. A renewal that fails for want of a connection is tried
// again: the node decides when it is too late.
func (l *Lease) keep(ctx context.Context) {
	tick := time.NewTicker(l.ttl / 3)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		err := l.renew(ctx)
		var exit *ExitError
		if errors.As(err, &exit) && exit.Status == exitNone {
			l.err = l.node.failed("renew lease "+l.name, ErrLeaseLost)
			close(l.lost)
			return
		}
	}
}

func (l *Lease) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.ttl)
	defer cancel()
	_, err := l.node.hinted(ctx, HintPeriodic, "renew lease "+l.name, leaseKeep, l.path, l.hundredths())
	return err
}

// Path is the lease's file on the node, absolute.
func (l *Lease) Path() string { return l.path }

// Lost is closed when the lease has run out or was taken away. Err says so then.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// Err is nil, or an error compatible with errors.Is(err, ErrLeaseLost) once Lost is closed.
func (l *Lease) Err() error {
	select {
	case <-l.lost:
		return l.err
	default:
		return nil
	}
}

// Release ends the renewing and removes the file: daemons that still run under the lease are ended by their supervisors, within
// about a second. Whoever wants to see how they end stops them first.
func (l *Lease) Release(ctx context.Context) error {
	l.stop()
	l.renewing.Wait()
	_, err := l.node.Script(ctx, "release lease "+l.name, `rm -f -- "$1"`, l.path)
	return err
}

func (l *Lease) hundredths() string {
	return strconv.FormatInt(int64(l.ttl/(10*time.Millisecond)), 10)
}

// args are what daemonStart must know of a lease: path, ttl in hundredths of a second, and the interval of its checks in
// seconds (a quarter of the ttl, at most one second).
func (l *Lease) args() []string {
	if l == nil {
		return []string{"", "0", "1"}
	}
	every := min(l.ttl/4, time.Second)
	return []string{l.path, l.hundredths(), strconv.FormatFloat(every.Seconds(), 'f', 3, 64)}
}

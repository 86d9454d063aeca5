package clusterenv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A DaemonSpec describes a process that is to outlive the connection that starts it.
type DaemonSpec struct {
	Name      string   // names it within Dir: letters, digits, "._-"
	Dir       string   // working directory, made if missing; relative to the home directory
	Argv      []string // program and arguments; a relative path is relative to Dir
	Env       []string // KEY=value, added to the environment
	Log       string   // file for stdout and stderr, emptied at the start; relative to Dir; default Name.log
	HoldStdin bool     // stdin never ends and takes what Daemon.Write sends; otherwise it is empty
	Lease     *Lease   // when it runs out, the process group is ended; nil: never
}

// A Daemon is a detached process on a node, in a session and process group of its own. It is known by its directory and
// name, and by the process's id and start time, so that a later process is never taken for it.
type Daemon struct {
	node       *Node
	name, dir  string
	log        string
	pid        int
	start      string // field 22 of /proc/PID/stat, in clock ticks since boot
	started    time.Time
	supervisor int
}

// Name is the daemon's name within its directory.
func (d *Daemon) Name() string { return d.name }

// PID is the process's id on the node, which is its process group's as well.
func (d *Daemon) PID() int { return d.pid }

// Dir is the working directory, absolute.
func (d *Daemon) Dir() string { return d.dir }

// Log is the path of the log on the node, absolute.
func (d *Daemon) Log() string { return d.log }

// Started is when the process began, by the node's clock.
func (d *Daemon) Started() time.Time { return d.started }

var (
	// ErrDaemonRunning marks the refusal to start a second daemon of the same directory and name.
	ErrDaemonRunning = errors.New("a daemon of this name is running")
	// ErrDaemonLost marks a daemon whose supervisor was killed: how it ended, or whether it has, is not known.
	ErrDaemonLost = errors.New("the daemon's supervisor is gone")
	// ErrDaemonEnded marks what can only be done to a running daemon.
	ErrDaemonEnded = errors.New("the daemon has ended")

	errNoStdin = errors.New("the daemon was started without HoldStdin")
)

// StartDaemon starts a daemon, in one round trip, and returns when the program has been executed. A program that does not
// exist is an error here; what else keeps it from running shows in Wait.
func StartDaemon(ctx context.Context, n *Node, spec DaemonSpec) (*Daemon, error) {
	op := "start " + spec.Name
	args, err := spec.args()
	if err != nil {
		return nil, n.failed(op, err)
	}
	out, err := n.Script(ctx, op, daemonStart, args...)
	if err != nil {
		return nil, daemonError(err)
	}
	d, err := parseDaemon(n, spec.Name, string(out))
	if err != nil {
		return nil, n.failed(op, err)
	}
	return d, nil
}

// FindDaemon finds a daemon again that was started earlier, by this process or another, and may have ended since. The error is
// compatible with errors.Is(err, fs.ErrNotExist) when none was started.
func FindDaemon(ctx context.Context, n *Node, dir, name string) (*Daemon, error) {
	op := "find daemon " + name
	if !plainName.MatchString(name) {
		return nil, n.failed(op, errName)
	}
	out, err := n.Script(ctx, op, daemonFind, nodePath(dir), name, "", "")
	if err != nil {
		return nil, daemonError(err)
	}
	d, err := parseDaemon(n, name, string(out))
	if err != nil {
		return nil, n.failed(op, err)
	}
	return d, nil
}

var (
	plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)
	envEntry  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
	errName   = errors.New("a name is made of letters, digits and ._-")
)

// args are the arguments of daemonStart.
func (s *DaemonSpec) args() ([]string, error) {
	switch {
	case !plainName.MatchString(s.Name):
		return nil, errName
	case len(s.Argv) == 0 || s.Argv[0] == "" || strings.HasPrefix(s.Argv[0], "-"):
		return nil, errors.New("no program to run")
	}
	for _, e := range s.Env {
		if !envEntry.MatchString(e) {
			return nil, fmt.Errorf("environment entry %q is not KEY=value", e)
		}
	}
	log, hold := s.Log, "0"
	if log == "" {
		log = s.Name + ".log"
	}
	if s.HoldStdin {
		hold = "1"
	}
	args := []string{nodePath(s.Dir), s.Name, log, hold}
	args = append(args, s.Lease.args()...)
	args = append(args, strconv.Itoa(len(s.Env)))
	args = append(args, s.Env...)
	return append(args, s.Argv...), nil
}

// nodePath makes a path that no program takes for an option; "" is the home directory.
func nodePath(path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	return "./" + path
}

// parseDaemon reads what daemonStart and daemonFind print: "PID START TIME SUPERVISOR", directory and log, each ended by NUL.
func parseDaemon(n *Node, name, out string) (*Daemon, error) {
	f := strings.Split(out, "\x00")
	if len(f) != 4 || f[3] != "" {
		return nil, fmt.Errorf("unexpected answer %q", out)
	}
	num := strings.Fields(f[0])
	if len(num) != 4 {
		return nil, fmt.Errorf("unexpected answer %q", f[0])
	}
	pid, err1 := strconv.Atoi(num[0])
	started, err2 := parseClock(num[2])
	supervisor, err3 := strconv.Atoi(num[3])
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	return &Daemon{node: n, name: name, dir: f[1], log: f[2], pid: pid, start: num[1], started: started, supervisor: supervisor}, nil
}

// parseClock reads a time in seconds since 1970, with or without a fraction of up to nine digits.
func parseClock(s string) (time.Time, error) {
	sec, frac, _ := strings.Cut(s, ".")
	whole, err := strconv.ParseInt(sec, 10, 64)
	if err != nil || whole < 0 || whole > math.MaxInt32*64 {
		return time.Time{}, fmt.Errorf("time %q", s)
	}
	if len(frac) > 9 {
		return time.Time{}, fmt.Errorf("time %q", s)
	}
	nano, err := strconv.ParseUint(frac+strings.Repeat("0", 9-len(frac)), 10, 32)
	if err != nil {
		return time.Time{}, fmt.Errorf("time %q", s)
	}
	return time.Unix(whole, int64(nano)), nil
}

// daemonError puts an exit status of the daemon scripts into words.
func daemonError(err error) error {
	var op *OpError
	var exit *ExitError
	if !errors.As(err, &op) || !errors.As(err, &exit) || exit.Signal != "" {
		return err
	}
	cause := map[int]error{
		exitNone:    fs.ErrNotExist,
		exitLost:    ErrDaemonLost,
		exitEnded:   ErrDaemonEnded,
		exitRunning: ErrDaemonRunning,
		exitNoStdin: errNoStdin,
	}[exit.Status]
	if cause == nil {
		return err
	}
	return &OpError{Node: op.Node, Op: op.Op, Err: cause}
}

package clusterenv

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// An Exit is how a daemon ended.
type Exit struct {
	Status    int    // exit status; meaningless when Signal is set
	Signal    string // name without SIG of the signal that ended it, or ""
	LeaseLost bool   // it was ended because its lease ran out or was released
	Started   time.Time
	Ended     time.Time // both by the node's clock
}

// Err is nil for exit status 0, or an *ExitError.
func (e Exit) Err() error {
	if e.Status == 0 && e.Signal == "" {
		return nil
	}
	return &ExitError{Status: e.Status, Signal: e.Signal}
}

// String is "exit status 139" or "signal KILL".
func (e Exit) String() string {
	s := (&ExitError{Status: e.Status, Signal: e.Signal}).Error()
	if e.LeaseLost {
		s += " (its lease was lost)"
	}
	return s
}

// Wait blocks until the daemon has ended, with all its output in the log. It holds a session on the connection; the node
// reports the end as it happens.
func (d *Daemon) Wait(ctx context.Context) (Exit, error) {
	return d.end(ctx, "wait for "+d.name, "")
}

// Stop ends the daemon's process group: TERM, and KILL after grace. Of a daemon that has ended it returns how; it never
// signals another process that has got the same id.
func (d *Daemon) Stop(ctx context.Context, grace time.Duration) (Exit, error) {
	op := "stop " + d.name
	type end struct {
		exit Exit
		err  error
	}
	ended := make(chan end, 1)
	go func() {
		exit, err := d.end(ctx, op, "TERM")
		ended <- end{exit, err}
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case e := <-ended:
		if errors.Is(e.err, ErrDaemonLost) {
			return e.exit, errors.Join(e.err, d.killAlone(ctx, grace))
		}
		return e.exit, e.err
	case <-timer.C:
	}
	if err := d.Signal(ctx, "KILL"); err != nil {
		return Exit{}, err
	}
	e := <-ended
	return e.exit, e.err
}

// Signal sends a signal, named without SIG, to the daemon's process group, if the daemon still runs.
func (d *Daemon) Signal(ctx context.Context, name string) error {
	if !plainName.MatchString(name) {
		return d.node.failed("signal "+d.name, errName)
	}
	_, err := d.script(ctx, "signal "+d.name, daemonSignal, name)
	return daemonError(err)
}

// killAlone ends a process group that nobody supervises.
func (d *Daemon) killAlone(ctx context.Context, grace time.Duration) error {
	tenths := max(1, int(grace/(100*time.Millisecond)))
	_, err := d.node.Script(ctx, "kill "+d.name, killGroup, strconv.Itoa(d.pid), d.start, strconv.Itoa(tenths))
	return err
}

// end sends the signal, if any, waits for the end and returns it.
func (d *Daemon) end(ctx context.Context, op, signal string) (Exit, error) {
	out, err := d.node.hinted(ctx, HintEnd, op, daemonWait, d.args(signal)...)
	if err != nil {
		return Exit{}, daemonError(err)
	}
	exit, err := parseExit(string(out))
	if err != nil {
		return Exit{}, d.node.failed(op, err)
	}
	exit.Started = d.started
	return exit, nil
}

// script runs one of the scripts that begin with daemonHere.
func (d *Daemon) script(ctx context.Context, op, script string, args ...string) ([]byte, error) {
	return d.node.Script(ctx, op, script, d.args(args...)...)
}

func (d *Daemon) args(more ...string) []string {
	return append([]string{d.dir, d.name, strconv.Itoa(d.pid), d.start}, more...)
}

// parseExit reads what daemonWait prints: "STATUS SIGNAL TIME", and perhaps a line "expired".
func parseExit(out string) (Exit, error) {
	line, rest, _ := strings.Cut(out, "\n")
	f := strings.Fields(line)
	if len(f) != 3 || rest != "" && rest != "expired\n" {
		return Exit{}, fmt.Errorf("unexpected exit file %q", out)
	}
	status, err := strconv.Atoi(f[0])
	if err != nil || status < 0 || status > 255 {
		return Exit{}, fmt.Errorf("unexpected exit file %q", out)
	}
	ended, err := parseClock(f[2])
	if err != nil {
		return Exit{}, fmt.Errorf("exit file: %w", err)
	}
	exit := Exit{Status: status, Ended: ended, LeaseLost: rest != ""}
	if f[1] != "-" {
		exit.Signal = f[1]
	}
	return exit, nil
}

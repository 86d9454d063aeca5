// Cluster makes cluster files (docs/cluster.md) and uses them without a test.
//
//	cluster import [-like FILE] [-name NAME] [-user USER] [-network LAN] MANIFEST   a CloudLab manifest to a cluster file
//	cluster show                                                                     the nodes, as a table
//	cluster check                                                                    every mistake in the file, with its line
//	cluster ssh-config                                                               OpenSSH configuration for the nodes
//	cluster exec [-nodes a,b] [-role cn] [-timeout D] COMMAND [ARG...]               a command on all nodes at once
//	cluster facts                                                                    what each node is
//
// The cluster file is $CLUSTER, or the one that -f names, before the subcommand's arguments. COMMAND and its arguments reach
// the nodes as they are; a shell is asked for by name: cluster exec sh -c 'df -h /tmp | tail -1'.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// errReported is an error whose text has been printed already.
var errReported = errors.New("reported")

// usageError is a mistake on the command line.
type usageError struct{ error }

// A program is one execution, with what it reads and writes.
type program struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	dial   clusterenv.Dialer
}

// commands are the subcommands, by name.
var commands = map[string]func(*program, []string) error{
	"import": (*program).importManifest, "show": (*program).show, "check": (*program).check, "ssh-config": (*program).sshConfig,
	"exec": (*program).exec, "facts": (*program).facts,
}

const usage = `usage: cluster import [-like FILE] [-name NAME] [-user USER] [-network LAN] MANIFEST >cluster.yaml
       cluster show|check|ssh-config|facts [-f FILE]
       cluster exec [-f FILE] [-nodes a,b] [-role mn|cn|client|spare] [-timeout D] COMMAND [ARG...]
FILE is $CLUSTER by default; MANIFEST may be - for the standard input.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := &program{ctx: ctx, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, dial: clusterenv.DialSSH}
	os.Exit(p.run(os.Args[1:]))
}

// run executes a command line and returns the exit status: 1 if something failed, 2 if the command line is wrong.
func (p *program) run(args []string) int {
	if len(args) == 0 {
		fmt.Fprint(p.stderr, usage)
		return 2
	}
	command, ok := commands[args[0]]
	if !ok {
		fmt.Fprint(p.stderr, usage)
		if strings.TrimLeft(args[0], "-") == "help" || args[0] == "-h" {
			return 0
		}
		return 2
	}
	err := command(p, args[1:])
	var wrong usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintf(p.stderr, "cluster %s: %v\n%s", args[0], err, usage)
		return 2
	case !errors.Is(err, errReported):
		fmt.Fprintf(p.stderr, "cluster %s: %v\n", args[0], err)
	}
	return 1
}

// parse reads the flags of a subcommand that wants at least and at most so many arguments; most is -1 for any number.
func (p *program) parse(f *flag.FlagSet, args []string, least, most int) error {
	f.SetOutput(io.Discard)
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(p.stdout, usage)
		return err
	case err != nil:
		return usageError{err}
	case f.NArg() < least || most >= 0 && f.NArg() > most:
		return usageError{fmt.Errorf("%d arguments", f.NArg())}
	}
	return nil
}

// file adds the flag -f.
func file(f *flag.FlagSet) *string { return f.String("f", os.Getenv("CLUSTER"), "cluster file") }

// load reads the cluster file.
func load(name string) (*clusterenv.Spec, error) {
	if name == "" {
		return nil, usageError{errors.New("no cluster file: set CLUSTER, or give -f FILE")}
	}
	return clusterenv.Load(name)
}

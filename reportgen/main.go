package main

import (
	"fmt"
	"io"
	"os"

	"github.com/gotestbed/gotestbed/reportgen/render"
)

// Exit statuses.
const (
	statusOK    = 0
	statusInput = 1 // an input could not be read, or held nothing
	statusUsage = 2
)

// A command is one of the things that reportgen does. It returns the exit status.
type command func(args []string, stdin io.Reader, stdout, stderr io.Writer) int

// commands are named by the first argument; without such a name, reportgen makes the report.
var commands = map[string]command{
	"claims":  claimsCommand,
	"compare": compareCommand,
	"explain": explainCommand,
	"watch":   watchCommand,
}

func main() { os.Exit(reportgen(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// reportgen is the program.
func reportgen(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		if run, ok := commands[args[0]]; ok {
			return run(args[1:], stdin, stdout, stderr)
		}
	}
	return reportCommand(args, stdin, stdout, stderr)
}

// complain writes an error that ends the program.
func complain(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "reportgen: %s\n", render.Clean(err.Error()))
	return statusInput
}

package main

import (
	"errors"
	"flag"
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

func main() { os.Exit(reportgen(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// reportgen is the program: it reads every RUN, prints the tables and returns the exit status.
func reportgen(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out, names, err := parseFlags(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return statusOK
	case err != nil:
		return statusUsage
	}
	status := statusOK
	var inputs []*input
	for _, name := range names {
		in, err := read(name, stdin)
		if err != nil {
			fmt.Fprintf(stderr, "reportgen: %s\n", render.Clean(err.Error()))
			status = statusInput
		}
		if in != nil {
			inputs = append(inputs, in)
		}
	}
	if err := printTables(stdout, inputs); err != nil {
		fmt.Fprintf(stderr, "reportgen: %v\n", err)
		return statusInput
	}
	for _, in := range inputs {
		if !explain(stderr, in) {
			status = statusInput
		}
	}
	if err := writeFiles(out, inputs, stderr); err != nil {
		fmt.Fprintf(stderr, "reportgen: %v\n", err)
		return statusInput
	}
	return status
}

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

const usage = `Usage: reportgen [-o DIR] RUN...

Prints the tables of each RUN in Markdown. A RUN is a run directory (out/demo), a directory of the older shell scripts, a
go test -json stream (events.json), a file in the Go benchmark format (results.txt), or - for the standard input.

  -o DIR   also write each experiment's .md, .csv, .attempts.csv, .faults.csv and .tex, and a results.txt for
           benchstat, to DIR; with several runs, to DIR/<run>

Examples:
  reportgen out/demo
  go test -tags local -timeout 0 -json ./e2e/... | reportgen -
  reportgen -o paper out/demo

Exit status: 0 if tables were made, even of a run that failed; 1 if an input could not be read or held nothing;
2 if the command line is wrong.
`

var errUsage = errors.New("usage")

// parseFlags returns the directory of -o, empty without it, and the RUNs. It has printed what is wrong if it fails.
func parseFlags(args []string, stderr io.Writer) (out string, names []string, err error) {
	flags := flag.NewFlagSet("reportgen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage) }
	flags.StringVar(&out, "o", "", "")
	if err := flags.Parse(args); err != nil {
		return "", nil, err
	}
	stdin := 0
	for _, name := range flags.Args() {
		if name == "-" {
			stdin++
		}
	}
	switch {
	case flags.NArg() == 0:
		fmt.Fprintf(stderr, "reportgen: no RUN given\n%s", usage)
		return "", nil, errUsage
	case stdin > 1:
		fmt.Fprintf(stderr, "reportgen: - is given %d times; there is one standard input\n", stdin)
		return "", nil, errUsage
	}
	return out, flags.Args(), nil
}

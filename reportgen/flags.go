package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

const usage = `Usage: reportgen [-o DIR] [-format FORMAT] [-claims FILE] [-check] RUN...
       reportgen compare|claims|explain|watch -h

Prints the tables of each RUN in Markdown. A RUN is a run directory (out/demo), a directory of the older shell scripts, a
go test -json stream (events.json), a file in the Go benchmark format (results.txt), or - for the standard input.

  -o DIR   also write the whole report to DIR: report.html and report.md, each table as .md, .csv and .tex, each figure as
           .pdf, .svg and .png, macros.tex with every number, and a results.txt for benchstat; of further runs, to DIR/<run>
  -format FORMAT   markdown, or github: a job summary on stdout, and annotations on stderr (docs/github.md)
  -claims FILE     print the verdicts on a paper's claims below the tables (docs/claims.md)
  -check           fail unless every claim is supported (in claims.yaml, if no -claims names another)

Examples:
  reportgen out/demo
  go test -tags local -timeout 0 -json ./e2e/... | reportgen -
  reportgen -o paper out/demo

Exit status: 0 if tables were made, even of a run that failed; 1 if an input could not be read or held nothing;
2 if the command line is wrong; 3 if -check fails.
`

var errUsage = errors.New("usage")

// options are what the command line of a report says.
type options struct {
	out    string   // the directory of -o, empty without it
	format string   // markdown or github
	claims string   // the file of -claims, empty without it
	check  bool     // that the claims are supported
	names  []string // the RUNs
}

// parseFlags returns the options. It has printed what is wrong if it fails.
func parseFlags(args []string, stderr io.Writer) (*options, error) {
	var o options
	flags := flag.NewFlagSet("reportgen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage) }
	flags.StringVar(&o.out, "o", "", "")
	flags.StringVar(&o.format, "format", formatMarkdown, "")
	flags.StringVar(&o.claims, "claims", "", "")
	flags.BoolVar(&o.check, "check", false, "")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if o.names = flags.Args(); o.check && o.claims == "" {
		o.claims = claimsFile
	}
	stdin := 0
	for _, name := range o.names {
		if name == "-" {
			stdin++
		}
	}
	switch {
	case len(o.names) == 0:
		fmt.Fprintf(stderr, "reportgen: no RUN given\n%s", usage)
		return nil, errUsage
	case stdin > 1:
		fmt.Fprintf(stderr, "reportgen: - is given %d times; there is one standard input\n", stdin)
		return nil, errUsage
	case o.format != formatMarkdown && o.format != formatGitHub:
		fmt.Fprintf(stderr, "reportgen: -format %s: there are %s and %s\n", o.format, formatMarkdown, formatGitHub)
		return nil, errUsage
	}
	return &o, nil
}

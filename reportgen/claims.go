package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/claims"
	"github.com/gotestbed/gotestbed/reportgen/page"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

const claimsUsage = `Usage: reportgen claims [-f FILE] [-check] [-format FORMAT] RUN...

Holds the claims of a paper to the numbers of runs, and prints a verdict on each: supported, not supported, too little data, or
not comparable. docs/claims.md describes the file.

  -f FILE          the claims (default claims.yaml)
  -check           fail unless every claim that can be compared is supported
  -format FORMAT   markdown, latex, html or csv (default markdown)

Examples:
  reportgen claims out/demo
  reportgen claims -check -f paper/claims.yaml out/v27

Exit status: 0; 1 if an input cannot be read; 2 if the command line is wrong; 3 if -check fails.
`

// statusClaims says that a claim is not supported.
const statusClaims = 3

// claimsFile is where claims are looked for.
const claimsFile = "claims.yaml"

// claimsCommand prints the verdicts.
func claimsCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := newFlags("claims", claimsUsage, stderr)
	file := flags.String("f", claimsFile, "")
	format := flags.String("format", "markdown", "")
	check := flags.Bool("check", false, "")
	if status, ok := parse(flags, args); !ok {
		return status
	}
	if flags.NArg() == 0 {
		return wrong(stderr, claimsUsage, "no RUN given")
	}
	if !slices.Contains(append(page.Formats, "csv"), *format) {
		return wrong(stderr, claimsUsage, "-format %s: there are %s and csv", *format, strings.Join(page.Formats, ", "))
	}
	inputs, status := readAll(flags.Args(), stdin, stderr)
	if status != statusOK {
		return status
	}
	holds, err := printClaims(stdout, stderr, *file, *format, inputs)
	if err != nil {
		return complain(stderr, err)
	}
	if *check && !holds {
		return statusClaims
	}
	return statusOK
}

// printClaims prints the verdicts on the claims of a file, counts them on stderr, and reports whether they hold.
func printClaims(stdout, stderr io.Writer, file, format string, inputs []*input) (holds bool, err error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	list, err := claims.Parse(file, f)
	if err != nil {
		return false, err
	}
	var runs []*results.Run
	for _, in := range inputs {
		runs = append(runs, in.runs...)
	}
	judgements := list.Judge(runs)
	if format == "csv" {
		err = claims.WriteCSV(stdout, list, judgements)
	} else {
		err = claims.Document(list, judgements).Write(stdout, format)
	}
	if err != nil {
		return false, fmt.Errorf("claims: %w", err)
	}
	say(stderr, "%s: %s", file, claims.Tally(judgements))
	return claims.Hold(judgements), nil
}

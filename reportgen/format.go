package main

import (
	"io"

	"github.com/gotestbed/gotestbed/reportgen/github"
)

// What a report is printed as.
const (
	formatMarkdown = "markdown"
	formatGitHub   = "github"
)

// printReport prints the tables, or the job summary with its annotations.
func printReport(o *options, inputs []*input, stdout, stderr io.Writer) error {
	if o.format == formatMarkdown {
		return printTables(stdout, inputs)
	}
	var list []github.Input
	for _, in := range inputs {
		list = append(list, github.Input{Name: in.name, Runs: in.runs, Tests: in.tests})
	}
	if err := github.Summary(stdout, list); err != nil {
		return err
	}
	return github.Annotations(stderr, list)
}

// checkClaims prints the verdicts below the tables, if they are asked for, and changes the status if a check fails.
func checkClaims(o *options, inputs []*input, stdout, stderr io.Writer, status int) (int, error) {
	if o.claims == "" {
		return status, nil
	}
	if _, err := io.WriteString(stdout, "\n"); err != nil {
		return status, err
	}
	holds, err := printClaims(stdout, stderr, o.claims, formatMarkdown, inputs)
	if err == nil && o.check && !holds && status == statusOK {
		status = statusClaims
	}
	return status, err
}

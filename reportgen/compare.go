package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/compare"
	"github.com/gotestbed/gotestbed/reportgen/page"
)

const compareUsage = `Usage: reportgen compare [-format FORMAT] [-metric NAME,...] OLD NEW...

Sets the cells of runs side by side, by experiment and metric: medians, the change from OLD, and whether the reps show one. What
differs in plan, program or cluster is said first. OLD and NEW are what reportgen reads; an input that holds several runs gives all
of them, and the first run of all is the one that the others are compared to.

  -format FORMAT   markdown, latex, html or csv (default markdown); csv has every metric in full precision
  -metric NAME,... only these metrics, or all (default: throughput, rate, atomics, balance, SGD lines, p50 and p99)

Examples:
  reportgen compare out/v26 out/v27
  reportgen compare -format html out/v26/results.txt out/v27/results.txt >versions.html
  reportgen compare -metric commit_kops,p99_us out/v25 out/v26 out/v27

Exit status: 0; 1 if an input cannot be read, or there is nothing to compare; 2 if the command line is wrong.
`

// compareCommand prints the comparison of runs.
func compareCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := newFlags("compare", compareUsage, stderr)
	format := flags.String("format", "markdown", "")
	metric := flags.String("metric", "", "")
	if status, ok := parse(flags, args); !ok {
		return status
	}
	if flags.NArg() == 0 {
		return wrong(stderr, compareUsage, "compare takes an OLD and one NEW or more")
	}
	if !slices.Contains(append(page.Formats, "csv"), *format) {
		return wrong(stderr, compareUsage, "-format %s: there are %s and csv", *format, strings.Join(page.Formats, ", "))
	}
	inputs, status := readAll(flags.Args(), stdin, stderr)
	if status != statusOK {
		return status // a missing run would shift the others' columns
	}
	c, err := compare.New(sourcesOf(inputs, stderr))
	if err != nil {
		return complain(stderr, err)
	}
	var metrics []string
	if *metric != "" {
		metrics = strings.Split(*metric, ",")
	}
	if unknown := c.Unknown(metrics); len(unknown) > 0 {
		return complain(stderr, fmt.Errorf("no run has the metric %s", strings.Join(unknown, ", ")))
	}
	if *format == "csv" {
		err = c.WriteCSV(stdout)
	} else {
		err = c.Document(metrics).Write(stdout, *format)
	}
	if err != nil {
		return complain(stderr, err)
	}
	return status
}

// sourcesOf are all runs of all inputs, with names that tell them apart, and says what was odd in reading them.
func sourcesOf(inputs []*input, stderr io.Writer) []compare.Source {
	var list []compare.Source
	count := map[string]int{}
	for _, in := range inputs {
		for _, run := range in.runs {
			for _, warning := range run.Warnings {
				say(stderr, "%s: %s", in.name, warning)
			}
			count[run.ID]++
			list = append(list, compare.Source{Name: run.ID, Run: run})
		}
	}
	at := 0
	used := map[string]int{}
	for _, in := range inputs {
		for range in.runs {
			s := &list[at]
			if at++; s.Name == "" || count[s.Name] > 1 {
				s.Name = cmp.Or(filepath.ToSlash(filepath.Clean(in.name)), s.Name)
			}
			if used[s.Name]++; used[s.Name] > 1 {
				s.Name = fmt.Sprintf("%s (%d)", s.Name, used[s.Name])
			}
		}
	}
	return list
}

// newFlags returns the flags of a subcommand, which prints its usage.
func newFlags(name, usage string, stderr io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet("reportgen "+name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage) }
	return flags
}

// parse parses the flags; if ok is false the program ends with the status.
func parse(flags *flag.FlagSet, args []string) (status int, ok bool) {
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return statusOK, false
	case err != nil:
		return statusUsage, false
	}
	return statusOK, true
}

// wrong says what is wrong with the command line.
func wrong(stderr io.Writer, usage, format string, args ...any) int {
	say(stderr, "reportgen: "+format, args...)
	fmt.Fprint(stderr, usage)
	return statusUsage
}

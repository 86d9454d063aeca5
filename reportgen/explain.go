package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/report"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

const explainUsage = `Usage: reportgen explain [-json] RUN EXPERIMENT/CELL METRIC

Prints every number that one number of a table was made of, with the file and line that it was read from and the text that
stands there. RUN is what reportgen reads; the text is known of run directories only.

Examples:
  reportgen explain out/demo step6/full_v27 commit_kops
  reportgen explain -json out/demo step6/full_v27 atomic_per_txn

Exit status: 0; 1 if the run cannot be read or has no such number; 2 if the command line is wrong.
`

// explainCommand prints the origins of one number of a table.
func explainCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("reportgen explain", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, explainUsage) }
	asJSON := flags.Bool("json", false, "")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return statusOK
	} else if err != nil {
		return statusUsage
	}
	experiment, cell, ok := strings.Cut(flags.Arg(1), "/")
	if flags.NArg() != 3 || !ok {
		fmt.Fprintf(stderr, "reportgen: explain takes a RUN, EXPERIMENT/CELL and METRIC\n%s", explainUsage)
		return statusUsage
	}
	inputs, status := readAll(flags.Args()[:1], stdin, stderr)
	if len(inputs) == 0 {
		return status
	}
	e, err := explain(inputs[0].runs, experiment, cell, flags.Arg(2))
	if err != nil {
		return complain(stderr, err)
	}
	if *asJSON {
		err = e.WriteJSON(stdout)
	} else {
		err = e.WriteText(stdout)
	}
	if err != nil {
		return complain(stderr, err)
	}
	return status
}

// explain looks the number up in the first run that has it.
func explain(runs []*results.Run, experiment, cell, metric string) (*report.Explanation, error) {
	err := errors.New("no run in it")
	for _, run := range runs {
		e, problem := report.Explain(run, experiment, cell, metric)
		if problem == nil {
			return e, nil
		}
		err = problem
	}
	return nil, err
}

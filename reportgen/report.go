package main

import (
	"errors"
	"flag"
	"io"
)

// reportCommand reads every RUN, prints the tables, says what there is to say about the reading, and writes the files of -o.
func reportCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseFlags(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return statusOK
	case err != nil:
		return statusUsage
	}
	inputs, status := readAll(o.names, stdin, stderr)
	if err := printReport(o, inputs, stdout, stderr); err != nil {
		return complain(stderr, err)
	}
	for _, in := range inputs {
		if !messages(stderr, in) {
			status = statusInput
		}
	}
	if err := writeFiles(o.out, inputs, stderr); err != nil {
		return complain(stderr, err)
	}
	if status, err = checkClaims(o, inputs, stdout, stderr, status); err != nil {
		return complain(stderr, err)
	}
	return status
}

// readAll reads the inputs; what cannot be read is said, and changes the status.
func readAll(names []string, stdin io.Reader, stderr io.Writer) (inputs []*input, status int) {
	for _, name := range expand(names) {
		in, err := read(name, stdin)
		if err != nil {
			status = complain(stderr, err)
		}
		if in != nil {
			inputs = append(inputs, in)
		}
	}
	return inputs, status
}

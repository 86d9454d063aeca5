package verbs

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNoData says that the input holds nothing of the tool's output.
	ErrNoData = errors.New("no usable output")
	// ErrToolMissing says that the shell did not find the tool (exit status 127).
	ErrToolMissing = errors.New("tool not found")
	// ErrPermission says that the tool or a file may not be used by this user.
	ErrPermission = errors.New("permission denied")
)

// An InputError reports an input from which a parser could take nothing. It is compatible with
// errors.Is(err, ErrNoData), and with ErrToolMissing or ErrPermission where a line says so.
type InputError struct {
	Tool    string // whose output was expected
	Missing string // what was looked for and not found
	Lines   int    // lines read
	First   string // the first line that is not blank, shortened
	Cause   error  // ErrToolMissing, ErrPermission or nil
}

func (e *InputError) Error() string {
	msg := e.Tool + ": "
	if e.Cause != nil {
		msg += e.Cause.Error() + ": "
	}
	if e.First == "" {
		return msg + "no " + e.Missing + ": the input is empty"
	}
	return fmt.Sprintf("%sno %s in %d lines that begin with %q", msg, e.Missing, e.Lines, e.First)
}

// Is makes every InputError an ErrNoData.
func (e *InputError) Is(target error) bool { return target == ErrNoData }

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Cause }

// A SyntaxError reports a line that belongs to the tool's output but cannot be read.
type SyntaxError struct {
	Tool string
	Line int // from 1
	Msg  string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s: line %d: %s", e.Tool, e.Line, e.Msg) }

// A BadLine is a line that a parser passed over although it should have been able to read it.
type BadLine struct {
	Line int    // from 1
	Text string // shortened
}

// inputError returns the error for an input without anything of the tool's output.
func (l *lines) inputError(tool, missing string) error {
	if l.err != nil {
		return fmt.Errorf("%s: read: %w", tool, l.err)
	}
	return &InputError{Tool: tool, Missing: missing, Lines: l.num, First: shorten(l.first), Cause: l.deny}
}

// refusals are the words of shells and tools, in the languages met, for a tool that could not run.
var refusals = []struct {
	words string
	err   error
}{
	{"command not found", ErrToolMissing},
	{"Befehl nicht gefunden", ErrToolMissing},
	{"commande introuvable", ErrToolMissing},
	{": not found", ErrToolMissing},
	{"Permission denied", ErrPermission},
	{"Operation not permitted", ErrPermission},
	{"Keine Berechtigung", ErrPermission},
	{"Permission non accordée", ErrPermission},
	{"Operation nicht erlaubt", ErrPermission},
	{"a password is required", ErrPermission},
}

func refusal(line string) error {
	for _, r := range refusals {
		if strings.Contains(line, r.words) {
			return r.err
		}
	}
	return nil
}

// shorten bounds a quoted line to 120 bytes.
func shorten(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

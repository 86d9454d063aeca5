package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

const sanityFile = "sanity.json"

// maxChecks bounds what is kept of sanity.json.
const maxChecks = 10_000

// An Answer is what a check found out.
type Answer string

// The answers. Unknown never counts as Yes.
const (
	Yes     Answer = "yes"
	No      Answer = "no"
	Unknown Answer = "unknown"
	Skipped Answer = "skipped"
)

// A Check is one question that was asked about one node before the run.
type Check struct {
	Check  string `json:"check"` // port active
	Node   string `json:"node"`  // empty: the cluster as a whole
	Answer Answer `json:"answer"`
	Reason string `json:"reason"` // what shows it, on one line
	Cure   string `json:"cure"`   // what helps, where the answer is not yes
	Line   int    `json:"-"`      // of sanity.json
}

// A Sanity is what the checks before a run found.
type Sanity struct {
	Time   string // RFC 3339, driver's clock
	Checks []Check
}

// readSanity reads sanity.json; a missing one is no error, and what cannot be understood of it is a warning.
func (r *Run) readSanity() error {
	data, err := readBounded(filepath.Join(r.Dir, sanityFile), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s, warnings := parseSanity(data)
	for _, w := range warnings {
		r.warn("%s", w)
	}
	r.Sanity = s
	return nil
}

// parseSanity returns nil, with a warning, for what is no such file; single checks that cannot be used are left out.
func parseSanity(data []byte) (*Sanity, []string) {
	var file struct {
		Time   string            `json:"time"`
		Checks []json.RawMessage `json:"checks"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, []string{jsonError(sanityFile, data, err).Error()}
	}
	s := &Sanity{Time: file.Time}
	var warnings []string
	at := 0
	for i, text := range file.Checks {
		if i == maxChecks {
			return s, append(warnings, fmt.Sprintf("%s:%d: more than %d checks: the rest was dropped", sanityFile, lineAt(data, at), maxChecks))
		}
		at += max(0, bytes.Index(data[at:], text))
		c, problem := parseCheck(text)
		if problem != "" {
			warnings = append(warnings, fmt.Sprintf("%s:%d: %s", sanityFile, lineAt(data, at), problem))
		} else {
			c.Line = lineAt(data, at)
			s.Checks = append(s.Checks, c)
		}
		at += len(text)
	}
	return s, warnings
}

// parseCheck returns the check, or what is wrong with it.
func parseCheck(text []byte) (c Check, problem string) {
	if err := json.Unmarshal(text, &c); err != nil {
		return Check{}, "check dropped: " + err.Error()
	}
	if strings.TrimSpace(c.Check) == "" {
		return Check{}, "check dropped: it has no name"
	}
	if !slices.Contains([]Answer{Yes, No, Unknown, Skipped}, c.Answer) {
		c.Reason = strings.TrimSpace("answer " + string(c.Answer) + ": " + c.Reason)
		c.Answer = Unknown
	}
	return c, ""
}

package crestlog

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
)

const (
	maxTailLines = 10
	maxTailBytes = 4 << 10
)

// describe collects what the logs say about themselves.
func (c *Cell) describe(f *files) {
	for _, p := range f.all() {
		c.Logs++
		if c.System == "" {
			c.System = p.log.System
		}
		c.Warnings = append(c.Warnings, p.log.Warnings...)
		c.badLines(p.log.Name, p.log.Bad, p.log.BadLines)
	}
	for _, d := range f.details {
		if d != nil {
			c.badLines(d.Name, d.Bad, d.BadLines)
		}
	}
}

// badLines warns of the first bad lines of a file and counts the others.
func (c *Cell) badLines(name string, bad []*SyntaxError, n int) {
	const shown = 3
	for _, e := range bad[:min(shown, len(bad))] {
		c.Warnings = append(c.Warnings, e.Error())
	}
	if n > shown {
		c.warn("%s: %d more bad lines", name, n-shown)
	}
}

// conclude decides whether the result is complete, and finds the reason and the last lines to show when it is not.
func (c *Cell) conclude(f *files) {
	c.Complete = true
	p, reason := f.missing()
	if reason == "" {
		p, reason = f.inconsistent()
	} else if q, cause := f.cause(); cause != "" {
		p, reason = q, cause
	}
	if reason == "" {
		c.warnOfErrors(f)
		return
	}
	c.Complete, c.Reason = false, reason
	if p.log != nil {
		c.Tail = tail(filepath.Join(f.dir, path.Base(p.log.Name)))
	}
}

// warnOfErrors names the errors in the logs of a cell that has its result all the same.
func (c *Cell) warnOfErrors(f *files) {
	for _, p := range f.all() {
		if l := p.log; l.Error != "" && l.ErrorLine > 0 {
			c.warn("%s:%d: %s", l.Name, l.ErrorLine, l.ErrorText)
		}
	}
}

// missing names the first process whose part of the result is not there. The reason is empty if the result is complete.
func (f *files) missing() (process, string) {
	if f.client != nil {
		return resultOf(process{RoleClient, f.client})
	}
	if len(f.cns) == 0 {
		return process{name: RoleMN, log: f.mn}, "no log of a client or a compute node in " + f.rel
	}
	for i, l := range f.cns {
		p := process{fmt.Sprintf("cn%d", i), l}
		if l == nil {
			return p, fmt.Sprintf("%s: m_%s.log is missing", p.name, p.name)
		}
		if p, reason := resultOf(p); reason != "" {
			return p, reason
		}
	}
	return process{}, ""
}

// resultOf says what a log lacks of a result.
func resultOf(p process) (process, string) {
	l, base := p.log, path.Base(p.log.Name)
	switch {
	case l.Complete && l.CommitKOPS.OK():
		return p, ""
	case l.Lines == 0:
		return p, fmt.Sprintf("%s: %s is empty", p.name, base)
	case l.Complete:
		return p, fmt.Sprintf("%s: the summary in %s has no committed throughput", p.name, base)
	case l.Tried.OK():
		return p, fmt.Sprintf("%s: the summary in %s is cut off after line %d", p.name, base, l.Tried.Line)
	}
	return p, fmt.Sprintf("%s: no summary in the %d lines of %s", p.name, l.Lines, base)
}

// cause finds the log line that explains why there is no result: an error comes before a run that merely stood still.
func (f *files) cause() (process, string) {
	for _, p := range f.all() {
		if l := p.log; l.Error != "" && l.ErrorLine > 0 {
			return p, fmt.Sprintf("%s: %s (%s:%d)", p.name, l.ErrorText, path.Base(l.Name), l.ErrorLine)
		}
	}
	for _, p := range f.all() {
		if p.log.Error == ErrNoProgress {
			return p, fmt.Sprintf("%s: nothing committed in %d intervals, no summary in %s", p.name, p.log.Intervals, path.Base(p.log.Name))
		}
	}
	return process{}, ""
}

// inconsistent finds a failed consistency check.
func (f *files) inconsistent() (process, string) {
	for _, p := range f.all() {
		if !p.log.Consistent() {
			return p, fmt.Sprintf("%s: consistency: %s (%s:%d)", p.name, p.log.Consistency, path.Base(p.log.Name), p.log.ConsistencyLine)
		}
	}
	return process{}, ""
}

// tail returns the last lines of a file as text that may be shown, nil if it cannot be read.
func tail(name string) []string {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	from := max(0, info.Size()-maxTailBytes)
	data, err := io.ReadAll(io.NewSectionReader(f, from, maxTailBytes))
	if err != nil {
		return nil
	}
	if i := bytes.IndexByte(data, '\n'); from > 0 && i >= 0 {
		data = data[i+1:]
	}
	var text []string
	for line := range bytes.Lines(data) {
		if s := sanitise(bytes.TrimRight(line, "\r\n"), maxTailBytes); s != "" {
			text = append(text, s)
		}
	}
	return text[max(0, len(text)-maxTailLines):]
}

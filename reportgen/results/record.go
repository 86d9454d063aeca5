package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/crestlog"
	"github.com/gotestbed/gotestbed/reportgen/internal/lines"
)

const maxRecord = 16 << 20 // bytes of a run.json or cell.json

// readRunFile reads run.json and reports whether it is there. One that cannot be understood is a warning: the
// journal says enough.
func (r *Run) readRunFile() (bool, error) {
	data, err := readBounded(filepath.Join(r.Dir, runFile), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var info struct {
		Version     int               `json:"version"`
		ID          string            `json:"id"`
		Started     string            `json:"started"`
		Tag         string            `json:"tag"`
		Recording   string            `json:"recording"`
		System      string            `json:"system"`
		Go          string            `json:"go"`
		Commit      string            `json:"commit"`
		Cluster     ClusterInfo       `json:"cluster"`
		Binaries    map[string]string `json:"binaries"`
		Experiments []Experiment      `json:"experiments"`
	}
	if err := json.Unmarshal(data, &info); err != nil {
		r.warn("%v", jsonError(runFile, data, err))
		var mismatch *json.UnmarshalTypeError
		if !errors.As(err, &mismatch) {
			return true, nil
		}
	}
	if info.Version != 1 {
		r.warn("%s: version %d: this program knows version 1", runFile, info.Version)
	}
	if info.ID != "" {
		r.ID = info.ID
	}
	r.Recording = info.Recording
	r.Tag, r.System, r.Experiments = info.Tag, info.System, info.Experiments
	r.Started, r.Go, r.Commit, r.Binaries = info.Started, info.Go, info.Commit, info.Binaries
	r.Cluster, r.Profile, r.Site, r.Nodes = info.Cluster.Name, info.Cluster.Profile, info.Cluster.Site, info.Cluster.Nodes
	for i := range r.Experiments {
		r.Experiments[i].planned()
	}
	return true, nil
}

// jsonError gives an error of encoding/json the line that it is about.
func jsonError(name string, data []byte, err error) error {
	offset := int64(len(data))
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &mismatch):
		offset = mismatch.Offset
	}
	return &crestlog.SyntaxError{File: name, Line: lineAt(data, int(offset)), Msg: err.Error()}
}

// lineAt returns the line, from 1, of the byte at that offset.
func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], newline)
}

// key names an attempt.
type key struct {
	experiment, cell string
	rep, try         int
}

// event is one line of the journal.
type event struct {
	Event      string `json:"event"`
	Experiment string `json:"experiment"`
	Cell       string `json:"cell"`
	Rep        int    `json:"rep"`
	Try        int    `json:"try"`
	Verdict    string `json:"verdict"`
	Reason     string `json:"reason"`
	Dir        string `json:"dir"`
}

// readJournal replays the changes of state. What an attempt ends in is what its last line says.
func (r *Run) readJournal(src io.Reader) error {
	in := lines.New(src)
	b := builder{run: r, at: map[key]*Attempt{}}
	for in.Next() {
		var e event
		err := json.Unmarshal(in.Bytes(), &e)
		where := fmt.Sprintf("%s:%d", journalFile, in.Number())
		switch {
		case in.TooLong():
			r.warn("%s: line is longer than %d bytes", where, lines.MaxLine)
		case err != nil && in.Torn():
			r.warn("%s: the last line is torn and was dropped", where)
		case err != nil:
			r.warn("%s: %v", where, err)
		default:
			b.apply(e, where)
		}
	}
	b.finish()
	if err := in.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", journalFile, in.Number()+1, err)
	}
	return nil
}

// builder collects attempts in the order in which they are first named.
type builder struct {
	run     *Run
	at      map[key]*Attempt
	keys    []key
	started int
}

// attempt returns the attempt of that name, which it adds if it is new.
func (b *builder) attempt(k key) *Attempt {
	a := b.at[k]
	if a == nil {
		a = &Attempt{Cell: k.cell, Rep: k.rep, Try: k.try, Position: -1, Verdict: NotRun}
		b.at[k] = a
		b.keys = append(b.keys, k)
	}
	return a
}

func (b *builder) apply(e event, where string) {
	if e.Event == "run-ended" {
		if e.Reason != "" {
			b.run.warn("%s: the run was cut short: %s", where, e.Reason)
		}
		return
	}
	k := key{e.Experiment, e.Cell, e.Rep, max(1, e.Try)}
	if k.experiment == "" || k.cell == "" || k.rep < 0 {
		b.run.warn("%s: event %q does not say which attempt", where, e.Event)
		return
	}
	switch e.Event {
	case "planned":
		b.attempt(k)
	case "started":
		a := b.attempt(k)
		a.Verdict, a.Reason, a.Position, a.Dir = Unfinished, "", b.started, e.Dir
		b.started++
	case "ended":
		b.end(b.attempt(k), e, where)
	default:
		b.run.warn("%s: unknown event %q", where, e.Event)
	}
}

func (b *builder) end(a *Attempt, e event, where string) {
	v := Verdict(e.Verdict)
	if !v.ended() {
		b.run.warn("%s: unknown verdict %q", where, e.Verdict)
		return
	}
	a.Verdict, a.Reason = v, strings.TrimSpace(e.Reason)
}

// ended reports whether v is a verdict that an attempt can end with.
func (v Verdict) ended() bool { return v == Pass || v == Fail || v == Infra || v == Invalid }

// finish hands the attempts over to their experiments.
func (b *builder) finish() {
	for _, k := range b.keys {
		e := b.run.experiment(k.experiment)
		e.cell(k.cell)
		e.Attempts = append(e.Attempts, *b.at[k])
	}
}

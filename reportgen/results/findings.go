package results

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// maxFindings and maxEvidence bound what is kept of an attempt, and of each of its findings.
const (
	maxFindings = 50
	maxEvidence = 20
)

// A Finding is a fault that explains why an attempt did not pass, as the fixtures found it: an entry of `findings` in
// cell.json, or an attribute gotestbed.finding.<n>. Its texts are as they were written; who prints them cleans them.
type Finding struct {
	Fault    string     `json:"fault"` // slug: its heading in docs/faults.md
	Title    string     `json:"title"`
	Node     string     `json:"node"`
	Process  string     `json:"process"`
	Cause    string     `json:"cause"`
	Cure     string     `json:"cure"`
	Evidence []Evidence `json:"evidence"`
	Certain  bool       `json:"certain"` // false: the evidence fits another fault as well
	Follows  string     `json:"follows"` // slug of the fault that it follows from; empty if none
}

// Evidence is what shows a fault. Line counts from 1; it is 0 when the text is not a line of a file, and File then says
// where it comes from ("cn1: dmesg").
type Evidence struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// String reads "step6/a2_rep0/m_cn1.log:12: Connection refused".
func (e Evidence) String() string {
	switch {
	case e.File == "":
		return e.Text
	case e.Line <= 0:
		return e.File + ": " + e.Text
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
}

// takeFindings keeps the findings, in their order, of an attempt that ended and did not pass. where names what they were
// read from.
func (a *Attempt) takeFindings(list []json.RawMessage, where string) {
	if a.Verdict == Pass || !a.Verdict.ended() {
		return
	}
	for i, text := range list {
		if len(a.Findings) == maxFindings {
			a.warn("%s: %d more findings were dropped", where, len(list)-i)
			return
		}
		var f Finding
		err := json.Unmarshal(text, &f)
		if err == nil && strings.TrimSpace(f.Fault) == "" {
			err = fmt.Errorf("it names no fault")
		}
		if err != nil {
			a.warn("%s: finding %d: %v", where, i+1, err)
			continue
		}
		f.Evidence = f.Evidence[:min(len(f.Evidence), maxEvidence)]
		a.Findings = append(a.Findings, f)
	}
}

// findings returns the attributes finding.1, finding.2, … of a test, up to the first that is missing.
func (t *test) findings() []json.RawMessage {
	var list []json.RawMessage
	for n := 1; ; n++ {
		text, ok := t.attrs["finding."+strconv.Itoa(n)]
		if !ok {
			return list
		}
		list = append(list, json.RawMessage(text))
	}
}

package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Recorded is the content of one file: what one node was asked.
type Recorded struct {
	Header   Header
	Node     string
	Requests []*Request // in the order in which they ended
}

// Read reads the file of one node. An error that is not one of the file system is a *FormatError.
func Read(path string) (*Recorded, error) {
	data, err := readFile(path)
	var bad *FormatError
	if err == nil {
		rec, ferr := parse(data)
		if ferr == nil {
			return rec, nil
		}
		bad = ferr
	} else if !errors.As(err, &bad) {
		return nil, err
	}
	bad.File = path
	bad.Remedy = remedy(filepath.Dir(path), tagOf(data))
	return nil, bad
}

// readFile reads a file of bounded size.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if len(data) > maxFile {
		return nil, &FormatError{Offset: maxFile, Msg: fmt.Sprintf("larger than %d MiB", maxFile>>20)}
	}
	return data, err
}

// tagOf looks for the tag in the header of a file that is not to be trusted.
func tagOf(data []byte) string {
	head, _, _ := bytes.Cut(data[:min(len(data), 64<<10)], []byte("\n\n"))
	for line := range strings.Lines(string(head)) {
		if q, ok := strings.CutPrefix(strings.TrimSpace(line), "tag: "); ok {
			tag, err := strconv.Unquote(q)
			if err == nil && valueName.MatchString(tag) {
				return tag
			}
		}
	}
	return ""
}

// parse reads a whole file.
func parse(data []byte) (*Recorded, *FormatError) {
	if err := checkVersion(data); err != nil {
		return nil, err
	}
	content, serr := checkSum(data)
	if content == nil {
		return nil, serr
	}
	p := &parser{cursor: cursor{data: content}}
	rec := p.file()
	if serr != nil && p.err != nil {
		serr.Offset = p.err.Offset // the first thing that makes no sense is nearer to the edit than the end
		return nil, serr
	}
	if err := errors.Join(asError(serr), asError(p.err)); err != nil {
		if serr != nil {
			return nil, serr
		}
		return nil, p.err
	}
	return rec, nil
}

func asError(err *FormatError) error {
	if err == nil {
		return nil
	}
	return err
}

func checkVersion(data []byte) *FormatError {
	line, _, whole := bytes.Cut(data[:min(len(data), 80)], []byte("\n"))
	number, ours := strings.CutPrefix(string(line), magic)
	v, err := strconv.Atoi(number)
	switch {
	case len(data) == 0:
		return &FormatError{Msg: "empty"}
	case !ours || !whole || err != nil:
		return &FormatError{Msg: fmt.Sprintf("not a recording: it does not begin with %q", magic)}
	case v > version:
		return &FormatError{Msg: fmt.Sprintf("version %d, made by a newer gotestbed; this one reads version %d", v, version)}
	case v < 1:
		return &FormatError{Msg: fmt.Sprintf("version %d", v)}
	}
	return nil
}

// checkSum returns what stands before the trailer, with an error if that is not what it was; nil if there is no trailer.
func checkSum(data []byte) ([]byte, *FormatError) {
	const size = len(trailerKey) + 64 + 1
	at := len(data) - size
	if at < 1 || data[at-1] != '\n' || !bytes.HasPrefix(data[at:], []byte(trailerKey)) || data[len(data)-1] != '\n' {
		return nil, &FormatError{Offset: int64(len(data)), Msg: "cut short: the checksum at the end is missing"}
	}
	if string(data[at:]) != trailer(data[:at]) {
		return data[:at], &FormatError{Offset: int64(at), Msg: "was edited or damaged: it does not agree with its checksum"}
	}
	return data[:at], nil
}

// A parser reads what an encoder wrote.
type parser struct {
	cursor
	texts map[string]string
}

func (p *parser) file() *Recorded {
	rec := &Recorded{}
	p.header(&rec.Header)
	rec.Node = rec.Header.node
	p.texts = map[string]string{}
	for p.err == nil && p.at < len(p.data) {
		switch {
		case p.peek("text"):
			p.text()
		default:
			rec.Requests = append(rec.Requests, p.request())
		}
		if line := p.next(); line != "" {
			p.fail(p.line, "%.40q where an empty line has to stand", line)
		}
	}
	return rec
}

func (p *parser) header(h *Header) {
	p.next() // the version
	*h = Header{Tools: map[string]string{}, Flags: map[string]string{}, standIns: map[string]string{}}
	for p.err == nil {
		line := p.next()
		if line == "" {
			break
		}
		key, q, _ := strings.Cut(line, ": ")
		p.headerLine(h, key, p.only(q))
	}
	if p.err == nil && (h.Test == "" || h.node == "" || h.run == "" || h.Date.IsZero()) {
		p.fail(p.line, "the header has no test, node, run or date")
	}
}

func (p *parser) headerLine(h *Header, key, value string) {
	group, name, _ := strings.Cut(key, ".")
	switch {
	case key == "test":
		h.Test = value
	case key == "node":
		h.node = value
	case key == "cluster":
		h.Cluster = value
	case key == "tag":
		h.Tag = value
	case key == "run":
		h.run = value
	case key == "spec":
		h.spec = value
	case key == "command":
		h.Command = append(h.Command, value)
	case key == "date":
		var err error
		if h.Date, err = time.Parse(time.RFC3339, value); err != nil {
			p.fail(p.line, "%v", err)
		}
	case group == "tool":
		h.Tools[name] = value
	case group == "flag":
		h.Flags[name] = value
	case group == "value" && valueName.MatchString(name):
		h.standIns[name] = value
	default:
		p.fail(p.line, "unknown key %.40q in the header", key)
	}
}

func (p *parser) text() {
	id, size, _ := strings.Cut(p.word("text"), " ")
	text := string(p.body(size))
	if p.err == nil && textID(text) != id {
		p.fail(p.line, "text %.16q does not have this digest", id)
	}
	p.texts[id] = text
}

func (p *parser) request() *Request {
	if rest := p.word("request"); rest != "" {
		p.fail(p.line, "%.40q after the word request", rest)
	}
	r := &Request{Input: Input{Kind: InputNone}, Form: FormPlain}
	r.Scope = p.only(p.word("scope"))
	r.Began, r.Ended = p.pair(p.word("order"))
	at, took, _ := strings.Cut(p.word("time"), " ")
	r.At, r.Took = p.seconds(at), p.seconds(took)
	for p.peek("arg") {
		r.Argv = append(r.Argv, p.arg(p.word("arg")))
	}
	if p.peek("input") {
		p.input(&r.Input)
	}
	p.end(&r.End)
	if p.peek("form") {
		p.files(r)
	}
	if p.peek("chunks") {
		p.chunks(r)
	}
	if rest := p.word("done"); rest != "" {
		p.fail(p.line, "%.40q after the end of a request", rest)
	}
	return r
}

func (p *parser) pair(s string) (int, int) {
	a, b, _ := strings.Cut(s, " ")
	return int(p.number(a, math.MaxInt32)), int(p.number(b, math.MaxInt32))
}

func (p *parser) seconds(s string) time.Duration {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= 0 && f < 1e9) {
		p.fail(p.line, "%.40q is not a time in seconds", s)
		return 0
	}
	return time.Duration(math.Round(f*1e6)) * time.Microsecond
}

func (p *parser) arg(s string) string {
	id, long := strings.CutPrefix(s, "text ")
	if !long {
		return p.only(s)
	}
	text, known := p.texts[id]
	if !known {
		p.fail(p.line, "text %.16q does not stand before", id)
	}
	return text
}

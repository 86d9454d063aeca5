package verbs

import (
	"io"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ParsePerftest reads what the bandwidth and latency tools of perftest print (src/perftest_parameters.c,
// versions 3 to 25), of either end or of both, with prompts, quoting marks and warnings in between; and their JSON file
// (--out_json), which was not valid JSON before 2024-01. A failed run is a value with Failure
// set; an input that holds nothing of perftest is an error.
func ParsePerftest(r io.Reader) (Perftest, error) {
	l := newLines(r)
	p := perftext{}
	for l.next() {
		text := strings.TrimSpace(mailQuote.ReplaceAllString(l.text, ""))
		p.line(text, l.num, l.cut)
		if len(p.Rows) > maxItems {
			return Perftest{}, &SyntaxError{"perftest", l.num, "too many rows"}
		}
	}
	if p.json != nil && !p.json.done {
		p.readJSON()
	}
	if l.err != nil || !p.seen() {
		return Perftest{}, l.inputError("perftest", "title, result or error of perftest")
	}
	p.finish()
	p.Truncated = p.Truncated || l.partial()
	return p.Perftest, nil
}

// perftext is the state between lines.
type perftext struct {
	Perftest
	json    *perfJSON
	columns []string // titles of the last table
	side    string   // whose results the table holds: local, remote or both
	end     string   // whose address was printed last
	headers int
	titles  int
	waiting bool
	closed  bool // a rule after the last row
	cut     bool // a row ends before its last column
}

var (
	mailQuote = regexp.MustCompile(`^\s*(?:>\s?)+`)
	perfEcho  = regexp.MustCompile(`(?:^|[#$%>\]]\s*)(?:sudo |time |timeout \S+ )*(?:\S*/)?((?:ib_(?:write|read|send|atomic)|raw_ethernet)_(?:bw|lat))\b(.*)$`)
	perfTitle = regexp.MustCompile(`^((?:RDMA_Write|RDMA_Read|RDMA_Write_IMM|Send|Atomic)\b.*) Test$`)
	perfRule  = regexp.MustCompile(`^-{20,}$`)
	perfParam = regexp.MustCompile(`(Device|Number of qps|Transport type|Connection type|Link type|Mtu|GID index|Gid index)\s*:\s*([\w.-]+)`)
	perfAddr  = regexp.MustCompile(`^(local|remote) address:`)
	perfGID   = regexp.MustCompile(`^GID: ([0-9:]+)$`)
	perfDur   = regexp.MustCompile(`(?:^|\s)(?:-\w*D|--duration)(?:[ =]?\d|\s)`)
)

// line takes one line. The order matters: a warning must not be taken for a row.
func (p *perftext) line(text string, num int, last bool) {
	switch {
	case text == "":
	case p.json != nil || strings.HasPrefix(text, "{") && !p.seen():
		p.jsonLine(text)
	case perfRule.MatchString(text):
		p.closed = len(p.Rows) > 0 && !p.cut
	case perfTitle.MatchString(text):
		p.title(text)
	case strings.HasPrefix(text, "#bytes"):
		p.columns = perfColumns(text)
		p.headers++
		p.closed = false
	case p.columns != nil && isRow(text):
		p.row(text, last)
	case p.notice(text):
	case p.failure(text, num):
	default:
		p.banner(text)
	}
}

func (p *perftext) title(text string) {
	p.titles++
	if p.Title == "" {
		p.Title = text
		p.Bidirectional = strings.Contains(text, "Bidirectional")
	}
}

// notice takes the lines that change how the numbers are to be read.
func (p *perftext) notice(text string) bool {
	switch {
	case strings.HasPrefix(text, "Conflicting CPU frequency"):
		p.flag(FlagCPUFrequency)
	case strings.Contains(text, "CPU is not PCIe relaxed ordering compliant"):
		p.flag(FlagNoRelaxed)
	case strings.Contains(text, "Waiting for client"):
		p.waiting = true
	case strings.HasPrefix(text, "Local results"):
		p.side = "local"
	case strings.HasPrefix(text, "Remote results"):
		p.side = "remote"
	default:
		return false
	}
	return true
}

func (p *perftext) failure(text string, num int) bool {
	if s := killed(text); s != "" {
		p.Signal = s
		return true
	}
	if p.Failure != nil {
		p.Failure.more(text)
	}
	f, ok := perfFailure(text, num)
	if ok && p.Failure == nil {
		p.Failure = f
		f.more(text)
	}
	return ok
}

// killed names the signal that a shell reports, as in `Segmentation fault (core dumped)`.
func killed(text string) string {
	for words, signal := range map[string]string{"Segmentation fault": "SIGSEGV", "Aborted": "SIGABRT", "Bus error": "SIGBUS", "Killed": "SIGKILL"} {
		if text == words || strings.HasPrefix(text, words+" (core dumped)") {
			return signal
		}
	}
	return ""
}

// echoed finds the command on a line that a terminal echoed.
func echoed(text string) []string {
	if !strings.Contains(text, "_bw") && !strings.Contains(text, "_lat") {
		return nil
	}
	return perfEcho.FindStringSubmatch(text)
}

// banner takes the parameters, the addresses and the command that a terminal echoed.
func (p *perftext) banner(text string) {
	if m := echoed(text); m != nil {
		if p.Tool == "" {
			p.Tool = m[1]
		}
		if perfDur.MatchString(m[2]) {
			p.flag(FlagDuration)
		}
		return
	}
	if m := perfAddr.FindStringSubmatch(text); m != nil {
		p.end = m[1]
		return
	}
	if m := perfGID.FindStringSubmatch(text); m != nil {
		p.gid(m[1])
		return
	}
	if !strings.Contains(text, ": ") {
		return
	}
	for _, m := range perfParam.FindAllStringSubmatch(text, -1) {
		p.param(m[1], m[2])
	}
}

func (p *perftext) param(key, value string) {
	set := func(field *string) {
		if *field == "" {
			*field = value
		}
	}
	switch key {
	case "Device":
		set(&p.Device)
	case "Transport type":
		set(&p.Transport)
	case "Connection type":
		set(&p.Conn)
	case "Link type":
		set(&p.Link)
	case "Number of qps":
		p.QPs = firstInt(p.QPs, value)
	case "GID index", "Gid index":
		p.GIDIndex = firstInt(p.GIDIndex, value)
	case "Mtu":
		if n, ok := number(value, 16); ok && p.MTU == nil {
			m := MTU(n)
			p.MTU = &m
		}
	}
}

// firstInt keeps the first value.
func firstInt(old *int, value string) *int {
	n, err := strconv.Atoi(value)
	if old != nil || err != nil || n < 0 {
		return old
	}
	return &n
}

// gid takes a GID, printed as sixteen decimal octets.
func (p *perftext) gid(text string) {
	f := strings.Split(text, ":")
	var b [16]byte
	if len(f) != len(b) {
		return
	}
	for i, s := range f {
		n, err := strconv.ParseUint(s, 10, 8)
		if err != nil {
			return
		}
		b[i] = byte(n)
	}
	a := netip.AddrFrom16(b)
	switch {
	case p.end == "remote" && !p.Remote.IsValid():
		p.Remote = a
	case p.end == "local" && !p.Local.IsValid():
		p.Local = a
	}
}

// seen reports whether anything of perftest was found.
func (p *perftext) seen() bool {
	return p.titles > 0 || p.headers > 0 || p.Failure != nil || p.waiting || p.json != nil && (len(p.Rows) > 0 || p.Title != "")
}

// finish draws the conclusions that need the whole capture.
func (p *perftext) finish() {
	if tool := perfTool(p.Title, p.Conn); tool != "" {
		p.Tool = tool
	}
	p.merge()
	switch same := p.Local.IsValid() && p.Local == p.Remote; {
	case same && p.titles > 1:
		p.flag(FlagLoopback)
	case same:
		p.flag(FlagSameGID)
	}
	running := p.titles > 0 || p.headers > 0
	p.Waiting = p.waiting && !running && p.Failure == nil
	switch {
	case p.json != nil:
		p.Truncated = !p.json.done || p.json.over
	case running && p.Failure == nil:
		p.Truncated = !p.closed || p.titles == 0 || p.cut
	}
	for i := range p.Rows {
		p.Rows[i].guessUnit()
	}
}

// merge drops what the second of two ends in one terminal repeats.
func (p *perftext) merge() {
	if p.headers < 2 || p.titles < 2 {
		return
	}
	var rows []PerfRow
	for _, r := range p.Rows {
		if !slices.ContainsFunc(rows, r.equal) {
			rows = append(rows, r)
		}
	}
	p.Rows = rows
}

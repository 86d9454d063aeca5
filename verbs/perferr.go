package verbs

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// PerfCause classifies why a run failed.
type PerfCause string

// The causes of failure.
const (
	CauseMR         PerfCause = "mr"         // memory registration: memlock limit, memory, MR table
	CauseConnect    PerfCause = "connect"    // TCP side channel: no server there, firewall, name
	CauseQPRTR      PerfCause = "qp-rtr"     // queue pair to RTR: mostly a wrong or missing GID
	CauseQP         PerfCause = "qp"         // queue pair in another step
	CausePortDown   PerfCause = "port-down"  // the link is down: cable, switch, netdev not up
	CauseCompletion PerfCause = "completion" // a work request completed with an error
	CauseDevice     PerfCause = "device"     // no such device, or it cannot be opened
	CauseGID        PerfCause = "gid"        // GID index without GID, or of another type than the peer's
	CauseCM         PerfCause = "rdma-cm"    // address or route resolution, or a refused rdma_cm connection
	CauseExchange   PerfCause = "exchange"   // the peer went away while parameters were exchanged
	CauseResources  PerfCause = "resources"  // CQ, PD, buffers
	CauseArguments  PerfCause = "arguments"  // options that do not go together, or unlike on the two ends
)

// A PerfFailure is the first error of a run, with what its lines tell.
type PerfFailure struct {
	Cause PerfCause
	Line  int    // from 1
	Text  string // the line, shortened

	Peer        string  // connect: host:port
	Port        int     // port-down: which; 0 unknown
	Device      string  // device: which
	Errno       *int    // mr, where the tool prints it
	WCStatus    *int    // completion: enum ibv_wc_status, 12 is "transport retry counter exceeded"
	VendorError string  // completion: as printed, 0x81
	Posted      *uint64 // completion: requests posted
	Completed   *uint64 // completion: requests that had succeeded
}

// perfErrors are the messages of perftest and of the verbs examples, the specific before the general.
var perfErrors = []struct {
	re    *regexp.Regexp
	cause PerfCause
}{
	{regexp.MustCompile(`(?i)couldn't allocate MR(?: with error=(?P<errno>\d+))?|failed to create mr|couldn't register MR`), CauseMR},
	{regexp.MustCompile(`Couldn't connect to (?P<peer>\S+:\d+)|Unable to open file descriptor for socket connection|Couldn't listen to port|Unable to init the socket connection`), CauseConnect},
	{regexp.MustCompile(`Failed to modify (?:\w+ )?QP(?: \w+)? to RTR|Unable to Connect the HCA's through the link|Couldn't connect to remote QP`), CauseQPRTR},
	{regexp.MustCompile(`Failed to modify (?:\w+ )?QP(?: \w+)? to \w+|Unable to create QP|Couldn't create QP|Failed to create QP`), CauseQP},
	{regexp.MustCompile(`Port number (?P<port>\d+) state is \w+`), CausePortDown},
	{regexp.MustCompile(`Completion wi?th error at|Failed status .*\(\d+\) for wr_id|parse WC failed`), CauseCompletion},
	{regexp.MustCompile(`IB device (?P<device>\S+) not found|Unable to find the Infiniband/RoCE device|No IB devices? found|Couldn't get context for the device|Failed to get IB devices list`), CauseDevice},
	{regexp.MustCompile(`(?i)couldn't (?:get|read) (?:local )?gid|incompatibility issue with GID types|invalid gid|failed to (?:find|get) gid|can't read sgid`), CauseGID},
	{regexp.MustCompile(`Unexpected CM event|Unable to perform rdma_client|Unable to perform rdma_server|rdma_resolve_(?:addr|route) failed|Received \d+ times ADDR_ERROR|RDMA_CM_EVENT_(?:ADDR_ERROR|ROUTE_ERROR|UNREACHABLE|REJECTED)`), CauseCM},
	{regexp.MustCompile(`Couldn't read/write remote address|Couldn't read remote address|Failed to exchange data between|Failed to exchange date between|client read/write:|Unable to (?:read|write) (?:to|from) socket`), CauseExchange},
	{regexp.MustCompile(`Couldn't create (?:CQ|IB resources)|Unable to create the resources|Couldn't allocate (?:PD|work buf)|Couldn't set the link layer`), CauseResources},
	{regexp.MustCompile(`Invalid Command line|Parser function exited with Error`), CauseArguments},
}

// perfErrWords are parts of every message above; a line without any is no error, and cheap to tell.
var perfErrWords = []string{"ailed", "ouldn't", "can't", "nable", "found", "rror", "ERROR", "state is", "nexpected",
	"ncompatib", "nvalid", "read/write", "UNREACHABLE", "REJECTED"}

// perfFailure classifies a line; ok is false when it is no error.
func perfFailure(text string, num int) (*PerfFailure, bool) {
	if !slices.ContainsFunc(perfErrWords, func(w string) bool { return strings.Contains(text, w) }) {
		return nil, false
	}
	for _, e := range perfErrors {
		m := e.re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		f := &PerfFailure{Cause: e.cause, Line: num, Text: shorten(text)}
		for i, name := range e.re.SubexpNames() {
			f.detail(name, m[i])
		}
		return f, true
	}
	return nil, false
}

func (f *PerfFailure) detail(name, value string) {
	if value == "" {
		return
	}
	switch name {
	case "peer":
		f.Peer = value
	case "port":
		f.Port = small(value, 255)
	case "device":
		f.Device = value
	case "errno":
		if n, err := strconv.Atoi(value); err == nil {
			f.Errno = &n
		}
	}
}

var (
	wcStatus = regexp.MustCompile(`Failed status (\d+): wr_id -?\d+ syndrom (0x[0-9a-fA-F]+)`)
	wcPosted = regexp.MustCompile(`scnt=(\d+), ccnt=(\d+)`)
	wcWords  = regexp.MustCompile(`Failed status .*\((\d+)\) for wr_id`)
)

// more adds the lines that follow a completion error.
func (f *PerfFailure) more(text string) {
	if f.Cause != CauseCompletion {
		return
	}
	if m := wcStatus.FindStringSubmatch(text); m != nil && f.WCStatus == nil {
		f.setStatus(m[1])
		f.VendorError = m[2]
	}
	if m := wcWords.FindStringSubmatch(text); m != nil && f.WCStatus == nil {
		f.setStatus(m[1])
	}
	if m := wcPosted.FindStringSubmatch(text); m != nil && f.Posted == nil {
		if a, ok := decimal(m[1]); ok {
			f.Posted = &a
		}
		if b, ok := decimal(m[2]); ok {
			f.Completed = &b
		}
	}
}

func (f *PerfFailure) setStatus(s string) {
	if n, err := strconv.Atoi(s); err == nil {
		f.WCStatus = &n
	}
}

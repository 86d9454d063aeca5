package recording

import (
	"fmt"
	"time"

	"github.com/gotestbed/gotestbed/clusterenv"
)

const (
	version = 1
	magic   = "gotestbed recording "

	// maxBody bounds what one request may carry in one stream or file, in bytes.
	maxBody = 64 << 20
	// maxPlain bounds what all requests of a file may carry, in bytes before compression.
	maxPlain = 512 << 20
	// maxFile bounds a file, in bytes.
	maxFile = 256 << 20
	// keptInput is the length up to which the input of a request is kept, in bytes, and not only its digest.
	keptInput = 64 << 10
	// maxInput is the length up to which values and secrets are taken out of an input before its digest is made, in bytes.
	maxInput = 1 << 20
	// longArg is the length from which an argument is kept once for all requests of a file, in bytes.
	longArg = 200
	// smallBody is the length up to which a body is kept as it is, in bytes, for the eye.
	smallBody = 2 << 10
)

// A Header says where and when a recording was made, and of what.
type Header struct {
	Test    string    // the top-level test
	Date    time.Time // start of the run
	Cluster string    // name in the cluster file
	Tag     string    // build tag that chose the cluster: local, cloudlab, …
	Command []string  // argv of the test binary
	Tools   map[string]string
	Flags   map[string]string

	node     string
	run      string            // of one run of the tests, the same in all its files
	spec     string            // SHA-256 of the cluster file
	standIns map[string]string // of values, by name
}

// String is what every replayed test says.
func (h *Header) String() string {
	return fmt.Sprintf("RECORDING of %s on %s (%s), not your cluster", h.Date.Format(time.DateOnly), h.Cluster, h.Tag)
}

// A Request is one command and what became of it. Texts hold placeholders and replacements (docs/recordings.md).
type Request struct {
	Scope string
	Argv  []string
	Input Input

	Began, Ended int           // places in the order of all beginnings and ends of the run
	At           time.Duration // beginning, since the start of the run
	Took         time.Duration

	Output []Chunk // in order; or, for a file or archive that came whole:
	Files  []File
	Form   Form
	Line   string // before an archive

	End End
}

// An Input is what a command was given to read.
type Input struct {
	Kind   InputKind
	Size   int64
	Digest string // SHA-256 of the input as it is recorded, or, beyond 1 MiB or opaque, as it was
	Data   []byte // with InputKept
}

// An InputKind says what is known of an input, and whether it counts on replay.
type InputKind string

const (
	InputNone    InputKind = "none"
	InputKept    InputKind = "kept"
	InputDigest  InputKind = "digest"
	InputOpaque  InputKind = "opaque"  // does not count
	InputPartial InputKind = "partial" // the command ended before it was read to its end: does not count
)

// A Chunk is output as it came.
type Chunk struct {
	Stderr bool
	After  time.Duration // since the beginning of the request
	Data   []byte
}

// A Form says in which form output is kept.
type Form string

const (
	FormPlain   Form = "plain"
	FormFile    Form = "file"    // size and digest around the file are made anew on replay
	FormArchive Form = "archive" // so is the tar archive
	FormTorn    Form = "torn"    // an archive that broke off after these files
)

// A File is a file that came from a node.
type File struct {
	Name string
	Mode int64
	Data []byte
}

// An EndKind says how a request came to its end.
type EndKind string

const (
	EndExit         EndKind = "exit"         // with a status
	EndSignal       EndKind = "signal"       // by a signal
	EndDisconnected EndKind = "disconnected" // its fate is unknown
	EndCancelled    EndKind = "cancelled"    // by the test: the context ended, or what took the output had enough
	EndFailed       EndKind = "failed"       // otherwise
)

// An End is how a request came to its end.
type End struct {
	Kind    EndKind
	Status  int    // with EndExit
	Text    string // the signal's name, or the error
	AtStart bool   // the node never accepted it
}

// err is the end as a transport reports it; nil for exit status 0 and for EndCancelled.
func (e End) err() error {
	switch e.Kind {
	case EndExit:
		if e.Status != 0 {
			return &clusterenv.ExitError{Status: e.Status}
		}
	case EndSignal:
		return &clusterenv.ExitError{Signal: e.Text}
	case EndDisconnected:
		return fmt.Errorf("%w (recorded: %s)", clusterenv.ErrDisconnected, e.Text)
	case EndFailed:
		return fmt.Errorf("recorded: %s", e.Text)
	}
	return nil
}

func (e End) String() string {
	switch e.Kind {
	case EndExit:
		return fmt.Sprintf("exit status %d", e.Status)
	case EndSignal:
		return "signal " + e.Text
	}
	return string(e.Kind) + ": " + e.Text
}

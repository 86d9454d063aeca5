package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// encode writes the header, up to the empty line.
func (h *Header) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%d\n", magic, version)
	line := func(key, value string) { fmt.Fprintf(&b, "%s: %s\n", key, strconv.Quote(value)) }
	line("test", h.Test)
	line("node", h.node)
	line("date", h.Date.Format(time.RFC3339))
	line("cluster", h.Cluster)
	line("tag", h.Tag)
	for _, arg := range h.Command {
		line("command", arg)
	}
	lines := func(prefix string, m map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			line(prefix+name, m[name])
		}
	}
	lines("tool.", h.Tools)
	lines("flag.", h.Flags)
	lines("value.", h.standIns)
	line("run", h.run)
	line("spec", h.spec)
	b.WriteByte('\n')
	return b.Bytes()
}

// An encoder writes requests. Long arguments are written once.
type encoder struct {
	out   bytes.Buffer
	plain int64 // bytes of all bodies before compression
	texts map[string]bool
}

// compressor is shared; EncodeAll may be called by several at once.
var compressor = func() *zstd.Encoder {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // only options can be wrong
	}
	return enc
}()

func (e *encoder) request(r *Request) {
	for _, arg := range r.Argv {
		e.text(arg)
	}
	b := &e.out
	fmt.Fprintf(b, "request\nscope %s\n", strconv.Quote(r.Scope))
	fmt.Fprintf(b, "order %d %d\ntime %s %s\n", r.Began, r.Ended, seconds(r.At), seconds(r.Took))
	for _, arg := range r.Argv {
		if len(arg) < longArg {
			fmt.Fprintf(b, "arg %s\n", strconv.Quote(arg))
		} else {
			fmt.Fprintf(b, "arg text %s\n", textID(arg))
		}
	}
	if in := r.Input; in.Kind != InputNone {
		fmt.Fprintf(b, "input %s %d %s\n", in.Kind, in.Size, in.Digest)
		if in.Kind == InputKept {
			e.body("data", in.Data)
		}
	}
	end := strconv.Quote(r.End.Text)
	if r.End.Kind == EndExit {
		end = strconv.Itoa(r.End.Status)
	}
	fmt.Fprintf(b, "end %s %s", r.End.Kind, end)
	if r.End.AtStart {
		b.WriteString(" at start")
	}
	b.WriteByte('\n')
	e.output(r)
	b.WriteString("done\n\n")
}

func (e *encoder) output(r *Request) {
	b := &e.out
	if r.Form != FormPlain {
		fmt.Fprintf(b, "form %s %s\n", r.Form, strconv.Quote(r.Line))
		for _, f := range r.Files {
			e.body(fmt.Sprintf("file %s %o", strconv.Quote(f.Name), f.Mode), f.Data)
		}
	}
	if len(r.Output) == 0 {
		return
	}
	var streams [2][]byte
	b.WriteString("chunks")
	for _, c := range r.Output {
		name, i := "out", 0
		if c.Stderr {
			name, i = "err", 1
		}
		fmt.Fprintf(b, " %s:%d@%s", name, len(c.Data), seconds(c.After))
		streams[i] = append(streams[i], c.Data...)
	}
	b.WriteByte('\n')
	for i, name := range []string{"stdout", "stderr"} {
		if len(streams[i]) > 0 {
			e.body(name, streams[i])
		}
	}
}

// text writes an argument that is long, the first time it is seen.
func (e *encoder) text(arg string) {
	id := textID(arg)
	if len(arg) < longArg || e.texts[id] {
		return
	}
	if e.texts == nil {
		e.texts = map[string]bool{}
	}
	e.texts[id] = true
	e.body("text "+id, []byte(arg))
	e.out.WriteByte('\n')
}

// body writes a line and data. What does not get smaller is not compressed.
func (e *encoder) body(what string, data []byte) {
	e.plain += int64(len(data))
	if len(data) > smallBody {
		if packed := compressor.EncodeAll(data, nil); len(packed) < len(data)*9/10 {
			fmt.Fprintf(&e.out, "%s %d zstd %d\n%s\n", what, len(data), len(packed), packed)
			return
		}
	}
	fmt.Fprintf(&e.out, "%s %d\n%s\n", what, len(data), data)
}

func textID(arg string) string { return digest([]byte(arg))[:16] }

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// seconds writes a time with microseconds, without zeros at its end.
func seconds(d time.Duration) string {
	s := strconv.FormatFloat(d.Round(time.Microsecond).Seconds(), 'f', 6, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// trailer is the last line of a file with this content.
func trailer(content ...[]byte) string {
	sum := sha256.New()
	for _, c := range content {
		sum.Write(c)
	}
	return trailerKey + hex.EncodeToString(sum.Sum(nil)) + "\n"
}

const trailerKey = "sha256 "

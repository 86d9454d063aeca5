package recording

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

func (p *parser) input(in *Input) {
	f := strings.Fields(p.word("input"))
	if len(f) != 3 {
		p.fail(p.line, "wants a kind, a size and a digest")
		return
	}
	kinds := []InputKind{InputKept, InputDigest, InputOpaque, InputPartial}
	if in.Kind = InputKind(f[0]); !slices.Contains(kinds, in.Kind) {
		p.fail(p.line, "unknown kind of input %.40q", f[0])
	}
	in.Size, in.Digest = p.number(f[1], 1<<50), f[2]
	if in.Kind == InputKept {
		in.Data = p.body(p.word("data"))
	}
}

func (p *parser) end(end *End) {
	kind, rest, _ := strings.Cut(p.word("end"), " ")
	if rest, end.AtStart = strings.CutSuffix(rest, " at start"); kind == string(EndExit) {
		end.Status = int(p.number(rest, 255))
	} else {
		end.Text = p.only(rest)
	}
	end.Kind = EndKind(kind)
	if !slices.Contains([]EndKind{EndExit, EndSignal, EndDisconnected, EndCancelled, EndFailed}, end.Kind) {
		p.fail(p.line, "unknown end %.40q", kind)
	}
}

// files reads what came as a file or an archive.
func (p *parser) files(r *Request) {
	form, line, _ := strings.Cut(p.word("form"), " ")
	r.Form, r.Line = Form(form), p.only(line)
	if !slices.Contains([]Form{FormFile, FormArchive, FormTorn}, r.Form) {
		p.fail(p.line, "unknown form %.40q", form)
	}
	for p.peek("file") {
		name, rest := p.quoted(p.word("file"))
		mode, size, _ := strings.Cut(rest, " ")
		m, err := strconv.ParseInt(mode, 8, 16)
		if err != nil || m < 0 {
			p.fail(p.line, "%.40q is not a mode", mode)
		}
		r.Files = append(r.Files, File{Name: name, Mode: m, Data: p.body(size)})
	}
	if r.Form == FormFile && len(r.Files) != 1 {
		p.fail(p.line, "form file with %d files", len(r.Files))
	}
}

// chunks reads the table of chunks and the streams that it cuts.
func (p *parser) chunks(r *Request) {
	var lengths []int64
	var sizes [2]int64
	for f := range strings.FieldsSeq(p.word("chunks")) {
		name, rest, _ := strings.Cut(f, ":")
		size, after, _ := strings.Cut(rest, "@")
		i := slices.Index([]string{"out", "err"}, name)
		if i < 0 {
			p.fail(p.line, "unknown stream %.40q", f)
			return
		}
		n := p.number(size, maxBody)
		sizes[i] += n
		lengths = append(lengths, n)
		r.Output = append(r.Output, Chunk{Stderr: i == 1, After: p.seconds(after)})
	}
	var streams [2][]byte
	for i, name := range []string{"stdout", "stderr"} {
		if sizes[i] > 0 {
			streams[i] = p.body(p.word(name))
			if p.err == nil && int64(len(streams[i])) != sizes[i] {
				p.fail(p.line, "%s has %d bytes, its chunks have %d", name, len(streams[i]), sizes[i])
			}
		}
	}
	if p.err == nil {
		cutChunks(r.Output, lengths, streams)
	}
}

// cutChunks gives each chunk its part of its stream.
func cutChunks(chunks []Chunk, lengths []int64, streams [2][]byte) {
	for i := range chunks {
		c, n, from := &chunks[i], lengths[i], 0
		if c.Stderr {
			from = 1
		}
		c.Data, streams[from] = streams[from][:n:n], streams[from][n:]
	}
}

// readExactly reads all of r, which has to be size bytes. It never allocates much more than it reads.
func readExactly(r io.Reader, size int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, size+1))
	if err != nil {
		return nil, fmt.Errorf("compressed data: %w", err)
	}
	if int64(len(data)) != size {
		return nil, fmt.Errorf("compressed data has not the announced %d bytes", size)
	}
	return data, nil
}

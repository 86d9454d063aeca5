package recording

import (
	"strings"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// request makes what is written of a capture that has ended.
func (c *capture) request(red *redactor, end End) *Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hint == clusterenv.HintIdentity && end == (End{Kind: EndExit}) {
		if lines := strings.Split(string(c.streams[0]), "\n"); len(lines) > 1 {
			red.learnHome(c.node, lines[0], lines[1])
		}
	}
	r := &Request{Scope: c.scope, Input: c.input.seen().recorded(c.hint, c.opaque, red), Form: FormPlain, End: end}
	for _, arg := range c.argv {
		r.Argv = append(r.Argv, red.text(arg))
	}
	if end.Text != "" && end.Kind != EndSignal {
		r.End.Text = red.text(end.Text)
	}
	inFiles := c.files(r, red)
	r.Output = mapChunks(c.cut(inFiles), red.bytes)
	return r
}

// files takes files out of stdout where it is known to hold some.
func (c *capture) files(r *Request, red *redactor) bool {
	out := c.streams[0]
	switch c.hint {
	case clusterenv.HintFileOut:
		f, ok := takeFile(out)
		if ok {
			r.Form, r.Files = FormFile, []File{f}
		}
	case clusterenv.HintArchive:
		line, files, whole, ok := takeArchive(out)
		if ok {
			r.Form, r.Line, r.Files = FormArchive, line, files
			if !whole {
				r.Form = FormTorn
			}
		}
	}
	for i := range r.Files {
		f := &r.Files[i]
		f.Name, f.Data = red.text(f.Name), red.bytes(f.Data, nil)
	}
	return r.Form != FormPlain
}

// cut makes chunks of the streams.
func (c *capture) cut(onlyStderr bool) []Chunk {
	var chunks []Chunk
	var from [2]int
	for _, p := range c.chunks {
		i := 0
		if p.stderr {
			i = 1
		}
		to := from[i] + p.length
		if p.stderr || !onlyStderr {
			chunks = append(chunks, Chunk{Stderr: p.stderr, After: p.after, Data: c.streams[i][from[i]:to]})
		}
		from[i] = to
	}
	return chunks
}

// mapChunks changes both streams, each as one text, and cuts them where they were cut. What f finds may lie across several chunks.
func mapChunks(chunks []Chunk, f func(data []byte, cuts []int) []byte) []Chunk {
	var mapped []Chunk
	var streams [2][]byte
	var cuts [2][]int
	for _, c := range chunks {
		i := c.stream()
		streams[i] = append(streams[i], c.Data...)
		cuts[i] = append(cuts[i], len(streams[i]))
	}
	for i := range streams {
		streams[i] = f(streams[i], cuts[i])
	}
	var from [2]int
	for _, c := range chunks {
		i := c.stream()
		to := cuts[i][0]
		cuts[i] = cuts[i][1:]
		if to > from[i] {
			mapped = append(mapped, Chunk{Stderr: c.Stderr, After: c.After, Data: streams[i][from[i]:to]})
			from[i] = to
		}
	}
	return mapped
}

func (c Chunk) stream() int {
	if c.Stderr {
		return 1
	}
	return 0
}

// name is a command as an error shows it: a script by its name.
func (c *capture) name() string { return nameOf(c.argv) }

// nameOf is the name of a script (sh -c text name), or else the command line; its first line, of bounded length.
func nameOf(argv []string) string {
	if len(argv) > 3 && argv[0] == "sh" && argv[1] == "-c" {
		argv = argv[3:4]
	}
	name, _, _ := strings.Cut(strings.Join(argv, " "), "\n")
	if len(name) > 80 {
		name = strings.ToValidUTF8(name[:77], "") + "…"
	}
	return name
}

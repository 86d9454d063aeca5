package verbs

import (
	"io"
	"regexp"
	"strings"
)

// A File is a text file of a host.
type File struct{ Name, Text string }

// Files are several files from one command, so that one round trip is enough.
type Files struct {
	Files     []File
	Failed    []FailedFile // could not be opened, with the reason
	Truncated bool         // parts were too long to read
}

var (
	fileHead   = regexp.MustCompile(`^==> (.+) <==$`)
	fileFailed = regexp.MustCompile(`^(?:tail|head): (?:cannot open|error reading) (.+?)(?: for reading)?: (.+)$`)
)

// ParseFiles reads `tail -v -n +1 FILE…` (GNU coreutils, src/tail.c): before each file stands a line with its name, after
// each but the last a blank line, which is removed. Escape codes and CR are removed as everywhere.
func ParseFiles(r io.Reader) (Files, error) {
	l := newLines(r)
	var out Files
	var text strings.Builder
	flush := func() {
		if n := len(out.Files); n > 0 {
			out.Files[n-1].Text = text.String()
		}
		text.Reset()
	}
	for l.next() {
		if m := fileHead.FindStringSubmatch(l.text); m != nil && len(out.Files) < maxItems {
			if t := text.String(); t == "\n" || strings.HasSuffix(t, "\n\n") {
				text.Reset()
				text.WriteString(t[:len(t)-1])
			}
			flush()
			out.Files = append(out.Files, File{Name: m[1]})
			continue
		}
		if m := fileFailed.FindStringSubmatch(l.text); m != nil && len(out.Failed) < maxItems {
			out.Failed = append(out.Failed, FailedFile{unquote(m[1]), m[2], l.num})
			continue
		}
		if len(out.Files) > 0 {
			text.WriteString(l.text + "\n")
		}
	}
	flush()
	if l.err != nil || len(out.Files)+len(out.Failed) == 0 {
		return Files{}, l.inputError("tail -v", "file")
	}
	out.Truncated = l.partial()
	return out, nil
}

// Grub returns the files of GRUB's configuration among them, for ParseGrub.
func (f Files) Grub() []GrubFile {
	var out []GrubFile
	for _, file := range f.Files {
		if file.Name == "/etc/default/grub" || strings.HasPrefix(file.Name, "/etc/default/grub.d/") {
			out = append(out, GrubFile{file.Name, strings.NewReader(file.Text)})
		}
	}
	return out
}

package recording

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Rewrite changes the requests in a file and gives it a checksum that agrees. It is for tests that ask whether a test depends on what
// was recorded: with one byte changed, or one request taken out, it should fail.
func Rewrite(path string, edit func([]*Request) []*Request) error {
	rec, err := Read(path)
	if err != nil {
		return err
	}
	e := &encoder{}
	for _, r := range edit(rec.Requests) {
		e.request(r)
	}
	head := rec.Header.encode()
	data := slices.Concat(head, e.out.Bytes(), []byte(trailer(head, e.out.Bytes())))
	temp := filepath.Join(filepath.Dir(path), ".rewrite-"+filepath.Base(path))
	defer os.Remove(temp) // fails after the rename
	if err := os.WriteFile(temp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// Dump writes a file's requests as text, with all that is compressed in it: for the eye, and for comparing two recordings. Without
// answers it shows only what was asked, which is the same in two recordings of the same behaviour.
func Dump(w io.Writer, rec *Recorded, answers bool) error {
	var b bytes.Buffer
	if answers {
		fmt.Fprintf(&b, "%s\n%s of %s\n\n", rec.Header.String(), rec.Header.Test, rec.Node)
	}
	for _, r := range rec.Requests {
		fmt.Fprintf(&b, "== %s: %s\n", r.Scope, nameOf(r.Argv))
		for _, line := range describe(r.Argv, r.Input.Size, r.Input.Data) {
			b.WriteString(line + "\n")
		}
		if answers {
			dumpAnswer(&b, r)
		}
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}

func dumpAnswer(b *bytes.Buffer, r *Request) {
	fmt.Fprintf(b, "-> %s after %s s\n", r.End, seconds(r.Took))
	for _, f := range r.Files {
		fmt.Fprintf(b, "file %s, %d bytes:\n", quoteUnlessPlain(f.Name), len(f.Data))
		dumpText(b, string(f.Data))
	}
	for i, name := range []string{"stdout", "stderr"} {
		var text strings.Builder
		for _, c := range r.Output {
			if c.stream() == i {
				text.Write(c.Data)
			}
		}
		if text.Len() > 0 {
			fmt.Fprintf(b, "%s, %d bytes:\n", name, text.Len())
			dumpText(b, text.String())
		}
	}
}

func dumpText(b *bytes.Buffer, text string) {
	for _, line := range block(text) {
		b.WriteString(line + "\n")
	}
}

package recording

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// What clusterenv's Pull and PullDir read holds sizes and digests of files. Were values or secrets replaced in it as in a plain
// text, those would no longer be right. So files are taken out of it, and it is made anew around them on replay.

// takeFile reads what Pull reads: "SIZE\n", the file, "SHA256 …\n".
func takeFile(out []byte) (File, bool) {
	header, rest, _ := bytes.Cut(out, []byte("\n"))
	size, err := strconv.Atoi(string(header))
	if err != nil || size < 0 || size > len(rest) {
		return File{}, false
	}
	sum := sha256.Sum256(rest[:size])
	theirs, _, _ := strings.Cut(string(rest[size:]), " ")
	return File{Mode: 0o644, Data: rest[:size]}, theirs == hex.EncodeToString(sum[:])
}

// putFile is the reverse.
func putFile(w io.Writer, data []byte) error {
	sum := sha256.Sum256(data)
	if _, err := fmt.Fprintf(w, "%d\n", len(data)); err != nil {
		return err
	}
	if err := writePieces(w, data); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%x  -\n", sum)
	return err
}

// takeArchive reads what PullDir reads: a line, and a tar archive unless the line names no files. Whole is false if the archive
// breaks off; files has those before.
func takeArchive(out []byte) (line string, files []File, whole, ok bool) {
	first, rest, found := bytes.Cut(out, []byte("\n"))
	if !found {
		return "", nil, false, false
	}
	line = string(first) + "\n"
	if len(bytes.TrimSpace(first)) == 0 {
		return line, nil, true, len(rest) == 0
	}
	for tr := tar.NewReader(bytes.NewReader(rest)); ; {
		h, err := tr.Next()
		if err != nil {
			return line, files, err == io.EOF, true
		}
		if h.Typeflag != tar.TypeReg {
			return "", nil, false, false // nothing that PullDir takes: kept as it is
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			return line, files, false, true
		}
		files = append(files, File{Name: h.Name, Mode: h.Mode & 0o777, Data: data})
	}
}

// putArchive is the reverse.
func putArchive(w io.Writer, line string, files []File, whole bool) error {
	if _, err := io.WriteString(w, line); err != nil {
		return err
	}
	if whole && strings.TrimSpace(line) == "" {
		return nil
	}
	tw := tar.NewWriter(w)
	for _, f := range files {
		if err := tw.WriteHeader(&tar.Header{Name: f.Name, Mode: f.Mode, Size: int64(len(f.Data)), Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		if err := writePieces(tw, f.Data); err != nil {
			return err
		}
	}
	if !whole {
		return tw.Flush()
	}
	return tw.Close()
}

// writePieces writes data as it comes over a connection.
func writePieces(w io.Writer, data []byte) error {
	for len(data) > 0 {
		n := min(len(data), 32<<10)
		if _, err := w.Write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

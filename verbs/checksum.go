package verbs

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"io"
	"regexp"
	"strings"
)

// A Checksum is one file of a checksum list.
type Checksum struct {
	Algorithm string // md5, sha1, sha224, sha256, sha384 or sha512, told by the length
	Digest    string // lower-case hexadecimal
	Name      string // as given to the tool, escapes undone; "-" is standard input
	Binary    bool   // marked with *: read in binary mode
	Line      int
}

// Empty reports whether the digest is that of no bytes: two empty files agree, and prove nothing.
func (c Checksum) Empty() bool { return emptyDigests[c.Digest] }

// A FailedFile is a file that the tool could not read, or that did not match.
type FailedFile struct {
	Name   string
	Reason string // "No such file or directory", "FAILED", "FAILED open or read"
	Line   int
}

// Checksums is a checksum list, or the report of a check against one.
type Checksums struct {
	Files     []Checksum
	OK        []string // names that a check (-c) found right
	Failed    []FailedFile
	Malformed []BadLine
	Truncated bool // no line end after the last line (its name may be cut), or lines too long to hold
}

// EmptyFiles returns the names of files that hold no bytes.
func (c Checksums) EmptyFiles() []string {
	var names []string
	for _, f := range c.Files {
		if f.Empty() {
			names = append(names, f.Name)
		}
	}
	return names
}

// ParseChecksums reads what md5sum, sha1sum, sha256sum, … print (GNU coreutils, src/digest.c), also
// with --tag (the form of macOS's md5), and the report of their -c. An input without one such line is an error.
func ParseChecksums(r io.Reader) (Checksums, error) {
	l := newLines(r)
	var c Checksums
	for l.next() {
		if strings.TrimSpace(l.text) != "" && len(c.Malformed) < maxItems {
			c.line(l.text, l.num)
		}
		if len(c.Files)+len(c.OK)+len(c.Failed) > maxItems {
			return Checksums{}, &SyntaxError{"checksums", l.num, "too many files"}
		}
	}
	if l.err != nil || len(c.Files)+len(c.OK)+len(c.Failed) == 0 {
		return Checksums{}, l.inputError("checksums", "checksum")
	}
	c.Truncated = l.cut || l.partial()
	return c, nil
}

var (
	sumPlain  = regexp.MustCompile(`^(\\?)([0-9a-fA-F]{32,128}) ([ *])(.+)$`)
	sumTagged = regexp.MustCompile(`^(\\?)(MD5|SHA1|SHA224|SHA256|SHA384|SHA512) ?\((.+)\) = ([0-9a-fA-F]{32,128})$`)
	sumCheck  = regexp.MustCompile(`^(\\?)(.+): (OK|FAILED open or read|FAILED)$`)
	sumError  = regexp.MustCompile(`^(?:/\S*/)?(?:md5|sha\d+)(?:sum)?: (.+): ([^:]+)$`)
)

func (c *Checksums) line(text string, num int) {
	if m := sumPlain.FindStringSubmatch(text); m != nil && c.add(m[2], m[4], m[1] != "", m[3] == "*", num) {
		return
	}
	if m := sumTagged.FindStringSubmatch(text); m != nil && c.add(m[4], m[3], m[1] != "", false, num) {
		return
	}
	if m := sumError.FindStringSubmatch(text); m != nil {
		if m[1] != "WARNING" {
			c.Failed = append(c.Failed, FailedFile{unquote(m[1]), m[2], num})
		}
		return
	}
	if m := sumCheck.FindStringSubmatch(text); m != nil {
		if name, ok := unescapeName(m[2], m[1] != ""); ok {
			c.checked(name, m[3], num)
			return
		}
	}
	c.Malformed = append(c.Malformed, BadLine{num, shorten(text)})
}

func (c *Checksums) add(digest, name string, escaped, binary bool, num int) bool {
	name, ok := unescapeName(name, escaped)
	alg := algorithms[len(digest)]
	if !ok || alg == "" {
		return false
	}
	c.Files = append(c.Files, Checksum{alg, strings.ToLower(digest), name, binary, num})
	return true
}

func (c *Checksums) checked(name, verdict string, num int) {
	if verdict == "OK" {
		c.OK = append(c.OK, name)
		return
	}
	if n := len(c.Failed); n > 0 && c.Failed[n-1].Name == name {
		return // the line before says why it could not be opened
	}
	c.Failed = append(c.Failed, FailedFile{name, verdict, num})
}

var algorithms = map[int]string{32: "md5", 40: "sha1", 56: "sha224", 64: "sha256", 96: "sha384", 128: "sha512"}

// unescapeName undoes the escapes of a line that begins with a backslash; ok is false for an unknown one.
func unescapeName(s string, escaped bool) (name string, ok bool) {
	if !escaped {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			return "", false
		}
		switch s[i] {
		case '\\':
			b.WriteByte('\\')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unquote removes the quotes that newer tools put around a name in messages.
func unquote(s string) string {
	for _, q := range [][2]string{{"'", "'"}, {"‘", "’"}, {"\"", "\""}} {
		if len(s) > len(q[0])+len(q[1]) && strings.HasPrefix(s, q[0]) && strings.HasSuffix(s, q[1]) {
			return s[len(q[0]) : len(s)-len(q[1])]
		}
	}
	return s
}

var emptyDigests = func() map[string]bool {
	sums := map[string]bool{}
	for _, h := range []hash.Hash{md5.New(), sha1.New(), sha256.New224(), sha256.New(), sha512.New384(), sha512.New()} {
		sums[hex.EncodeToString(h.Sum(nil))] = true
	}
	return sums
}()

package clusterenv

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// errPath refuses a path that cannot name a file.
var errPath = errors.New("not the path of a file")

// copyPush stores its input as the file $1 of mode $2. The last 64 bytes of the input are the SHA-256 of the rest: an input that
// broke off never ends in its own digest. Until that is checked the data has another name in the same directory.
const copyPush = `set -e
gt_dir=${1%/*}/
mkdir -p -- "$gt_dir"
if [ -d "$1" ]; then echo "is a directory" >&2; exit 1; fi
gt_new=$gt_dir.gotestbed-push.$$
trap 'rm -f -- "$gt_new"' EXIT
trap 'exit 1' HUP INT PIPE TERM
cat >"$gt_new"
gt_size=$(($(wc -c <"$gt_new") - 64))
if [ $gt_size -lt 0 ]; then echo "transfer cut short" >&2; exit 1; fi
gt_want=$(tail -c 64 -- "$gt_new" | tr -d '\0')
dd if=/dev/null of="$gt_new" bs=1 seek=$gt_size 2>/dev/null
gt_have=$(sha256sum <"$gt_new")
gt_have=${gt_have%% *}
if [ "$gt_have" != "$gt_want" ]; then echo "transfer cut short or damaged" >&2; exit 1; fi
chmod "$2" -- "$gt_new"
mv -f -- "$gt_new" "$1"
`

// Push stores what r yields as a file on the node, with the permission bits of mode, and returns its SHA-256 in hexadecimal. Missing
// directories are made. The file appears at once and whole, or, after an error, not at all; an older one stays until then.
// A relative path begins at the home directory.
func (n *Node) Push(ctx context.Context, path string, r io.Reader, mode fs.FileMode) (sha256hex string, err error) {
	op := "push " + path
	if path == "" || strings.HasSuffix(path, "/") {
		return "", n.failed(op, errPath)
	}
	in := &digestedReader{r: r, sum: sha256.New()}
	err = n.script(ctx, op, Command{Stdin: in, Hint: HintFileIn}, copyPush, nodePath(path), fmt.Sprintf("%o", mode.Perm()))
	if err != nil && in.err != nil && !errors.Is(err, ErrDisconnected) {
		return "", n.failed(op, fmt.Errorf("reading its content: %w", in.err))
	}
	if err != nil {
		return "", err
	}
	return in.digest, nil
}

// A digestedReader yields what r does, and then its SHA-256 in hexadecimal. When r fails there is no digest, only an end, so
// that the node cleans up by itself.
type digestedReader struct {
	r      io.Reader
	sum    hash.Hash
	err    error  // what r failed with
	digest string // set at the end of r
	rest   string // of the digest
}

func (d *digestedReader) Read(p []byte) (int, error) {
	if d.digest == "" {
		n, err := d.r.Read(p)
		d.sum.Write(p[:n])
		if err == nil {
			return n, nil
		}
		if err != io.EOF {
			d.err = err
			return n, io.EOF
		}
		d.digest = hex.EncodeToString(d.sum.Sum(nil))
		d.rest = d.digest
		if n > 0 {
			return n, nil
		}
	}
	if d.rest == "" {
		return 0, io.EOF
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// copyPull prints the size of the file $1, so much of its content, and the SHA-256 of that. A file that grows meanwhile is sent
// as it was.
const copyPull = `set -e
gt_size=$(wc -c <"$1")
printf '%s\n' $gt_size
head -c $gt_size <"$1"
head -c $gt_size <"$1" | sha256sum
`

// Pull writes a file of the node to w and returns its SHA-256 in hexadecimal. After an error w holds some part of the file.
func (n *Node) Pull(ctx context.Context, path string, w io.Writer) (sha256hex string, err error) {
	op := "pull " + path
	if path == "" {
		return "", n.failed(op, errPath)
	}
	out := &digestedWriter{w: w, sum: sha256.New()}
	if err := n.script(ctx, op, Command{Stdout: out, Hint: HintFileOut}, copyPull, nodePath(path)); err != nil {
		return "", err
	}
	digest, err := out.verify()
	if err != nil {
		return "", n.failed(op, err)
	}
	return digest, nil
}

// PullFile is Pull into a local file, which appears whole or not at all.
func (n *Node) PullFile(ctx context.Context, path, local string) (sha256hex string, err error) {
	f, err := os.CreateTemp(filepath.Dir(local), ".pull-*")
	if err != nil {
		return "", n.failed("pull "+path, err)
	}
	defer os.Remove(f.Name()) // fails after the rename
	digest, err := n.Pull(ctx, path, f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), local)
	}
	if err != nil {
		return "", n.failed("pull "+path, err)
	}
	return digest, nil
}

// maxHeader and maxTrailer bound what copyPull prints around the content, in bytes.
const (
	maxHeader  = 32
	maxTrailer = 128
)

// A digestedWriter takes what copyPull prints: "SIZE\n", the content, which it passes on, and "SHA256 …\n".
type digestedWriter struct {
	w       io.Writer
	sum     hash.Hash
	header  []byte
	started bool  // the header is complete
	left    int64 // bytes of content that are to come
	trailer []byte
}

func (d *digestedWriter) Write(p []byte) (int, error) {
	n := len(p)
	if !d.started {
		line, rest, whole := strings.Cut(string(p), "\n")
		d.header = append(d.header, line...)
		if len(d.header) > maxHeader {
			return 0, fmt.Errorf("unexpected answer %.32q", d.header)
		}
		if !whole {
			return n, nil
		}
		size, err := strconv.ParseInt(string(d.header), 10, 64)
		if err != nil || size < 0 {
			return 0, fmt.Errorf("unexpected answer %q", d.header)
		}
		d.started, d.left = true, size
		p = p[len(p)-len(rest):]
	}
	body := p[:min(int64(len(p)), d.left)]
	d.sum.Write(body)
	d.left -= int64(len(body))
	if len(body) > 0 {
		if _, err := d.w.Write(body); err != nil {
			return 0, err
		}
	}
	d.trailer = append(d.trailer, p[len(body):]...)
	if len(d.trailer) > maxTrailer {
		return 0, errors.New("more came than was announced")
	}
	return n, nil
}

// verify returns the digest if all has come and is what was sent.
func (d *digestedWriter) verify() (string, error) {
	theirs, _, _ := strings.Cut(string(d.trailer), " ")
	ours := hex.EncodeToString(d.sum.Sum(nil))
	switch {
	case !d.started || d.left > 0 || theirs == "":
		return "", fmt.Errorf("transfer cut short: %w", io.ErrUnexpectedEOF)
	case theirs != ours:
		return "", fmt.Errorf("sha256 %s there, %s here: the file changed meanwhile or the transfer was damaged", theirs, ours)
	}
	return ours, nil
}

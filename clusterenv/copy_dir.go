package clusterenv

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// PullOptions bound what PullDir takes. Zero values stand for the defaults.
type PullOptions struct {
	MaxFile  int64 // bytes of one file, default 256 MiB
	MaxTotal int64 // bytes of all files, default 1 GiB
}

const (
	defaultMaxFile  = 256 << 20
	defaultMaxTotal = 1 << 30
	tarChanged      = 1 // GNU tar: a file changed while it was read
)

// copyDir prints the positions, from 0, of those names that are files in directory $1, on a line, and then a tar archive of them.
const copyDir = `cd -- "$1" || exit 2
shift
gt_index=0
for gt_name in "$@"; do
	shift
	if [ -f "./$gt_name" ]; then
		printf '%s ' $gt_index
		set -- "$@" "./$gt_name"
	fi
	gt_index=$((gt_index + 1))
done
echo
[ $# -gt 0 ] || exit 0
exec tar -chf - -- "$@"
`

// PullDir fetches files of a directory of the node into localDir, in one round trip, and returns the names of those that are
// there, in the order asked for. Names are slash-separated and relative to dir; what does not exist on the node is left out. After an error
// localDir is as before. A file that grows meanwhile is taken as it was.
func (n *Node) PullDir(ctx context.Context, dir, localDir string, opt PullOptions, names ...string) ([]string, error) {
	op := "pull from " + dir
	for _, name := range names {
		if !filepath.IsLocal(name) || path.Clean(name) != name || name == "." {
			return nil, n.failed(op, fmt.Errorf("%q: %w", name, errPath))
		}
	}
	if opt.MaxFile == 0 {
		opt.MaxFile = defaultMaxFile
	}
	if opt.MaxTotal == 0 {
		opt.MaxTotal = defaultMaxTotal
	}
	if err := os.MkdirAll(localDir, 0o755); err != nil {
		return nil, n.failed(op, err)
	}
	root, err := os.OpenRoot(localDir)
	if err != nil {
		return nil, n.failed(op, err)
	}
	defer root.Close()
	u := &unpacker{root: root, opt: opt, names: names}
	defer u.discard()
	if err := n.unpack(ctx, op, dir, u); err != nil {
		return nil, n.failed(op, err)
	}
	if err := u.keep(); err != nil {
		return nil, n.failed(op, err)
	}
	return u.present, nil
}

// unpack runs copyDir with its output going to u.
func (n *Node) unpack(ctx context.Context, op, dir string, u *unpacker) error {
	r, w := io.Pipe()
	unpacked := make(chan error, 1)
	go func() {
		err := u.read(r)
		r.CloseWithError(err) // nil: whatever follows the archive is refused
		unpacked <- err
	}()
	err := n.script(ctx, op, Command{Stdout: w, Hint: HintArchive}, copyDir, append([]string{nodePath(dir)}, u.names...)...)
	w.Close()
	if uerr := <-unpacked; uerr != nil {
		var exit *ExitError
		if errors.As(err, &exit) { // the cause of a short archive
			return err
		}
		return uerr
	}
	var exit *ExitError
	if errors.As(err, &exit) && exit.Status == tarChanged && exit.Signal == "" {
		return nil // all files came whole, else read had failed
	}
	return err
}

// An unpacker takes files from what copyDir prints. They have temporary names until keep.
type unpacker struct {
	root    *os.Root
	opt     PullOptions
	names   []string // that were asked for
	present []string // that are there, in the same order
	parts   map[string]string
	total   int64
}

// read reads the line of positions and the archive, and fails unless each announced file comes.
func (u *unpacker) read(r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	line, err := in.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("transfer cut short: %w", unexpected(err))
	}
	for _, f := range strings.Fields(string(line)) {
		i, err := strconv.Atoi(f)
		if err != nil || i < 0 || i >= len(u.names) {
			return fmt.Errorf("unexpected answer %.80q", line)
		}
		u.present = append(u.present, u.names[i])
	}
	if len(u.present) > 0 {
		if err := u.archive(tar.NewReader(in)); err != nil {
			return err
		}
	}
	_, err = io.Copy(io.Discard, in) // the archive's padding
	return err
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (u *unpacker) archive(tr *tar.Reader) error {
	u.parts = make(map[string]string)
	wanted := make(map[string]bool)
	for _, name := range u.present {
		wanted[name] = true
	}
	for {
		h, err := tr.Next()
		if err == io.EOF && len(wanted) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("archive: %w", unexpected(err))
		}
		name := strings.TrimPrefix(h.Name, "./")
		if !wanted[name] || h.Typeflag != tar.TypeReg {
			return fmt.Errorf("archive: unexpected entry %q of type %q", h.Name, h.Typeflag)
		}
		delete(wanted, name)
		if err := u.file(name, h.Size, tr); err != nil {
			return err
		}
	}
}

// file stores one file of the archive under a temporary name.
func (u *unpacker) file(name string, size int64, r io.Reader) error {
	u.total += size
	if size > u.opt.MaxFile {
		return fmt.Errorf("%s has %d bytes, more than %d", name, size, u.opt.MaxFile)
	}
	if u.total > u.opt.MaxTotal {
		return fmt.Errorf("the files up to %s have %d bytes, more than %d", name, u.total, u.opt.MaxTotal)
	}
	if err := u.root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
		return err
	}
	part := filepath.FromSlash(path.Join(path.Dir(name), fmt.Sprintf(".pull-%d-%d", os.Getpid(), len(u.parts))))
	f, err := u.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	u.parts[name] = part
	_, err = io.Copy(f, r)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, unexpected(err))
	}
	return nil
}

// keep gives the files their names.
func (u *unpacker) keep() error {
	for _, name := range u.present {
		if err := u.root.Rename(u.parts[name], filepath.FromSlash(name)); err != nil {
			return err
		}
		delete(u.parts, name)
	}
	return nil
}

// discard removes what was not kept.
func (u *unpacker) discard() {
	for _, part := range u.parts {
		u.root.Remove(part)
	}
}

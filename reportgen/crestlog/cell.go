package crestlog

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// A Cell is what the files of one cell directory say.
type Cell struct {
	System   string // one of the System constants; empty if nothing tells
	CNs      int    // compute nodes that took part, as far as the files show
	Logs     int    // logs found
	Complete bool   // the result is there and nothing contradicts it
	Reason   string // why not Complete, in one line
	Tail     []string
	Metrics  map[string]Metric // by name, see docs/run-directory.md; absent when the files do not have it
	Warnings []string          // with file:line where there is one
}

// maxCNs bounds the index of a compute node that a file name may carry.
const maxCNs = 256

// ReadCell reads the logs and details of the cell directory cellDir, which lies in the run directory runDir; both
// are absolute, or both relative to the working directory. Origins and warnings name files relative to runDir, with
// slashes. The error is an I/O error; a cell without a result is not an error but a Cell that is not Complete.
func ReadCell(runDir, cellDir string) (*Cell, error) {
	rel, err := filepath.Rel(runDir, cellDir)
	if err != nil {
		return nil, err
	}
	f, err := readFiles(cellDir, filepath.ToSlash(rel))
	if err != nil {
		return nil, err
	}
	c := &Cell{CNs: len(f.cns), Metrics: map[string]Metric{}}
	c.describe(f)
	c.totals(f)
	c.balance(f)
	c.atomics(f)
	c.conclude(f)
	return c, nil
}

// files are the parsed files of a cell directory; what is missing is nil.
type files struct {
	dir, rel   string
	names      map[string]bool // of the regular files
	client, mn *Log
	cns        []*Log // by index
	details    []*Details
}

// listFiles lists a cell directory. cns is the number of compute nodes that the names of its files tell.
func listFiles(dir, rel string) (f *files, cns int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, 0, err
	}
	f = &files{dir: dir, rel: rel, names: make(map[string]bool, len(entries))}
	for _, e := range entries {
		if isFile(dir, e) {
			f.names[e.Name()] = true
			cns = max(cns, cnOfFile(e.Name())+1)
		}
	}
	return f, cns, nil
}

func readFiles(dir, rel string) (*files, error) {
	f, n, err := listFiles(dir, rel)
	if err != nil {
		return nil, err
	}
	if f.client, err = f.log("m_client.log"); err != nil {
		return nil, err
	}
	if f.mn, err = f.log("m_mn.log"); err != nil {
		return nil, err
	}
	if f.mn != nil {
		for _, name := range f.mn.Connected {
			n = max(n, cnIndex(strings.TrimPrefix(name, "CN"))+1)
		}
	}
	f.cns, f.details = make([]*Log, n), make([]*Details, n)
	for i := range n {
		if f.cns[i], err = f.log(fmt.Sprintf("m_cn%d.log", i)); err != nil {
			return nil, err
		}
		if f.details[i], err = f.detail(fmt.Sprintf("m_cn%d.details.txt", i), isAtomicCounter); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// cnOfFile returns 2 for m_cn2.log, m_cn2.details.txt and m_cn2.results.txt, and -1 for other names.
func cnOfFile(name string) int {
	rest, ok := strings.CutPrefix(name, "m_cn")
	if !ok {
		return -1
	}
	index, ext, _ := strings.Cut(rest, ".")
	if ext != "log" && ext != "details.txt" && ext != "results.txt" {
		return -1
	}
	return cnIndex(index)
}

func cnIndex(digits string) int {
	i, err := strconv.Atoi(digits)
	if err != nil || i < 0 || i >= maxCNs || strconv.Itoa(i) != digits {
		return -1
	}
	return i
}

// open opens a regular file of the directory; a name that is missing, or names something that cannot be read like a
// file, yields nil.
func (f *files) open(name string) (io.ReadCloser, error) {
	if !f.names[name] {
		return nil, nil
	}
	return os.Open(filepath.Join(f.dir, name))
}

// isFile reports whether an entry is a regular file, or a link to one. Opening a FIFO could wait for ever.
func isFile(dir string, e fs.DirEntry) bool {
	if e.Type().IsRegular() || e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && info.Mode().IsRegular()
}

func (f *files) log(name string) (*Log, error) {
	r, err := f.open(name)
	if r == nil || err != nil {
		return nil, err
	}
	defer r.Close()
	return Parse(path.Join(f.rel, name), r)
}

// detail reads a details file for the counters and histograms whose name keep likes.
func (f *files) detail(name string, keep func([]byte) bool) (*Details, error) {
	r, err := f.open(name)
	if r == nil || err != nil {
		return nil, err
	}
	defer r.Close()
	return parseDetails(path.Join(f.rel, name), r, keep)
}

// all returns the logs that are there with the names of their processes, compute nodes first: there the cause of a failure
// shows most.
func (f *files) all() []process {
	var all []process
	for i, l := range f.cns {
		if l != nil {
			all = append(all, process{fmt.Sprintf("cn%d", i), l})
		}
	}
	if f.mn != nil {
		all = append(all, process{RoleMN, f.mn})
	}
	if f.client != nil {
		all = append(all, process{RoleClient, f.client})
	}
	return all
}

type process struct {
	name string
	log  *Log
}

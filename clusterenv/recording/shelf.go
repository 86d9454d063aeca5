package recording

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// A shelf holds what was recorded until it is written: of tests that ended well in files below a directory of its own, of
// the others, and of what all share, in memory. It is used by one goroutine at a time.
type shelf struct {
	dir       string                         // of the recordings
	temp      string                         // "" until it is needed
	tests     map[string]map[string]*encoder // test ("" is what all share) → node; what has not ended
	parts     map[string]map[string]int64    // test that ended well → node → size before compression
	failed    map[string]error               // test → why it cannot be recorded; "" is none
	published []string
	create    func(path string) (io.WriteCloser, error)
}

func newShelf(dir string) *shelf {
	return &shelf{
		dir: dir, tests: map[string]map[string]*encoder{}, parts: map[string]map[string]int64{}, failed: map[string]error{},
		create: func(path string) (io.WriteCloser, error) { return os.Create(path) },
	}
}

// put adds a request to those of its test.
func (s *shelf) put(node string, r *Request) {
	test := testOf(r.Scope)
	if s.failed[test] != nil {
		return
	}
	if s.tests[test] == nil {
		s.tests[test] = map[string]*encoder{}
	}
	e := s.tests[test][node]
	if e == nil {
		e = &encoder{}
		s.tests[test][node] = e
	}
	e.request(r)
	if e.plain > maxPlain || e.out.Len() > maxFile/2 {
		s.fail(test, fmt.Errorf("%s: more than can be recorded of one test: %d MiB", node, maxPlain>>20))
	}
}

// fail gives a test up, or with "" all of them. The first reason stays.
func (s *shelf) fail(test string, err error) {
	if s.failed[test] == nil {
		s.failed[test] = err
	}
	delete(s.tests, test)
}

// finish takes a test's requests out of memory. Of a test that ran more than once, the last good one stays.
func (s *shelf) finish(test string, ok bool) {
	nodes := s.tests[test]
	delete(s.tests, test)
	if !ok || s.failed[test] != nil {
		return
	}
	if err := s.writeParts(test, nodes); err != nil {
		s.fail(test, err)
	}
}

func (s *shelf) writeParts(test string, nodes map[string]*encoder) error {
	if s.temp == "" {
		temp, err := os.MkdirTemp(s.dir, ".incomplete-")
		if err != nil {
			return err
		}
		s.temp = temp
	}
	dir := s.partDir(test)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	sizes := map[string]int64{}
	for node, e := range nodes {
		sizes[node] = e.plain
		if err := s.writeFile(filepath.Join(dir, node), e.out.Bytes()); err != nil {
			return err
		}
	}
	s.parts[test] = sizes
	return nil
}

func (s *shelf) partDir(test string) string { return filepath.Join(s.temp, test+".part") }

// writeFile writes a file, of pieces, whose disk may be full.
func (s *shelf) writeFile(path string, pieces ...[]byte) error {
	f, err := s.create(path)
	if err != nil {
		return err
	}
	for _, p := range pieces {
		if err == nil {
			_, err = f.Write(p)
		}
	}
	return errors.Join(err, f.Close())
}

// publish gives each test that ended well its directory, and leaves nothing else behind.
func (s *shelf) publish(h Header, spec []byte) error {
	if s.temp != "" {
		defer os.RemoveAll(s.temp)
	}
	tests := make([]string, 0, len(s.parts))
	for test := range s.parts {
		tests = append(tests, test)
	}
	slices.Sort(tests)
	if s.failed[""] != nil {
		return fmt.Errorf("nothing was recorded: %w", s.failed[""])
	}
	for _, test := range tests {
		if s.failed[test] != nil {
			continue
		}
		if err := s.publishTest(test, h, spec); err != nil {
			s.fail(test, err)
			continue
		}
		s.published = append(s.published, test)
	}
	var errs []error
	for test, err := range s.failed {
		errs = append(errs, fmt.Errorf("%s was not recorded: %w", test, err))
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// publishTest writes a test's files beside its parts, and then puts them in the place of what is there.
func (s *shelf) publishTest(test string, h Header, spec []byte) error {
	dir := filepath.Join(s.temp, test)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	h.Test, h.spec = test, digest(spec)
	if err := s.writeFile(filepath.Join(dir, specFile), spec); err != nil {
		return err
	}
	nodes, err := specNodes(spec)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		if err := s.writeNode(test, node, filepath.Join(dir, node), h); err != nil {
			return err
		}
	}
	return replaceDir(dir, filepath.Join(s.dir, test), filepath.Join(s.temp, test+".old"))
}

// replaceDir renames dir to final, and what is there to old.
func replaceDir(dir, final, old string) error {
	if err := os.Rename(final, old); err != nil && !os.IsNotExist(err) {
		return err
	}
	err := os.Rename(dir, final)
	if err != nil {
		os.Rename(old, final)
	}
	return err
}

// writeNode writes what was asked of a node: what all tests share, then what the test asked for itself.
func (s *shelf) writeNode(test, node, path string, h Header) error {
	h.node = node
	pieces := [][]byte{h.encode(), nil, nil}
	plain := s.parts[test][node]
	if e := s.tests[""][node]; e != nil {
		pieces[1] = e.out.Bytes()
		plain += e.plain
	}
	part, err := os.ReadFile(filepath.Join(s.partDir(test), node))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	pieces[2] = part
	if plain > maxPlain {
		return fmt.Errorf("%s: more than can be recorded of one test: %d MiB", node, maxPlain>>20)
	}
	return s.writeFile(path, append(pieces, []byte(trailer(pieces...)))...)
}

// specNodes are the names of the nodes in a cluster file.
func specNodes(text []byte) ([]string, error) {
	spec, err := clusterenv.Parse(specFile, text)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, n := range spec.Nodes {
		if n.Name == specFile {
			return nil, fmt.Errorf("a node cannot be called %s in a recording", n.Name)
		}
		names = append(names, n.Name)
	}
	return names, nil
}

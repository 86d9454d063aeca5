package clusterenv

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// match decides whether the lines after a Match line are for the host.
func (r *configReader) match(at configPlace, args []string, never bool) error {
	r.active = false
	criteria, err := splitCriteria(args)
	if err != nil {
		return at.mistake("match", "%v", err)
	}
	holds := !never
	for _, c := range criteria {
		if c.name == "final" {
			r.wantsFinal = true
		}
		if !holds {
			continue // what decides nothing need not be evaluated
		}
		ok, err := r.criterion(c)
		if err != nil {
			return at.mistake("match", "%v", err)
		}
		holds = ok != c.negated
	}
	r.active = holds
	return nil
}

// A matchCriterion is a condition of a Match line.
type matchCriterion struct {
	name, arg string
	negated   bool
}

// argumentless are the criteria that stand alone.
var argumentless = []string{"all", "canonical", "final"}

// criterionNames are all that OpenSSH has up to 10.0.
var criterionNames = []string{
	"all", "canonical", "command", "exec", "final", "host", "localnetwork", "localuser", "originalhost", "sessiontype", "tagged", "user", "version",
}

// splitCriteria reads "host a,b user=c !exec d all".
func splitCriteria(args []string) ([]matchCriterion, error) {
	var list []matchCriterion
	for i := 0; i < len(args); i++ {
		name, arg, glued := strings.Cut(args[i], "=")
		name, negated := strings.CutPrefix(strings.ToLower(name), "!")
		c := matchCriterion{name: name, arg: arg, negated: negated}
		switch {
		case !slices.Contains(criterionNames, name):
			return nil, fmt.Errorf("unknown criterion %q%s", clip(name), didYouMean(name, criterionNames))
		case slices.Contains(argumentless, name):
		case glued && arg != "":
		case i+1 < len(args):
			i++
			c.arg = args[i]
			if rest, ok := strings.CutPrefix(c.arg, "="); ok && !glued {
				if c.arg = rest; rest == "" && i+1 < len(args) {
					i++
					c.arg = args[i]
				}
			}
		default:
			return nil, fmt.Errorf("no argument for %s", name)
		}
		list = append(list, c)
	}
	return list, checkAll(list)
}

// checkAll holds "all" to stand alone, or after canonical or final.
func checkAll(list []matchCriterion) error {
	for i, c := range list {
		alone := len(list) == 1 || i == 1 && len(list) == 2 && (list[0].name == "canonical" || list[0].name == "final")
		if c.name == "all" && !alone {
			return fmt.Errorf("all cannot be combined with other criteria")
		}
	}
	return nil
}

// criterion evaluates a condition, without its negation.
func (r *configReader) criterion(c matchCriterion) (bool, error) {
	switch c.name {
	case "all":
		return true, nil
	case "final", "canonical":
		return r.final, nil
	case "host":
		host, err := r.hostName()
		return err == nil && matchList(strings.ToLower(host), strings.ToLower(c.arg)), err
	case "originalhost":
		return matchList(strings.ToLower(r.host), strings.ToLower(c.arg)), nil
	case "user":
		name := r.config.get("user")
		if name == "" {
			name = r.localUser
		}
		return matchList(name, c.arg), nil
	case "localuser":
		return matchList(r.localUser, c.arg), nil
	case "tagged":
		return matchList(r.config.get("tag"), c.arg), nil
	}
	return false, fmt.Errorf("%s is not evaluated here: write the block with Host or another criterion, or name another file in the cluster file (ssh.config)", c.name)
}

// hostName is the name to connect to, as far as it is known by now.
func (r *configReader) hostName() (string, error) {
	name := r.config.get("hostname")
	if name == "" {
		return r.host, nil
	}
	return expandTokens(name, map[byte]string{'h': r.host})
}

// include reads the files that an Include line names, as if they stood there. What they open with Host or Match ends with them.
func (r *configReader) include(s configSource, at configPlace, patterns []string, depth int, never bool) {
	fail := func(format string, args ...any) {
		r.mistakes = append(r.mistakes, at.mistake("include", format, args...))
	}
	if depth+1 > maxConfigDepth {
		fail("more than %d files deep: does a file include itself?", maxConfigDepth)
		return
	}
	active := r.active
	for _, p := range patterns {
		path, err := expandEnvironment(p)
		if err == nil && !s.system {
			path, err = expandHome(path)
		}
		if err != nil {
			fail("%v", err)
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.include, path)
		}
		files, err := filepath.Glob(path)
		if err != nil {
			fail("%q: %v", clip(p), err)
		}
		for _, file := range files {
			r.active = active
			r.readFile(configSource{path: file, include: s.include, system: s.system, absent: true, private: true}, depth+1, never || !active)
		}
	}
	r.active = active
}

// onlyOwnerWrites refuses a file that somebody else could have changed.
func onlyOwnerWrites(path string, info fs.FileInfo) error {
	owner := -1
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = int(st.Uid)
	}
	if info.Mode().Perm()&0o022 == 0 && (owner == 0 || owner == os.Getuid()) {
		return nil
	}
	return &SyntaxError{File: path, Msg: fmt.Sprintf("mode %v, owner %d: others could have changed it; chmod go-w it", info.Mode().Perm(), owner)}
}

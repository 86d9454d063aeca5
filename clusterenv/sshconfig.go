package clusterenv

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A configValue is what one line of ssh_config(5) says.
type configValue struct {
	args []string
	rest string // all arguments as they stand, where an option takes the line
	at   configPlace
}

// A configPlace is a line of a file.
type configPlace struct {
	file string
	line int
}

func (p configPlace) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// mistake is an error at this place about an option.
func (p configPlace) mistake(option, format string, args ...any) *SyntaxError {
	return &SyntaxError{File: p.file, Line: p.line, Path: option, Msg: fmt.Sprintf(format, args...)}
}

// An sshConfig is what ssh_config(5) says for one host.
type sshConfig struct {
	first map[string]configValue   // by keyword in lower case: what was said first
	added map[string][]configValue // what adds up
	notes []string                 // what was said and cannot be followed, with file:line
}

// get is the word that was said for an option, or "".
func (c *sshConfig) get(option string) string {
	if v, ok := c.first[option]; ok {
		return v.args[0]
	}
	return ""
}

// place is where an option was said.
func (c *sshConfig) place(option string) configPlace { return c.first[option].at }

// systemSSHConfig is the file that OpenSSH reads after the user's own.
const systemSSHConfig = "/etc/ssh/ssh_config"

// A configSource is a file to read, with the rules for it.
type configSource struct {
	path    string
	include string // directory of the relative names in its Include lines
	system  bool   // the machine's own: ~ has no meaning in it
	absent  bool   // it need not exist
	private bool   // nobody but its owner may be able to write it
}

// configSources are the files that "ssh.config" stands for.
func configSources(name string) ([]configSource, error) {
	if name == "" {
		return nil, nil
	}
	path, err := expandHome(name)
	if err != nil {
		return nil, err
	}
	dir, err := expandHome("~/.ssh")
	if err != nil {
		return nil, err
	}
	standard := name == DefaultSSHConfig
	list := []configSource{{path: path, include: dir, absent: standard, private: standard}}
	if standard {
		list = append(list, configSource{path: systemSSHConfig, include: "/etc/ssh", system: true, absent: true})
	}
	return list, nil
}

// readSSHConfig reads what "ssh.config" stands for and returns what it says for host. What the caller has decided already, as
// OpenSSH's command line would, is in given: option → value. All mistakes in the files are reported at once, as *SyntaxError;
// as with OpenSSH a mistake anywhere refuses the file.
func readSSHConfig(name, host string, given map[string]string) (*sshConfig, error) {
	sources, err := configSources(name)
	if err != nil {
		return nil, err
	}
	r := &configReader{host: host, config: &sshConfig{first: map[string]configValue{}, added: map[string][]configValue{}}}
	for option, value := range given {
		if value != "" {
			r.config.first[option] = configValue{args: []string{value}}
		}
	}
	if r.localUser, err = currentUser(); err != nil {
		return nil, err
	}
	r.readAll(sources)
	if r.wantsFinal && r.mistakes == nil {
		r.final = true
		r.readAll(sources)
	}
	if r.mistakes != nil {
		return nil, errors.Join(r.mistakes...)
	}
	return r.config, nil
}

func currentUser() (string, error) {
	me, err := user.Current()
	if err != nil {
		return "", err
	}
	return me.Username, nil
}

// A configReader reads files for one host.
type configReader struct {
	host      string
	localUser string
	config    *sshConfig

	active     bool // the lines that follow are for the host
	final      bool // second reading, for "Match final"
	wantsFinal bool
	mistakes   []error
}

func (r *configReader) readAll(sources []configSource) {
	for _, s := range sources {
		r.active = true
		r.readFile(s, 0, false)
	}
}

const (
	maxConfigDepth = 16      // Include in Include, as in OpenSSH
	maxConfigSize  = 1 << 20 // bytes of one file
)

// readFile reads one file. never is set in what was included for another host: no line of it counts.
func (r *configReader) readFile(s configSource, depth int, never bool) {
	text, err := s.read()
	switch {
	case errors.Is(err, os.ErrNotExist) && s.absent:
		return
	case err != nil:
		r.mistakes = append(r.mistakes, err)
		return
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		r.readLine(s, configPlace{s.path, number}, line, depth, never)
		if len(r.mistakes) > maxSpecMistakes {
			return
		}
	}
}

// read returns the text of the file.
func (s configSource) read() (string, error) {
	info, err := os.Stat(s.path)
	if err != nil {
		return "", err
	}
	if s.private {
		if err := onlyOwnerWrites(s.path, info); err != nil {
			return "", err
		}
	}
	if info.Size() > maxConfigSize {
		return "", &SyntaxError{File: s.path, Msg: fmt.Sprintf("larger than %d bytes: not an ssh_config", maxConfigSize)}
	}
	text, err := os.ReadFile(s.path)
	return string(text), err
}

func (r *configReader) readLine(s configSource, at configPlace, text string, depth int, never bool) {
	line, err := splitConfigLine(text)
	if line.keyword == "" && err == nil {
		return
	}
	kind, known := optionKinds[line.keyword]
	block := line.keyword == "host" || line.keyword == "match" || line.keyword == "include"
	switch {
	case !known && !block && r.ignored(line.keyword):
		return
	case !known && !block:
		err = at.mistake(shown(line.keyword), "unknown option%s", didYouMean(line.keyword, knownOptions()))
	case err != nil:
		err = at.mistake(line.keyword, "%v", err)
	case block && len(line.args) == 0:
		err = at.mistake(line.keyword, "no argument")
	case line.keyword == "host":
		r.active = !never && matchAny(r.host, line.args)
	case line.keyword == "match":
		err = r.match(at, line.args, never)
	case line.keyword == "include":
		r.include(s, at, line.args, depth, never)
	default:
		err = r.option(kind, at, line)
	}
	if err != nil {
		r.mistakes = append(r.mistakes, err)
	}
}

// ignored reports whether IgnoreUnknown lets an option pass that is none.
func (r *configReader) ignored(option string) bool {
	list := r.config.get("ignoreunknown")
	return list != "" && matchList(option, strings.ToLower(list))
}

// shown is a keyword as an error may show it.
func shown(keyword string) string {
	if strings.ContainsFunc(keyword, func(c rune) bool { return !unicode.IsPrint(c) }) {
		keyword = strconv.QuoteToASCII(keyword)
	}
	return clip(keyword)
}

func knownOptions() []string {
	names := []string{"host", "match", "include"}
	for name := range optionKinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// option takes what a line says, if it is for the host and the first to say it.
func (r *configReader) option(kind optionKind, at configPlace, line configLine) error {
	if err := checkOption(kind, line); err != nil {
		return at.mistake(line.keyword, "%v", err)
	}
	if !r.active {
		return nil
	}
	name := strings.TrimSuffix(line.keyword, "2")
	value := configValue{args: line.args, rest: line.rest, at: at}
	switch kind {
	case optionIdle:
	case optionNoted:
		if !strings.EqualFold(line.args[0], notedOptions[line.keyword]) {
			r.note(at, line.keyword+" is not followed here")
		}
	case optionAdded:
		same := func(v configValue) bool { return v.args[0] == value.args[0] }
		if !slices.ContainsFunc(r.config.added[name], same) {
			r.config.added[name] = append(r.config.added[name], value)
		}
	default:
		if name == "proxyjump" || name == "proxycommand" { // whichever is said first
			value.args, name = []string{name}, "proxy"
		}
		if _, said := r.config.first[name]; !said {
			r.config.first[name] = value
		}
	}
	return nil
}

func (r *configReader) note(at configPlace, text string) {
	note := at.String() + ": " + text
	if !slices.Contains(r.config.notes, note) {
		r.config.notes = append(r.config.notes, note)
	}
}

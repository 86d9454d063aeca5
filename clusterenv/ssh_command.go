package clusterenv

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxCommandLine bounds a command line, in bytes. The server hands it to the login shell as one argument, and Linux takes
// no argument longer than 128 KiB.
const maxCommandLine = 120 << 10

// announce is run by /bin/sh before the program and replaced by it. It tells, in a line on stderr that starts with the
// token, the process group and the start time (clock ticks since boot, /proc/PID/stat field 22, 0 if unknown) of the
// process that becomes the program: OpenSSH before 7.9 takes no signal requests, so that a command can only be ended by
// another command that knows its group.
const announce = `_gotestbed() { printf '%s %s %s\n' TOKEN "$3" "${20}" >&2; }; ` +
	`if { read -r _stat </proc/$$/stat; } 2>/dev/null; then _gotestbed ${_stat##*) }; ` +
	`else printf '%s %s 0\n' TOKEN "$(ps -o pgid= -p $$ | tr -d ' ')" >&2; fi; ` +
	`unset _stat; exec "$@"`

// commandLine makes the string that a server's login shell turns back into argv, and the mark that the command will
// leave on stderr.
func commandLine(argv []string) (line string, m *mark, err error) {
	if len(argv) == 0 || argv[0] == "" {
		return "", nil, errors.New("no command")
	}
	if strings.HasPrefix(argv[0], "-") {
		return "", nil, fmt.Errorf("the name of the program, %q, starts with a dash", argv[0])
	}
	m = &mark{token: "gotestbed-" + strings.ToLower(rand.Text()), seen: make(chan struct{})}
	var b strings.Builder
	b.WriteString("exec /bin/sh -c ")
	b.WriteString(quote(strings.ReplaceAll(announce, "TOKEN", m.token)))
	b.WriteString(" sh")
	for _, arg := range argv {
		if strings.IndexByte(arg, 0) >= 0 {
			return "", nil, fmt.Errorf("argument %q holds a NUL byte", arg)
		}
		b.WriteByte(' ')
		b.WriteString(quote(arg))
	}
	if b.Len() > maxCommandLine {
		return "", nil, fmt.Errorf("the command line has %d bytes, more than %d: use stdin for data", b.Len(), maxCommandLine)
	}
	return b.String(), m, nil
}

// quote makes s one word of a POSIX shell. Between single quotes no byte but the single quote itself has a meaning.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// A mark is the line by which a command tells its process group.
type mark struct {
	token string
	seen  chan struct{} // closed once group and start are set, or will never be
	group int           // process group id, 0 if unknown
	start string        // start time of the group's leader in clock ticks since boot, "0" if unknown
}

// maxNoise bounds what may stand on stderr before the mark (a login shell's warnings), in bytes.
const maxNoise = 64 << 10

// copyStderr copies src to dst without the mark.
func (m *mark) copyStderr(dst io.Writer, src io.Reader) error {
	found := false
	defer func() {
		if !found {
			close(m.seen)
		}
	}()
	var head []byte
	buf := make([]byte, 4<<10)
	for !found && len(head) <= maxNoise {
		n, err := src.Read(buf)
		head = append(head, buf[:n]...)
		if before, after, ok := m.cut(head); ok {
			found = true
			close(m.seen)
			head = append(before, after...)
		}
		if err != nil {
			return errors.Join(writeAll(dst, head), ignoreEOF(err))
		}
	}
	if err := writeAll(dst, head); err != nil {
		return err
	}
	_, err := io.Copy(dst, src)
	return err
}

// cut looks for the mark's line in b, takes the numbers from it, and returns what stands around it.
func (m *mark) cut(b []byte) (before, after []byte, ok bool) {
	i := bytes.Index(b, []byte(m.token+" "))
	if i < 0 {
		return nil, nil, false
	}
	line, after, ok := bytes.Cut(b[i:], []byte("\n"))
	if !ok {
		return nil, nil, false
	}
	if f := strings.Fields(string(line)); len(f) == 3 {
		m.group, _ = strconv.Atoi(f[1])
		m.start = f[2]
	}
	return bytes.Clone(b[:i]), after, true
}

func writeAll(w io.Writer, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_, err := w.Write(b)
	return err
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// shStarted is a shell function: "started PID" sets $started to the start time of the process, in clock ticks since boot
// (/proc/PID/stat field 22), and is false when there is no such process. A pid together with its start time names a process for as
// long as the node is up; a pid alone does not.
const shStarted = `started() {
	started=
	{ read -r started </proc/$1/stat; } 2>/dev/null || return 1
	set -- ${started##*) }
	started=${20}
}
`

// killGroup ends the process group $1 whose leader started at $2: TERM now, KILL after $3 tenths of a second. The second
// part runs on by itself, so that it needs neither this session nor this connection.
const killGroup = shStarted + `
if started "$1" && [ "$2" != 0 ] && [ "$started" != "$2" ]; then exit 0; fi
kill -TERM "-$1" 2>/dev/null || exit 0
setsid sh -c '
i=0
while kill -0 "-$1" && [ $i -lt $2 ]; do sleep 0.1; i=$((i+1)); done
kill -KILL "-$1"
' sh "$1" "$3" </dev/null >/dev/null 2>&1 &
`

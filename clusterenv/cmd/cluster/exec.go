package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// An answer is what one node said.
type answer struct {
	node           string
	stdout, stderr []byte
	took           time.Duration
	err            error
}

// exec runs a command on all chosen nodes at once and prints what each said, in the order of the file.
func (p *program) exec(args []string) error {
	f := flag.NewFlagSet("exec", flag.ContinueOnError)
	from := file(f)
	only := f.String("nodes", "", "names of nodes, comma-separated")
	role := f.String("role", "", "nodes of this role")
	timeout := f.Duration("timeout", time.Minute, "for each node, dialling included")
	if err := p.parse(f, args, 1, -1); err != nil {
		return err
	}
	spec, err := load(*from)
	if err != nil {
		return err
	}
	names, err := choose(spec, *only, clusterenv.Role(*role))
	if err != nil {
		return err
	}
	if *timeout <= 0 {
		return usageError{fmt.Errorf("-timeout: %v; wants more than 0", *timeout)}
	}
	failed := 0
	for a := range p.ask(spec, names, *timeout, f.Args()) {
		fmt.Fprintf(p.stdout, "== %s\n", a.node)
		p.stdout.Write(ended(a.stdout))
		p.stderr.Write(ended(a.stderr))
		if a.err != nil {
			failed++
			p.tell(a.err)
		}
	}
	if failed > 0 {
		return fmt.Errorf("failed on %d of %d nodes", failed, len(names))
	}
	return nil
}

// tell prints what failed on a node; of a node that was not reached, also what may help.
func (p *program) tell(err error) {
	fmt.Fprintln(p.stderr, err)
	if cure := clusterenv.FaultOf(err).Cure(); cure != "" && errors.Is(err, clusterenv.ErrDisconnected) {
		fmt.Fprintf(p.stderr, "\t%s\n", cure)
	}
}

// ended is text with a final newline, so that the next node's begins on a line of its own.
func ended(text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		return append(text, '\n')
	}
	return text
}

// choose are the nodes that the flags name; all without them.
func choose(spec *clusterenv.Spec, only string, role clusterenv.Role) ([]string, error) {
	var names []string
	for _, n := range spec.Nodes {
		names = append(names, n.Name)
	}
	if only != "" {
		wanted := strings.Split(only, ",")
		for _, w := range wanted {
			if !slices.Contains(names, w) {
				return nil, usageError{fmt.Errorf("-nodes: no node is called %q; nodes: %s", w, strings.Join(names, ", "))}
			}
		}
		names = wanted
	}
	if role != "" {
		if !slices.Contains(roles, role) {
			return nil, usageError{fmt.Errorf("-role: %q; allowed: mn, cn, client, spare", role)}
		}
		of := strings.Join(names, ", ")
		names = slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(spec.Roles[role], n) })
		if len(names) == 0 {
			return nil, usageError{fmt.Errorf("-role: none of %s has role %s", of, role)}
		}
	}
	return names, nil
}

// ask runs argv on all nodes at the same time and yields the answers in the order of names, each as soon as those before
// it are there. A node that cannot be reached does not keep the others from answering.
func (p *program) ask(spec *clusterenv.Spec, names []string, limit time.Duration, argv []string) func(yield func(answer) bool) {
	answers := make([]chan answer, len(names))
	for i, name := range names {
		answers[i] = make(chan answer, 1)
		go func() { answers[i] <- p.askNode(spec, name, limit, argv) }()
	}
	return func(yield func(answer) bool) {
		for _, a := range answers {
			if !yield(<-a) {
				return
			}
		}
	}
}

func (p *program) askNode(spec *clusterenv.Spec, name string, limit time.Duration, argv []string) (a answer) {
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	a.node = name
	c, err := clusterenv.OpenNode(ctx, spec, name, p.dial)
	if err != nil {
		a.err = err
		return a
	}
	defer c.Close()
	var stdout, stderr bounded
	began := time.Now()
	wait, err := c.Node(name).Start(ctx, clusterenv.Command{Argv: argv, Stdout: &stdout, Stderr: &stderr})
	if err == nil {
		err = wait()
	}
	a.took, a.stdout, a.stderr, a.err = time.Since(began), stdout.bytes(), stderr.bytes(), err
	return a
}

// maxAnswer bounds what is kept of one node's output, in bytes.
const maxAnswer = 4 << 20

// bounded keeps the beginning of what is written to it.
type bounded struct {
	mu   sync.Mutex
	text bytes.Buffer
	lost int
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	keep := min(len(p), maxAnswer-b.text.Len())
	b.text.Write(p[:keep])
	b.lost += len(p) - keep
	return len(p), nil
}

func (b *bounded) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost > 0 {
		fmt.Fprintf(&b.text, "\n[%d more bytes]\n", b.lost)
		b.lost = 0
	}
	return b.text.Bytes()
}

// describe prints what a node is, a value a line, empty where the node cannot tell: system, kernel, processors, their model,
// memory in MiB, RDMA devices, and seconds since its boot.
const describe = `
. /etc/os-release 2>/dev/null
echo "$PRETTY_NAME"
uname -r
nproc
sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1
awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo
ls /sys/class/infiniband 2>/dev/null | tr '\n' ' '; echo
cut -d. -f1 /proc/uptime`

// facts prints what each node is, as a table.
func (p *program) facts(args []string) error {
	spec, err := p.loadOnly("facts", args)
	if err != nil {
		return err
	}
	names, err := choose(spec, "", "")
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tSYSTEM\tKERNEL\tCPUS\tMODEL\tMEMORY\tRDMA\tUP")
	var failed []error
	for a := range p.ask(spec, names, time.Minute, []string{"sh", "-c", describe, "facts"}) {
		if a.err != nil {
			failed = append(failed, a.err)
			fmt.Fprintf(w, "%s\t?\n", a.node)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\n", a.node, strings.Join(row(string(a.stdout)), "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, err := range failed {
		p.tell(err)
	}
	if failed != nil {
		return errReported
	}
	return nil
}

// row makes cells of what describe printed.
func row(text string) []string {
	cells := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, c := range cells {
		c = strings.Join(strings.Fields(strings.Map(printable, c)), " ")
		switch {
		case c == "":
			c = "-"
		case i == 4:
			c += " MiB"
		case i == 6:
			if up, err := time.ParseDuration(c + "s"); err == nil {
				c = up.Round(time.Minute).String()
				c = strings.TrimSuffix(c, "0s")
			}
		}
		cells[i] = c
	}
	return cells
}

// printable drops what a terminal could take for a command.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
		return ' '
	}
	return r
}

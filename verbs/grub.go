package verbs

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A GrubFile is one file that grub-mkconfig reads: /etc/default/grub or one of /etc/default/grub.d.
type GrubFile struct {
	Name string // path
	R    io.Reader
}

// A GrubVar is a shell variable of the configuration.
type GrubVar struct {
	Text    string
	Unknown string // why the text is not known: a command would have to run, or a condition be tested
	Origin  string // file:line of the last assignment
}

// Grub is what the configuration sets, before grub-mkconfig or update-grub has run.
type Grub struct {
	Vars    map[string]GrubVar
	Files   []string // in the order in which they were read
	Ignored []string // files of grub.d that do not end in .cfg
}

const maxGrub = 64 << 10 // bytes of one file

// ParseGrub evaluates /etc/default/grub and then the .cfg files of /etc/default/grub.d in the order of their names, as
// grub-mkconfig does, with the shell's quoting and expansion, and without running anything: a value
// that depends on a command, a condition or another file is unknown. A syntax error is a
// *SyntaxError; grub-mkconfig would fail there too.
func ParseGrub(files ...GrubFile) (Grub, error) {
	g := Grub{Vars: map[string]GrubVar{}}
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b GrubFile) int {
		if d := grubDir(a) - grubDir(b); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name) * grubDir(a)
	})
	for _, f := range files {
		if grubDir(f) == 1 && path.Ext(f.Name) != ".cfg" {
			g.Ignored = append(g.Ignored, f.Name)
			continue
		}
		if err := g.file(f); err != nil {
			return Grub{}, err
		}
		g.Files = append(g.Files, f.Name)
	}
	if len(g.Files) == 0 {
		return Grub{}, &InputError{Tool: "grub", Missing: "configuration file"}
	}
	return g, nil
}

// grubDir is 1 for files of grub.d, which come last.
func grubDir(f GrubFile) int {
	if strings.HasSuffix(path.Dir(f.Name), "grub.d") {
		return 1
	}
	return 0
}

func (g *Grub) file(f GrubFile) error {
	data, err := io.ReadAll(io.LimitReader(f.R, maxGrub+1))
	if err != nil {
		return fmt.Errorf("grub: read %s: %w", f.Name, err)
	}
	if len(data) > maxGrub {
		return &SyntaxError{f.Name, 0, "longer than 64 KiB"}
	}
	text, _ := grubText(string(data))
	if err := refusal(text); err != nil && !strings.Contains(text, "=") {
		return &InputError{Tool: "grub", Missing: "assignment", First: shorten(text), Cause: err}
	}
	prog, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), f.Name)
	if err != nil {
		return grubSyntax(f.Name, err)
	}
	for _, st := range prog.Stmts {
		g.stmt(f.Name, st)
	}
	return nil
}

func grubSyntax(name string, err error) error {
	switch e := err.(type) {
	case syntax.ParseError:
		return &SyntaxError{name, int(e.Pos.Line()), e.Text}
	case syntax.LangError:
		return &SyntaxError{name, int(e.Pos.Line()), e.Feature}
	}
	return &SyntaxError{name, 0, err.Error()}
}

// Cmdline returns the command line of a normal boot entry: GRUB_CMDLINE_LINUX, then GRUB_CMDLINE_LINUX_DEFAULT. The
// probe is yes when the text is known.
func (g Grub) Cmdline() (Cmdline, Probe) {
	var words []string
	for _, name := range []string{"GRUB_CMDLINE_LINUX", "GRUB_CMDLINE_LINUX_DEFAULT"} {
		v, ok := g.Vars[name]
		if v.Unknown != "" {
			return Cmdline{}, unknown("%s (%s): %s", name, v.Origin, v.Unknown)
		}
		if ok && v.Text != "" {
			words = append(words, v.Text)
		}
	}
	return Cmdline{strings.Join(words, " ")}, yes("read from %s", strings.Join(g.Files, ", "))
}

// Passthrough tells whether the next boot would ask for passthrough. Unknown also covers a configuration
// that leaves it to the kernel's default.
func (g Grub) Passthrough() Probe {
	c, known := g.Cmdline()
	if known.Answer != Yes {
		return known
	}
	return c.Passthrough()
}

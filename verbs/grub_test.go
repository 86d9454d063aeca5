package verbs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const grubMain = "/etc/default/grub"

// caseGrub evaluates a case after what the case gives as the value set before.
func caseGrub(t *testing.T, c toolCase, in io.Reader) Grub {
	t.Helper()
	name := grubMain
	if strings.Contains(c.Command, "grub.d") {
		name = c.Command[strings.Index(c.Command, "/etc"):]
	}
	files := []GrubFile{{name, in}}
	if prior, ok := c.Given["prior"]; ok {
		files = append(files, GrubFile{grubMain, strings.NewReader(fmt.Sprintf("GRUB_CMDLINE_LINUX_DEFAULT='%s'\n", prior))})
	}
	g, err := ParseGrub(files...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestCmdlineGrubCases(t *testing.T) {
	runCases(t, "cmdline_grub", func(t *testing.T, c toolCase, in io.Reader) object {
		if strings.Contains(c.Command, "/proc/cmdline") {
			cmd, err := ParseCmdline(in)
			if err != nil {
				t.Fatal(err)
			}
			return object{"effective": cmd.Text, "has_iommu_pt": cmd.Passthrough().Answer == Yes, "running": true}
		}
		g := caseGrub(t, c, in)
		cmd, known := g.Cmdline()
		if known.Answer != Yes {
			t.Fatal(known)
		}
		const variable = "GRUB_CMDLINE_LINUX_DEFAULT"
		return object{"effective": g.Vars[variable].Text, "has_iommu_pt": cmd.Passthrough().Answer == Yes, "variable": variable, "applies": len(g.Ignored) == 0}
	})
}

func FuzzParseCmdline(f *testing.F) {
	fuzzParser(f, "cmdline_grub", func(r io.Reader) (Probe, error) {
		c, err := ParseCmdline(r)
		if err != nil {
			return Probe{}, err
		}
		return c.Passthrough(), nil
	})
}

func FuzzParseGrub(f *testing.F) {
	f.Add([]byte("A=$B${C:=d}; B+=x; C=(1 2); export D=~root E=$((1<<62)) F=$'x'; if x; then A=1; fi\n"))
	f.Add([]byte("A=1234567890\nA=$A$A$A$A$A$A$A$A$A$A\nA=$A$A$A$A$A$A$A$A$A$A\nA=$A$A$A$A$A$A$A$A$A$A\n"))
	fuzzParser(f, "cmdline_grub", func(r io.Reader) (Grub, error) {
		g, err := ParseGrub(GrubFile{grubMain, r})
		for name, v := range g.Vars {
			if len(v.Text) > maxCmdline || v.Text != "" && v.Unknown != "" {
				return g, fmt.Errorf("%s: %d bytes, unknown %q", name, len(v.Text), v.Unknown)
			}
		}
		return g, err
	})
}

func grubOf(t *testing.T, text string) Grub {
	t.Helper()
	g, err := ParseGrub(GrubFile{grubMain, strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// What Debian and Red Hat ship holds a command substitution; it must not make the rest unknown.
func TestGrubQuoting(t *testing.T) {
	cmdline := func(in, want string) {
		t.Helper()
		got, known := grubOf(t, in).Cmdline()
		if got.Text != want || known.Answer != Yes {
			t.Errorf("%q: %q, %s; want %q", in, got.Text, known, want)
		}
	}
	cmdline("GRUB_DISTRIBUTOR=`lsb_release -i -s 2> /dev/null || echo Debian`\nGRUB_CMDLINE_LINUX_DEFAULT=quiet\nGRUB_CMDLINE_LINUX=\"\"\n", "quiet")
	cmdline("GRUB_CMDLINE_LINUX='a b'\nGRUB_CMDLINE_LINUX_DEFAULT=c\\ d\n", "a b c d")
	cmdline("GRUB_CMDLINE_LINUX=\"a\"' b'\\ c\n", "a b c")
	cmdline("GRUB_CMDLINE_LINUX=\"a \\\nb\\q\"\\\nc\n", `a b\qc`)
	cmdline("GRUB_CMDLINE_LINUX='$x `y`'\n", "$x `y`")
	cmdline("GRUB_CMDLINE_LINUX=\"dyndbg=\\\"file a +p\\\" x\"\r\n", `dyndbg="file a +p" x`)
	cmdline("OPTS='iommu=pt'; GRUB_CMDLINE_LINUX=\"$OPTS ${GRUB_CMDLINE_LINUX}\" # comment\n", "iommu=pt ")
	cmdline("export GRUB_CMDLINE_LINUX=a\n", "a")
	cmdline("GRUB_CMDLINE_LINUX=a echo b\nGRUB_CMDLINE_LINUX=c\n", "c")
	cmdline("GRUB_TIMEOUT=5\n", "")
}

// Nothing is run and nothing is guessed.
func TestGrubUnknown(t *testing.T) {
	depends := func(in, reason string) {
		t.Helper()
		if _, known := grubOf(t, in).Cmdline(); known.Answer != Unknown || !strings.Contains(known.Reason, reason) {
			t.Errorf("%q: %s; want unknown: …%s…", in, known, reason)
		}
	}
	depends("GRUB_CMDLINE_LINUX=\"$(cat /etc/opts)\"\n", "command")
	depends("GRUB_CMDLINE_LINUX=a\nif [ -e /x ]; then GRUB_CMDLINE_LINUX=b; fi\n", "condition")
	depends("GRUB_CMDLINE_LINUX=a\n. /etc/more\n", "is not done here")
	depends("GRUB_CMDLINE_LINUX=a\nGRUB_CMDLINE_LINUX+=' b'\n", "bash")
	depends("GRUB_CMDLINE_LINUX=$ELSEWHERE\n", "$ELSEWHERE is not set")
	depends("X=`date`\nGRUB_CMDLINE_LINUX=$X\n", "$X is not known")
	depends("GRUB_CMDLINE_LINUX=~root\n", "~")
	depends("GRUB_CMDLINE_LINUX=${A:-b}\n", "operator")
	depends("[ -e /x ] && GRUB_CMDLINE_LINUX=b\n", "condition")
}

func TestGrubFiles(t *testing.T) {
	set := func(name, value string) GrubFile {
		return GrubFile{name, strings.NewReader("GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT " + value + "\"\n")}
	}
	g, err := ParseGrub(set("/etc/default/grub.d/90-b.cfg", "4"), set("/etc/default/grub.d/99-c.cfg.dpkg-old", "5"),
		set("/etc/default/grub.d/50-a.cfg", "3"), set(grubMain, "1"))
	if err != nil {
		t.Fatal(err)
	}
	want := Grub{
		Vars:    map[string]GrubVar{"GRUB_CMDLINE_LINUX_DEFAULT": {Text: " 1 3 4", Origin: "/etc/default/grub.d/90-b.cfg:1"}},
		Files:   []string{grubMain, "/etc/default/grub.d/50-a.cfg", "/etc/default/grub.d/90-b.cfg"},
		Ignored: []string{"/etc/default/grub.d/99-c.cfg.dpkg-old"},
	}
	if diff := cmp.Diff(want, g); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGrubRefuses(t *testing.T) {
	var syntax *SyntaxError
	_, err := ParseGrub(GrubFile{grubMain, strings.NewReader("A=1\nGRUB_CMDLINE_LINUX=\"quiet\nB=2\n")})
	if !errors.As(err, &syntax) || syntax.Tool != grubMain || syntax.Line < 2 {
		t.Errorf("an open quote: %v, want a syntax error in %s", err, grubMain)
	}
	_, err = ParseGrub(GrubFile{grubMain, strings.NewReader("cat: /etc/default/grub: Permission denied\n")})
	if !errors.Is(err, ErrPermission) {
		t.Errorf("%v, want %v", err, ErrPermission)
	}
	if _, err = ParseGrub(GrubFile{grubMain, bytes.NewReader(make([]byte, maxGrub+1))}); !errors.As(err, &syntax) {
		t.Errorf("a file that is too long: %v", err)
	}
	if _, err = ParseGrub(); !errors.Is(err, ErrNoData) {
		t.Errorf("no file: %v, want %v", err, ErrNoData)
	}
}

func TestGrubPassthrough(t *testing.T) {
	for in, want := range map[string]Tri{
		"GRUB_CMDLINE_LINUX=iommu=pt\nGRUB_CMDLINE_LINUX_DEFAULT=quiet\n":       Yes,
		"GRUB_CMDLINE_LINUX=iommu=pt\nGRUB_CMDLINE_LINUX_DEFAULT=iommu=nopt\n":  No, // comes last
		"GRUB_CMDLINE_LINUX_DEFAULT=quiet\n":                                    Unknown,
		"GRUB_CMDLINE_LINUX=iommu=pt\nGRUB_CMDLINE_LINUX_DEFAULT=\"$(opts)\"\n": Unknown,
		"if true; then echo $(x) | read A; : ${GRUB_CMDLINE_LINUX:=a}; fi\n":    Unknown,
	} {
		if p := grubOf(t, in).Passthrough(); p.Answer != want {
			t.Errorf("%q: %s, want %s", in, p, want)
		}
	}
}

package verbs

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// A GrubEdit is a change of one file of the configuration. Without one, Name is empty.
type GrubEdit struct {
	Name     string // path
	Old, New string // the whole text
}

// grubDefault is what grub-mkconfig puts last on the command line of a normal boot entry.
const grubDefault = "GRUB_CMDLINE_LINUX_DEFAULT"

// AskPassthrough edits the configuration so that the next boot asks for passthrough: it puts param (iommu=pt, or iommu.passthrough=1 on
// arm64) at the end of GRUB_CMDLINE_LINUX_DEFAULT where that is assigned last, in /etc/default/grub or in a file of grub.d, so that it
// wins over what is said before; all other bytes stay. Where nothing assigns it, a line is added to /etc/default/grub.
// There is no edit where the configuration asks already. What has to be left to a person is an error that names file and
// line: an assignment in a condition, a value that a command makes, a command line that says -- or that param cannot win.
func AskPassthrough(param string, files ...GrubFile) (GrubEdit, error) {
	texts := map[string]string{}
	for _, f := range files {
		data, err := io.ReadAll(io.LimitReader(f.R, maxGrub+1))
		if err != nil {
			return GrubEdit{}, fmt.Errorf("grub: read %s: %w", f.Name, err)
		}
		texts[f.Name] = string(data)
	}
	g, err := ParseGrub(again(files, texts)...)
	if err != nil {
		return GrubEdit{}, err
	}
	switch _, known := g.Cmdline(); {
	case known.Answer != Yes:
		return GrubEdit{}, fmt.Errorf("grub: to be edited by hand: %s", known.Reason)
	case g.Passthrough().Answer == Yes:
		return GrubEdit{}, nil
	}
	edit, err := g.edit(param, texts)
	if err != nil {
		return GrubEdit{}, err
	}
	if err := edit.prove(files, texts); err != nil {
		return GrubEdit{}, err
	}
	return edit, nil
}

// again gives files with their texts from the beginning.
func again(files []GrubFile, texts map[string]string) []GrubFile {
	fresh := slices.Clone(files)
	for i, f := range fresh {
		fresh[i].R = strings.NewReader(texts[f.Name])
	}
	return fresh
}

// edit puts the parameter in where the variable is assigned last.
func (g Grub) edit(param string, texts map[string]string) (GrubEdit, error) {
	for _, name := range slices.Backward(g.Files) {
		old := texts[name]
		a, err := lastAssign(name, old)
		if err != nil {
			return GrubEdit{}, err
		}
		if a != nil {
			return GrubEdit{Name: name, Old: old, New: insertParam(old, a, param)}, nil
		}
	}
	if path.Base(path.Dir(g.Files[0])) == "grub.d" {
		return GrubEdit{}, fmt.Errorf("grub: there is no /etc/default/grub, and no file of grub.d sets %s", grubDefault)
	}
	old := texts[g.Files[0]]
	return GrubEdit{Name: g.Files[0], Old: old, New: addLine(old, fmt.Sprintf("%s=%q", grubDefault, param))}, nil
}

// prove evaluates the configuration as it would be.
func (e GrubEdit) prove(files []GrubFile, texts map[string]string) error {
	texts[e.Name] = e.New
	g, err := ParseGrub(again(files, texts)...)
	if err != nil {
		return fmt.Errorf("grub: to be edited by hand, since the edit would not be read: %w", err)
	}
	if p := g.Passthrough(); p.Answer != Yes {
		return fmt.Errorf("grub: to be edited by hand: a parameter at the end of %s (%s) would not be heard: %s", grubDefault, g.Vars[grubDefault].Origin, p.Reason)
	}
	return nil
}

// addLine ends the text with a line, in the manner of its lines.
func addLine(text, line string) string {
	end := "\n"
	if strings.HasSuffix(text, "\r\n") {
		end = "\r\n"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		line = end + line
	}
	return text + line + end
}

// lastAssign is the last statement of the file that assigns the variable; nil if none does.
func lastAssign(name, text string) (*syntax.Assign, error) {
	text, _ = grubText(text)
	prog, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), name)
	if err != nil {
		return nil, grubSyntax(name, err)
	}
	var last *syntax.Assign
	syntax.Walk(prog, func(n syntax.Node) bool {
		if a, ok := n.(*syntax.Assign); ok && a.Name != nil && a.Name.Value == grubDefault && !a.Naked {
			last = a
		}
		_, function := n.(*syntax.FuncDecl)
		return !function
	})
	return last, nil
}

// grubText is the text as it is parsed, and where each of its bytes stands in the original: line ends of another system become the shell's, and
// bytes of an encoding that is not UTF-8, which the shell takes as they are, become question marks.
func grubText(text string) (plain string, offsets []int) {
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b, offsets = append(b, '?'), append(offsets, i)
		case r == '\r' && strings.HasPrefix(text[i:], "\r\n"):
		default:
			b = append(b, text[i:i+n]...)
			for k := range n {
				offsets = append(offsets, i+k)
			}
		}
		i += n
	}
	return string(b), append(offsets, len(text))
}

// insertParam puts the parameter at the end of the assigned value, within its last quotes if it ends with some.
func insertParam(text string, a *syntax.Assign, param string) string {
	plain, offsets := grubText(text)
	at, inserted := int(a.End().Offset()), fmt.Sprintf("\" %s\"", param)
	switch parts := valueParts(a); {
	case len(parts) == 0:
		inserted = fmt.Sprintf("%q", param)
	default:
		switch last := parts[len(parts)-1].(type) {
		case *syntax.DblQuoted:
			at, inserted = int(last.Right.Offset()), " "+param
		case *syntax.SglQuoted:
			at, inserted = int(last.Right.Offset()), " "+param
		}
		if empty := plain[a.Value.Pos().Offset():a.End().Offset()]; empty == `""` || empty == `''` {
			inserted = param
		}
	}
	return text[:offsets[at]] + inserted + text[offsets[at]:]
}

func valueParts(a *syntax.Assign) []syntax.WordPart {
	if a.Value == nil {
		return nil
	}
	return a.Value.Parts
}

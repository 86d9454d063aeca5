package verbs

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stmt applies one statement of a file. Assignments and exports are applied; what any other statement
// would assign is unknown from then on.
func (g *Grub) stmt(file string, st *syntax.Stmt) {
	plain := !st.Background && !st.Coprocess && !st.Negated && len(st.Redirs) == 0
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		if plain && len(c.Args) == 0 {
			for _, a := range c.Assigns {
				g.assign(file, a)
			}
			return
		}
		g.call(file, c)
	case *syntax.DeclClause:
		if plain && c.Variant.Value == "export" {
			for _, a := range c.Args {
				if a.Name != nil && !a.Naked {
					g.assign(file, a)
				}
			}
			return
		}
		g.spoil(file, st, "not evaluated: "+c.Variant.Value)
	case *syntax.FuncDecl: // defines, runs nothing
	default:
		g.spoil(file, st, "assigned in a condition, loop or list, which is not evaluated")
	}
}

// call handles a command, which is never run. Those that cannot set variables of the file are harmless.
func (g *Grub) call(file string, c *syntax.CallExpr) {
	name := ""
	if len(c.Args) > 0 {
		name = c.Args[0].Lit()
	}
	switch name {
	case "echo", "printf", ":", "true", "false", "test", "[", "set":
	default:
		g.spoilAll(fmt.Sprintf("%s:%d runs %q, which is not done here", file, c.Pos().Line(), shorten(name)))
	}
}

// spoil marks every variable that a statement may assign; a command inside it may set any.
func (g *Grub) spoil(file string, st *syntax.Stmt, why string) {
	syntax.Walk(st, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				g.set(n.Name.Value, GrubVar{Unknown: why, Origin: origin(file, n)})
			}
		case *syntax.CmdSubst, *syntax.Subshell:
			return false // cannot set variables of the file
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				g.call(file, n)
			}
		case *syntax.ParamExp: // ${x:=y} assigns
			if n.Exp != nil && n.Param != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				g.set(n.Param.Value, GrubVar{Unknown: why, Origin: origin(file, n)})
			}
		}
		return true
	})
}

// spoilAll marks the two variables that matter, whatever they were.
func (g *Grub) spoilAll(why string) {
	for _, name := range []string{"GRUB_CMDLINE_LINUX", "GRUB_CMDLINE_LINUX_DEFAULT"} {
		v := g.Vars[name]
		v.Text, v.Unknown = "", why
		g.set(name, v)
	}
}

func (g *Grub) set(name string, v GrubVar) {
	if _, ok := g.Vars[name]; ok || len(g.Vars) < maxPorts {
		g.Vars[name] = v
	}
}

func origin(file string, n syntax.Node) string { return fmt.Sprintf("%s:%d", file, n.Pos().Line()) }

func (g *Grub) assign(file string, a *syntax.Assign) {
	v := GrubVar{Origin: origin(file, a)}
	switch {
	case a.Append:
		v.Unknown = "+= works only where /bin/sh is bash"
	case a.Index != nil || a.Array != nil:
		v.Unknown = "an array"
	case a.Value != nil:
		if v.Unknown = g.opaque(a.Value); v.Unknown == "" {
			v.Text, v.Unknown = g.expand(a.Value)
		}
	}
	g.set(a.Name.Value, v)
}

// expand evaluates a word of literals, quotes and known variables; opaque has found nothing else in it.
func (g *Grub) expand(w *syntax.Word) (text, why string) {
	var b strings.Builder
	g.parts(&b, w.Parts, false)
	if b.Len() > maxCmdline {
		return "", "longer than any kernel command line"
	}
	return b.String(), ""
}

func (g *Grub) parts(b *strings.Builder, parts []syntax.WordPart, quoted bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			unescapeShell(b, p.Value, quoted)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			g.parts(b, p.Parts, true)
		case *syntax.ParamExp:
			b.WriteString(g.Vars[p.Param.Value].Text)
		}
	}
}

// unescapeShell removes the backslashes that quote: every one outside quotes, inside double quotes those
// before $, `, ", \ and a line end, which goes too.
func unescapeShell(b *strings.Builder, s string, quoted bool) {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) || quoted && !strings.ContainsRune("$`\"\\\n", rune(s[i+1])) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if s[i] != '\n' {
			b.WriteByte(s[i])
		}
	}
}

// opaque tells why a word cannot be evaluated without running something; empty when it can.
func (g *Grub) opaque(w *syntax.Word) (why string) {
	const mostRefs = 64 // with maxCmdline this bounds the text of one word
	refs := 0
	if lit, ok := w.Parts[0].(*syntax.Lit); ok && strings.HasPrefix(lit.Value, "~") {
		return "begins with ~"
	}
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.Word, *syntax.Lit:
		case *syntax.SglQuoted:
			if n.Dollar {
				why = "$'…' works only where /bin/sh is bash"
			}
		case *syntax.DblQuoted:
			if n.Dollar {
				why = "$\"…\" works only where /bin/sh is bash"
			}
		case *syntax.ParamExp:
			if refs++; refs > mostRefs {
				why = "too many variables"
			} else if why == "" {
				why = g.opaqueParam(n)
			}
			return false
		case *syntax.CmdSubst:
			why = "a command would have to run"
			return false
		default:
			why = "not evaluated: arithmetic or an extension of bash"
			return false
		}
		return true
	})
	return why
}

// opaqueParam allows $x and ${x} of a variable that the files set, or that grub-mkconfig leaves unset.
func (g *Grub) opaqueParam(p *syntax.ParamExp) string {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.IsSet || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil || p.Names != 0 {
		return "not evaluated: an operator in ${…}"
	}
	v, ok := g.Vars[p.Param.Value]
	switch {
	case v.Unknown != "":
		return "$" + p.Param.Value + " is not known: " + v.Unknown
	case !ok && !strings.HasPrefix(p.Param.Value, "GRUB_CMDLINE_"):
		return "$" + p.Param.Value + " is not set in these files"
	}
	return ""
}

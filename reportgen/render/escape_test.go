package render

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	test := func(in, want string) {
		t.Helper()
		if got := Clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
	test("+a1", "+a1")
	test("\x1b[32m[      1234][a.cc:7] msg\x1b[0m", "[ 1234][a.cc:7] msg")
	test("a\x1b[2J\x1b[1;1Hb", "ab")
	test("a\x1b]0;title\x07b\x1b]8;;http://h\x1b\\c", "abc")
	test("a\x1bcb", "ab")
	test("tab\tline\r\nend ", "tab line end")
	test("nul\x00bell\a", "nul\uFFFDbell\uFFFD")
	test("\u202egnp", "\uFFFDgnp")
	test("\xff\xfe", "\uFFFD")
	test("\u009b31mred", "red")
	test("Δ µ 日本", "Δ µ 日本")
	test("", "")
}

func TestShortIsBounded(t *testing.T) {
	for _, s := range []string{strings.Repeat("x", 1<<20), strings.Repeat("日", 1<<20), strings.Repeat("\x1b[31mx", 1<<20)} {
		if n := utf8.RuneCountInString(short(s)); n != maxText {
			t.Errorf("short of %d bytes has %d characters, want %d", len(s), n, maxText)
		}
	}
	if got := short("fits"); got != "fits" {
		t.Errorf("short(fits) = %q", got)
	}
}

func TestMarkdownEscape(t *testing.T) {
	test := func(in, want string) {
		t.Helper()
		if got := blockEscape(markdownEscape(in)); got != want {
			t.Errorf("markdown of %q = %q, want %q", in, got, want)
		}
	}
	test("full_v27", "full_v27")
	test("+a1", "+a1")
	test("_it_", `\_it\_`)
	test("a|b", `a\|b`)
	test(`a\|b`, `a\\\|b`)
	test("`x`", "\\`x\\`")
	test("<script>", `\<script>`)
	test("</p> <!-- <?x", `\</p> \<!-- \<?x`)
	test("p < 0.05", "p < 0.05")
	test("&lt; &#60; a & b", `\&lt; \&#60; a & b`)
	test("**b** 2 * 3", `\*\*b\*\* 2 * 3`)
	test("~~s~~ ~ p", `\~\~s\~\~ ~ p`)
	test("[13.58, 13.71]", "[13.58, 13.71]")
	test("[l](http://h) ![i][r] [d]: u", `[l\](http://h) ![i\][r] [d\]: u`)
	test("$x$", `\$x\$`)
	test("# h, C# 1", `\# h, C# 1`)
	test("- item", `\- item`)
	test("---", `\---`)
	test("> quote", `\> quote`)
	test("1. item", `1\. item`)
	test("1.5 is a number", "1.5 is a number")
}

func TestLaTeXEscape(t *testing.T) {
	test := func(in, want string) {
		t.Helper()
		if got := latexEscape(in); got != want {
			t.Errorf("LaTeX of %q = %q, want %q", in, got, want)
		}
	}
	test("full_v27", `full\_v27`)
	test("75 %", `75\,\%`)
	test(`\input{x}`, `\textbackslash{}input\{x\}`)
	test("[a] *", `{[}a{]} {*}`)
	test("--flag", `-{}-flag`)
	test("-3.2 %", `$-$3.2\,\%`)
	test("a^b~c#d&e$f", `a\textasciicircum{}b\textasciitilde{}c\#d\&e\$f`)
	test("Δ — é 日", `$\Delta$ --- é ?`)
}

func TestCSVText(t *testing.T) {
	for in, want := range map[string]string{"a1": "a1", "+a1": "'+a1", "=1+1": "'=1+1", " -x": "'-x", "@f": "'@f", "\t=x": "'=x", "＝x": "'＝x", "a=b": "a=b", "": "", "-5.3": "-5.3", "-1e-05": "-1e-05", "-1+1": "'-1+1"} {
		if got := csvText(in); got != want {
			t.Errorf("csvText(%q) = %q, want %q", in, got, want)
		}
	}
}

// In the LaTeX of any text, braces pair, and nothing of the text is left that could start a command, a column or math.
func FuzzLaTeXEscape(f *testing.F) {
	f.Add(nasty)
	f.Add(`\end{document}%`)
	f.Fuzz(func(t *testing.T, s string) {
		got := latexEscape(short(s))
		for _, known := range latexSpecial {
			if strings.ContainsAny(known, `\{}$&%#_`) {
				got = strings.ReplaceAll(got, known, "")
			}
		}
		got = strings.NewReplacer(`\,\%`, "", "{}-", "", "$-$", "", `\,`, "").Replace(got)
		if i := strings.IndexAny(got, `\{}$&%#_^~`); i >= 0 {
			t.Errorf("latexEscape(%q) leaves %q", s, got[i:])
		}
	})
}

// A table cell of any text has no bar that would end it.
func FuzzMarkdownEscape(f *testing.F) {
	f.Add(nasty)
	f.Add(`\\|`)
	f.Fuzz(func(t *testing.T, s string) {
		got := markdownEscape(short(s))
		rest := strings.ReplaceAll(got, `\\`, "")
		if strings.Contains(strings.ReplaceAll(rest, `\|`, ""), "|") || strings.ContainsAny(got, "\n\r\x1b") {
			t.Errorf("markdownEscape(%q) = %q", s, got)
		}
	})
}

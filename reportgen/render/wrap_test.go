package render

import (
	"regexp"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	test := func(in, want string) {
		t.Helper()
		if got := wrap(in, 10, "  "); got != want {
			t.Errorf("wrap(%q) =\n%s\nwant\n%s", in, got, want)
		}
	}
	test("", "")
	test("ten chars.", "ten chars.")
	test("eleven char", "eleven\n  char")
	test("a averyveryverylongword b", "a\n  averyveryverylongword\n  b")
	test("日本日本 日 x", "日本日本\n  日 x")
	test("12345678 - x", "12345678 -\n  x")
	test("123456789 - x", "123456789\n  \\- x")
	test("123456789 --- x", "123456789\n  \\--- x")
	test("123456789 -3 % x", "123456789\n  -3 % x")
	test("123456789 +a1 x", "123456789\n  +a1 x")
	test("123456789 = x", "123456789\n  \\= x")
	test("123456789 > x", "123456789\n  \\> x")
	test("123456789 * x", "123456789\n  \\* x")
	test("123456789 ~ x", "123456789\n  ~ x")
	test("123456789 ~~~ x", "123456789\n  \\~~~ x")
	test("1234567 95 % x", "1234567\n  95 % x")
	test("123456789 % x", "123456789 %\n  x")
	test("123456789 1. x", "123456789\n  1\\. x")
	test("123456789 1.5 x", "123456789\n  1.5 x")
}

var opensBlock = regexp.MustCompile(`^ *(?:[-+*]( |$)|>|#{1,6}( |$)|\d{1,9}[.)]( |$)|=+ *$|-+ *$|(\* *){3}|~~~|` + "```" + `|\||:?-+:? *$)`)

// However a text is wrapped, no line of it opens a block of its own, and none is wider than it must be.
func FuzzWrap(f *testing.F) {
	f.Add(nasty)
	f.Add("x * - + = > 1. 2) --- === ~~~ ``` # a :-: | b")
	f.Fuzz(func(t *testing.T, s string) {
		text := blockEscape(markdownEscape(short(s)))
		for i, line := range strings.Split(wrap(text, 12, "  "), "\n") {
			if i > 0 && opensBlock.MatchString(line) {
				t.Errorf("%q: line %q", s, line)
			}
			if words := words(line); len(words) > 1 && displayWidth(strings.Join(words, " ")) > 13 { // 12 and a backslash
				t.Errorf("%q: line %q is too wide", s, line)
			}
		}
	})
}

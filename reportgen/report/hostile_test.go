package report_test

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/gotestbed/gotestbed/reportgen/report"
)

// hostile is what a log can hold: HTML with scripts, Markdown, LaTeX, a formula of a spreadsheet, escapes of a terminal and
// letters that change the direction of a text.
const hostile = `=cmd|'/C calc'!A0 <script>window.pwned=1</script><img src=x onerror="window.pwned=1"> "'></style></svg> [x](javascript:window.pwned=1) ` +
	"`b` ![i](http://127.0.0.1/i.png) $x^2$ \\input{/etc/passwd} \\end{document} % & # _ {" +
	"\x1b[31mred\x1b]0;title\x07 \u202Eevil\u2066 \u0085 \u200b"

// poisoned are the keys of JSON files whose texts come from nodes, logs or people.
var poisoned = []string{"system", "site", "profile", "hardware", "question", "label", "text", "reason", "cure", "check", "cpu", "nic", "kernel", "recording", "notes",
	"commit", "title", "cause", "command", "order"}

// poison puts the hostile text before those texts.
func poison(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = poison(k, x)
		}
	case []any:
		for i, x := range v {
			v[i] = poison(key, x)
		}
	case string:
		if slices.Contains(poisoned, key) {
			return hostile + v
		}
	}
	return v
}

// poisonedRun copies the full run with hostile text in its JSON files, logs and benchmarks.
func poisonedRun(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "full")
	if err := os.CopyFS(dir, os.DirFS(full)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var out strings.Builder
		switch filepath.Ext(name) {
		case ".json", ".jsonl":
			in, enc := json.NewDecoder(strings.NewReader(string(data))), json.NewEncoder(&out)
			for {
				var v any
				if err := in.Decode(&v); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					return err
				}
				if err := enc.Encode(poison("", v)); err != nil {
					return err
				}
			}
		case ".log":
			for line := range strings.Lines(string(data)) {
				out.WriteString(strings.TrimSuffix(line, "\n") + " " + hostile + "\n")
			}
		case ".txt":
			out.WriteString("odd: " + hostile + "\n# warning: " + hostile + "\nBenchmarkX/of=<img,src=x,onerror=window.pwned=1>\\input{y}/pair=a 1 5 ops/s\n" +
				"# warning: " + hostile + "\n" + string(data))
		default:
			return nil
		}
		return os.WriteFile(name, []byte(out.String()), 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestHostileText(t *testing.T) {
	run := poisonedRun(t)
	r := newReport(t, source(t, run, "../full"))
	dir := t.TempDir()
	names, err := r.WriteDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		check, ok := safe[filepath.Ext(name)]
		if !ok {
			continue
		}
		text := string(data)
		if strings.Contains(text, "calc") {
			seen[filepath.Ext(name)]++
		}
		if i := strings.IndexFunc(text, dangerous); i >= 0 {
			t.Errorf("%s: %q", name, text[max(0, i-40):min(len(text), i+40)])
		}
		check(t, name, text)
	}
	for ext := range safe {
		if seen[ext] == 0 {
			t.Errorf("no %s file has the text: nothing was tried", ext)
		}
	}
	t.Run("explain", func(t *testing.T) {
		e, err := report.Explain(readDir(t, run), "step6", "a1", "commit_kops")
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := e.WriteText(&out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "calc") || strings.IndexFunc(out.String(), dangerous) >= 0 {
			t.Errorf("%q", out.String())
		}
	})
	t.Run("benchmarks", func(t *testing.T) {
		var out strings.Builder
		for _, s := range report.Benchmarks(readDir(t, run)) {
			if err := s.WriteMarkdown(&out); err != nil {
				t.Fatal(err)
			}
		}
		if i := strings.IndexFunc(out.String(), dangerous); i >= 0 || !strings.Contains(out.String(), "calc") {
			t.Errorf("%q", out.String())
		}
		markdown(t, "stdout", out.String())
	})
	t.Run("browser", func(t *testing.T) { inBrowser(t, filepath.Join(dir, "report.html")) })
	t.Run("pdflatex", func(t *testing.T) {
		program, err := exec.LookPath("pdflatex")
		if err != nil || testing.Short() {
			t.Skip("no pdflatex in PATH, or -short")
		}
		compile(t, program, dir, document(t, dir, names))
	})
}

// dangerous tells the letters that a terminal obeys, or that hide or turn text.
func dangerous(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b')
}

// safe looks for text that got through, by the kind of file.
var safe = map[string]func(t *testing.T, name, text string){
	".md":   markdown,
	".html": without("<script>window", "<img", "src=x onerror=\"", `href="javascript`, `href="http`),
	".tex":  latex,
	".svg":  wellFormed,
	".csv":  noFormulas,
}

var (
	markdownEscapes = regexp.MustCompile("\\\\[!-/:-@\\[-`{-~]")
	latexComments   = regexp.MustCompile(`(^|[^\\])%.*`)
)

func markdown(t *testing.T, name, text string) {
	t.Helper()
	without("<script", "<img", "</style", "[x](", "![i](", "`b`")(t, name, markdownEscapes.ReplaceAllString(text, "·"))
}

func latex(t *testing.T, name, text string) {
	t.Helper()
	without(`\input{/etc`, `\end{document}`, "$x^2$")(t, name, latexComments.ReplaceAllString(text, ""))
}

func without(list ...string) func(t *testing.T, name, text string) {
	return func(t *testing.T, name, text string) {
		t.Helper()
		for _, bad := range list {
			if i := strings.Index(text, bad); i >= 0 {
				t.Errorf("%s: …%s…", name, text[max(0, i-60):min(len(text), i+60)])
			}
		}
	}
}

// wellFormed reads an SVG, in which nothing may run.
func wellFormed(t *testing.T, name, text string) {
	t.Helper()
	in := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if e, ok := token.(xml.StartElement); ok && slices.Contains([]string{"script", "img", "image", "foreignObject", "a"}, e.Name.Local) {
			t.Errorf("%s has a <%s>", name, e.Name.Local)
		}
	}
}

// noFormulas reads a CSV file, in which no text may begin like a formula.
func noFormulas(t *testing.T, name, text string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for _, cell := range slices.Concat(rows...) {
		if _, err := strconv.ParseFloat(cell, 64); err != nil && strings.IndexAny(cell, "=+-@\t\r") == 0 {
			t.Errorf("%s: %q", name, cell)
		}
	}
}

// inBrowser opens the page and sees whether something ran, was asked for, or complained.
func inBrowser(t *testing.T, file string) {
	b := newBrowser(t)
	b.open(file)
	var page struct {
		Pwned         bool
		Images, Links int
		Text          bool
	}
	b.eval(`(() => { for (const e of document.querySelectorAll("a, button")) e.focus();
		return {pwned: "pwned" in window, images: document.images.length,
			links: [...document.querySelectorAll("a[href]")].filter(a => !["file:"].includes(a.protocol)).length,
			text: document.body.innerText.includes("<script>window.pwned=1</script>")}; })()`, &page)
	if page.Pwned || page.Images > 0 || page.Links > 0 || !page.Text {
		t.Errorf("%+v", page)
	}
	if len(b.requests) > 0 || len(b.console) > 0 {
		t.Errorf("asked for %q; the console says %q", b.requests, b.console)
	}
}

package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gotestbed/gotestbed/reportgen/figure"
	"github.com/gotestbed/gotestbed/reportgen/report"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// source reads a run directory as the program does.
func source(t *testing.T, dir, base string) report.Source {
	t.Helper()
	run, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	figures, err := figure.OfRun(run)
	if err != nil {
		t.Fatal(err)
	}
	return report.Source{Run: run, Figures: figures, Base: base}
}

// page writes the page of the report on the demo run and returns its name.
func page(t *testing.T, sources ...report.Source) string {
	t.Helper()
	r, err := report.New(sources)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := r.WriteHTML(f); err != nil {
		t.Fatal(err)
	}
	return name
}

const demo = "../testdata/demo"

func TestPageInBrowser(t *testing.T) {
	b := newBrowser(t)
	b.open(page(t, source(t, demo, "../demo")))
	for _, scheme := range []string{"light", "dark"} {
		for name, width := range map[string]int{"wide": 1280, "phone": 390} {
			b.appear(scheme, "screen", width)
			b.picture(scheme + "-" + name)
			var overflow int
			b.eval("document.documentElement.scrollWidth - document.documentElement.clientWidth", &overflow)
			if overflow > 0 {
				t.Errorf("%s, %s: the page is %d pixels wider than the window", scheme, name, overflow)
			}
		}
	}
	b.appear("light", "print", 794)
	b.picture("print")
	b.appear("light", "screen", 1280)
	t.Run("theme", func(t *testing.T) { themes(t, b) })
	t.Run("sort", func(t *testing.T) { sorting(t, b) })
	t.Run("origins", func(t *testing.T) { tooltips(t, b) })
	if len(b.requests) > 0 {
		t.Errorf("the page asked for %q", b.requests)
	}
	if len(b.console) > 0 {
		t.Errorf("the console says %q", b.console)
	}
}

// themes follows the button: what the system says, dark, light, and back.
func themes(t *testing.T, b *browser) {
	b.t = t
	background := func() (colour string) {
		b.eval("getComputedStyle(document.body).backgroundColor", &colour)
		return colour
	}
	const light, dark = "rgb(255, 255, 255)", "rgb(20, 23, 26)"
	got := []string{background()}
	for range 3 {
		b.click("#theme")
		got = append(got, background())
	}
	if diff := cmp.Diff([]string{light, dark, light, light}, got); diff != "" {
		t.Errorf("on a light system (-want +got):\n%s", diff)
	}
	b.appear("dark", "screen", 1280)
	if got := background(); got != dark {
		t.Errorf("on a dark system: %s", got)
	}
	b.appear("light", "screen", 1280)
}

// sorting clicks on heads of columns: numbers sort as numbers, what is absent comes last either way.
func sorting(t *testing.T, b *browser) {
	b.t = t
	column := func() (cells []string) {
		b.eval("[...document.querySelectorAll('#step6 tbody tr')].map(r => r.cells[0].textContent.trim())", &cells)
		return cells
	}
	const head = "#step6 thead th:nth-child(4) button" // committed KOPS
	b.click(head)
	if diff := cmp.Diff([]string{"baseline", "+a1", "full_v27", "+a2"}, column()); diff != "" {
		t.Errorf("ascending (-want +got):\n%s", diff)
	}
	var state string
	b.eval("document.querySelector('#step6 thead th:nth-child(4)').getAttribute('aria-sort')", &state)
	if state != "ascending" {
		t.Errorf("aria-sort is %q", state)
	}
	b.click(head)
	if diff := cmp.Diff([]string{"full_v27", "+a1", "baseline", "+a2"}, column()); diff != "" {
		t.Errorf("descending (-want +got):\n%s", diff)
	}
}

// tooltips points at a number, and reads where it is from.
func tooltips(t *testing.T, b *browser) {
	b.t = t
	var tip struct {
		Hidden     bool
		Text, Href string
	}
	look := func() {
		b.eval(`(() => { const t = document.getElementById("tip"); return {hidden: t.hidden, text: t.textContent, href: t.querySelector("a")?.getAttribute("href") ?? ""}; })()`, &tip)
	}
	if look(); !tip.Hidden {
		t.Error("there is a tip before anything was pointed at")
	}
	b.eval(`(document.querySelector("#step6 tbody tr td:nth-child(4) a").focus(), true)`, new(bool))
	look()
	b.picture("tip")
	const text, href = "rep 0: 13.64 KOPS", "../demo/step6/full_v27_rep0/m_client.log#:~:text=Tried%20Throughput"
	if tip.Hidden || !strings.Contains(tip.Text, text) || !strings.Contains(tip.Text, "m_client.log:3") || !strings.Contains(tip.Text, "Commit Troughput: 13.64 KOPS") || !strings.Contains(tip.Href, href) {
		t.Errorf("the tip: %+v", tip)
	}
	b.eval(`(document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"})), true)`, new(bool))
	if look(); !tip.Hidden {
		t.Error("Escape leaves the tip open")
	}
}

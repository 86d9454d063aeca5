package watch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// signs stand for the attempts of a cell.
var signs = map[results.Verdict]string{
	results.Pass: "●", results.Fail: "✗", results.Infra: "↻", results.Invalid: "!", results.NotRun: "·", results.Unfinished: "▶",
}

const legend = "● pass  ✗ fail  ↻ testbed, tried again  ! not usable  ▶ running  · to come"

// stalled is after how long without news a person should look. The longest step of a cell takes about a minute.
const stalled = 5 * time.Minute

// Screen is the state of the run in at most height lines of at most width characters; 0: no limit.
func (w *Watcher) Screen(now time.Time, width, height int) []string {
	lines := []string{w.title(), ""}
	if len(w.attempts) == 0 {
		lines = append(lines, "waiting for the first plan in "+render.Clean(w.dir))
	}
	for _, name := range w.experiments() {
		lines = append(lines, w.experiment(name)...)
	}
	below := append([]string{"", legend, ""}, w.now(now)...)
	for _, text := range w.warnings {
		below = append(below, "! "+text)
	}
	if height > 0 { // what is happening stays, the first cells go
		room := max(1, height-len(below))
		if cut := len(lines) - room; cut > 0 {
			lines = append([]string{lines[0]}, lines[min(len(lines), 1+cut):]...)
		}
	}
	lines = append(lines, below...)
	if height > 0 {
		lines = lines[max(0, len(lines)-height):]
	}
	for i, line := range lines {
		lines[i] = cut(line, width)
	}
	return lines
}

// cut cuts a line to the width.
func cut(line string, width int) string {
	runes := []rune(line)
	if width > 0 && len(runes) > width {
		runes = append(runes[:width-1], '…')
	}
	return string(runes)
}

func (w *Watcher) title() string {
	parts := []string{w.dir}
	if w.plan.System != "" {
		parts = append(parts, w.plan.System)
	}
	if w.plan.Cluster.Name != "" {
		parts = append(parts, "on "+w.plan.Cluster.Name)
	}
	if w.plan.Recording != "" {
		parts = append(parts, "("+w.plan.Recording+")")
	}
	return render.Clean(strings.Join(parts, " · "))
}

// experiments are the names in the order in which they were planned.
func (w *Watcher) experiments() []string {
	var names []string
	for _, a := range w.attempts {
		if !slices.Contains(names, a.experiment) {
			names = append(names, a.experiment)
		}
	}
	return names
}

// experiment is a line with its counts, and one for each cell.
func (w *Watcher) experiment(name string) []string {
	var cells []string
	byCell := map[string][]*attempt{}
	done, all := 0, 0
	for _, a := range w.attempts {
		if a.experiment != name {
			continue
		}
		if byCell[a.cell] == nil {
			cells = append(cells, a.cell)
		}
		byCell[a.cell] = append(byCell[a.cell], a)
		if all++; a.done() {
			done++
		}
	}
	wide := 0
	for _, cell := range cells {
		wide = max(wide, len([]rune(w.label(name, cell))))
	}
	lines := []string{fmt.Sprintf("%s  %d of %d  %s", render.Clean(name), done, all, bar(done, all))}
	for _, cell := range cells {
		line := "  " + pad(w.label(name, cell), wide) + "  "
		last := 0.0
		for _, a := range byCell[cell] {
			sign, ok := signs[a.verdict]
			if !ok {
				sign = "?"
			}
			line += sign
			if a.verdict == results.Pass && a.kops > 0 {
				last = a.kops
			}
		}
		if last > 0 {
			line += "  " + kops(last) + " KOPS"
		}
		lines = append(lines, line)
	}
	return lines
}

func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-len([]rune(s)))) }

func bar(done, all int) string {
	const width = 20
	full := width * done / max(1, all)
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// now is what runs, what was last, and what is left.
func (w *Watcher) now(now time.Time) []string {
	var lines []string
	if a := w.running; a != nil {
		text := fmt.Sprintf("now   %s, for %s", w.name(a), round(max(0, now.Sub(a.started))))
		if v := w.throughput(); v > 0 {
			text += fmt.Sprintf(", %s KOPS committed at the moment", kops(v))
		}
		lines = append(lines, text)
	}
	if a := w.last; a != nil {
		text := fmt.Sprintf("last  %s: %s", w.name(a), a.verdict)
		if a.kops > 0 {
			text += ", " + kops(a.kops) + " KOPS committed"
		}
		lines = append(lines, text)
	}
	switch d, ok := w.remaining(now); {
	case w.ended:
		lines = append(lines, "ended "+clock(w.news)+", "+w.progress())
	case ok:
		lines = append(lines, fmt.Sprintf("left  about %s, until %s", round(d), clock(now.Add(d))))
	case len(w.attempts) > 0:
		lines = append(lines, "left  not known before the first cell has ended")
	}
	if quiet := now.Sub(w.news); !w.ended && !w.news.IsZero() && quiet > stalled {
		lines = append(lines, "! no news for "+round(quiet)+": has the driver ended?")
	}
	if w.badLines > 0 {
		lines = append(lines, fmt.Sprintf("! %d lines of journal.jsonl are no events", w.badLines))
	}
	return lines
}

// tellEnd is the last line of a run.
func (w *Watcher) tellEnd(e event) string {
	counts := map[results.Verdict]int{}
	for _, a := range w.attempts {
		counts[a.verdict]++
	}
	var parts []string
	for _, v := range []results.Verdict{results.Pass, results.Fail, results.Infra, results.Invalid, results.Unfinished, results.NotRun} {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	text := clock(e.Time) + " the run has ended: " + strings.Join(parts, ", ")
	if e.Reason != "" {
		reason := render.Clean(e.Reason)
		text += ": " + reason
		w.warn("cut short: " + reason)
	}
	return text
}

// name is how an attempt is called: step6 +a1 rep 0, or with try 2.
func (w *Watcher) name(a *attempt) string {
	text := fmt.Sprintf("%s %s rep %d", render.Clean(a.experiment), w.label(a.experiment, a.cell), a.rep)
	if a.try > 1 {
		text += fmt.Sprintf(" try %d", a.try)
	}
	return text
}

// label is what the plan calls a cell.
func (w *Watcher) label(experiment, cell string) string {
	for _, e := range w.plan.Experiments {
		for _, c := range e.Cells {
			if e.Name == experiment && c.Name == cell && c.Label != "" {
				return render.Clean(c.Label)
			}
		}
	}
	return render.Clean(cell)
}

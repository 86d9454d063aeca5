package report

import (
	"fmt"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// protocols say how often, how long and in which order the cells of each experiment ran; experiments that ran alike share
// a sentence.
func protocols(experiments []results.Experiment) []string {
	var texts []string
	names := map[string][]string{}
	for _, e := range experiments {
		text := protocol(&e)
		if text == "" {
			continue
		}
		if names[text] == nil {
			texts = append(texts, text)
		}
		names[text] = append(names[text], e.Name)
	}
	for i, text := range texts {
		texts[i] = "In " + and(names[text]) + ", " + text
	}
	for _, e := range experiments {
		for _, note := range e.Notes {
			texts = append(texts, sentence(e.Name+": "+note))
		}
	}
	return texts
}

// protocol is empty if nothing is known.
func protocol(e *results.Experiment) string {
	var limits []string
	p := e.Params
	if p.DurationS > 0 {
		limits = append(limits, fmt.Sprintf("for %v s", p.DurationS))
	}
	if p.Txns > 0 {
		limits = append(limits, fmt.Sprintf("for at most %d transactions", p.Txns))
	}
	text := ""
	if len(limits) > 0 {
		text = "each cell ran " + strings.Join(limits, " and ")
	}
	var shape []string
	if p.Threads > 0 {
		shape = append(shape, plural(p.Threads, "thread"))
	}
	if p.Coros > 0 {
		shape = append(shape, plural(p.Coros, "coroutine")+" a thread")
	}
	if len(shape) > 0 {
		if text == "" {
			text = "each cell ran"
		}
		text += " with " + and(shape) + " on every compute node"
	}
	if e.Reps > 0 {
		if text == "" {
			text = "each cell ran"
		}
		text += ", " + plural(e.Reps, "time")
	}
	if e.Order != "" && text != "" {
		text += fmt.Sprintf(" in %s order (seed %d)", e.Order, e.Seed)
	}
	if text == "" {
		return ""
	}
	return strings.Replace(text, "ran, ", "ran ", 1) + "."
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// deferrals name the cells that were put off, those with one reason in one sentence.
func deferrals(experiments []results.Experiment) []string {
	var sentences []string
	for _, e := range experiments {
		cells := map[results.Deferral][]string{}
		var order []results.Deferral
		for _, c := range e.Cells {
			if c.Deferred == nil {
				continue
			}
			if cells[*c.Deferred] == nil {
				order = append(order, *c.Deferred)
			}
			cells[*c.Deferred] = append(cells[*c.Deferred], c.Name)
		}
		for _, d := range order {
			sentences = append(sentences, deferral(&e, cells[d], d))
		}
	}
	return sentences
}

func deferral(e *results.Experiment, cells []string, d results.Deferral) string {
	text := fmt.Sprintf("%s of %s %s deferred", capital(count(len(cells), "cell")), e.Name, was(len(cells)))
	text += " (" + strings.Join(cells, ", ") + ")"
	if d.Date != "" {
		text += " on " + d.Date
	}
	if d.Reason != "" {
		text += ": " + strings.TrimRight(d.Reason, ". ")
	}
	if d.Text != "" {
		text += fmt.Sprintf(" (criterion %d: %s)", d.Criterion, strings.TrimRight(d.Text, ". "))
	}
	return sentence(text)
}

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// sentence ends a text with one full stop.
func sentence(s string) string { return strings.TrimRight(strings.TrimSpace(s), ".") + "." }

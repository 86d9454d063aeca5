package report

import (
	"fmt"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// protocols say how long, on what and how often the cells of the experiments ran; what all experiments have in common is said
// once.
func protocols(experiments []results.Experiment) []string {
	texts := []string{
		perExperiment("Each cell ran %s.", experiments, limit),
		perExperiment("Every compute node used %s.", experiments, shape),
		perExperiment("Each cell was measured %s.", experiments, repetition),
	}
	for _, e := range experiments {
		for _, note := range e.Notes {
			texts = append(texts, remark(e.Name, note))
		}
	}
	return texts
}

// perExperiment writes a sentence on a value of experiments, with their names where they differ; it is empty if no experiment
// has the value.
func perExperiment(format string, experiments []results.Experiment, value func(*results.Experiment) string) string {
	var order []string
	names := map[string][]string{}
	said := 0
	for i := range experiments {
		v := value(&experiments[i])
		if v == "" {
			continue
		}
		if names[v] == nil {
			order = append(order, v)
		}
		names[v] = append(names[v], experiments[i].Name)
		said++
	}
	if len(order) == 0 {
		return ""
	}
	if len(order) == 1 && said == len(experiments) {
		return fmt.Sprintf(format, order[0])
	}
	for i, v := range order {
		order[i] = v + " in " + and(names[v])
	}
	return fmt.Sprintf(format, strings.Join(order, "; "))
}

// limit says what ended a cell.
func limit(e *results.Experiment) string {
	var parts []string
	if e.Params.DurationS > 0 {
		parts = append(parts, fmt.Sprintf("for %v s", e.Params.DurationS))
	}
	if e.Params.Txns > 0 {
		parts = append(parts, fmt.Sprintf("for at most %d transactions a thread", e.Params.Txns))
	}
	return and(parts)
}

func shape(e *results.Experiment) string {
	var parts []string
	if e.Params.Threads > 0 {
		parts = append(parts, plural(e.Params.Threads, "thread"))
	}
	if e.Params.Coros > 0 {
		parts = append(parts, plural(e.Params.Coros, "coroutine")+" a thread")
	}
	return and(parts)
}

func repetition(e *results.Experiment) string {
	if e.Reps == 0 {
		return ""
	}
	text := plural(e.Reps, "time")
	if e.Order != "" {
		text += fmt.Sprintf(" in %s order (seed %d)", e.Order, e.Seed)
	}
	return text
}

// remark is a note on an experiment, which is named unless the note begins with its name.
func remark(experiment, note string) string {
	if strings.HasPrefix(note, experiment+" ") {
		return sentence(capital(note))
	}
	return sentence(experiment + ": " + note)
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// future names the cells that were put off, for a text that does not give the reasons.
func future(experiments []results.Experiment) []string {
	var sentences []string
	for _, e := range experiments {
		var labels []string
		for _, c := range e.Cells {
			if c.Deferred != nil {
				labels = append(labels, cellLabel(c))
			}
		}
		switch len(labels) {
		case 0:
		case 1:
			sentences = append(sentences, fmt.Sprintf("The cell %s of %s is future work.", labels[0], e.Name))
		default:
			sentences = append(sentences, fmt.Sprintf("The cells %s of %s are future work.", and(labels), e.Name))
		}
	}
	return sentences
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
			cells[*c.Deferred] = append(cells[*c.Deferred], cellLabel(c))
		}
		for _, d := range order {
			sentences = append(sentences, deferral(&e, cells[d], d))
		}
	}
	return sentences
}

func deferral(e *results.Experiment, cells []string, d results.Deferral) string {
	text := fmt.Sprintf("%s of %s %s deferred", and(cells), e.Name, was(len(cells)))
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

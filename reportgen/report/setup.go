package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/reportgen/render"
	"github.com/gotestbed/gotestbed/reportgen/results"
)

// setup is the text on the testbed: paragraphs that can be pasted into a paper. It is nil for a run of which nothing but
// its experiments is known.
func setup(run *results.Run) []string {
	if len(run.Nodes) == 0 && run.Cluster == "" && run.Commit == "" {
		return nil
	}
	return paragraphs(
		[]string{where(run), roles(run)},
		[]string{shared(run.Nodes, "%s has %s.", machineFacts), shared(run.Nodes, "%s runs %s.", softwareFacts), shared(run.Nodes, "RDMA on %s uses %s.", networkFacts)},
		[]string{versions(run)},
		protocols(inOrder(run.Experiments)),
		future(run.Experiments),
		unknowns(run),
	)
}

// paragraphs joins the sentences of each paragraph and drops what is empty.
func paragraphs(list ...[]string) []string {
	var out []string
	for _, sentences := range list {
		sentences = slices.DeleteFunc(slices.Clone(sentences), func(s string) bool { return s == "" })
		if len(sentences) > 0 {
			out = append(out, render.Clean(strings.Join(sentences, " ")))
		}
	}
	return out
}

// where says on what kind and how many machines the program ran.
func where(run *results.Run) string {
	program := run.System
	switch program {
	case "":
		program = "The program under test, whose name was not recorded,"
	case "microbenchmarks": // a run of no program
		program = "The microbenchmarks"
	}
	text := program + " ran on "
	if len(run.Nodes) == 0 {
		return text + "the cluster " + known(run.Cluster) + ", whose nodes were not recorded."
	}
	kind := ""
	switch run.Tag {
	case "local":
		kind = "emulated "
	case "rxe":
		kind = "virtual "
	}
	folds := foldBy(run.Nodes, func(n results.Node) string { return n.Hardware })
	switch {
	case len(folds) == 1 && len(folds[0].nodes) == len(run.Nodes):
		text += count(len(run.Nodes), kind+folds[0].value+" node")
	case len(folds) == 0 && kind == "":
		text += count(len(run.Nodes), "node") + " whose type was not recorded"
	default:
		text += count(len(run.Nodes), kind+"node") + each(folds, " (%s)", "%s: %s")
	}
	text += place(run)
	switch run.Tag {
	case "local":
		return text + "; all of them are processes on one machine that talk over its loopback network, without RDMA hardware."
	case "rxe":
		return text + "; all of them are guests on one machine, with soft-RoCE in place of RDMA hardware."
	}
	return text + "."
}

// place says whose machines they are.
func place(run *results.Run) string {
	var parts []string
	if run.Site != "" {
		parts = append(parts, run.Site)
	}
	if run.Profile != "" {
		parts = append(parts, "profile "+run.Profile)
	}
	if run.Cluster != "" && run.Cluster != run.Tag {
		parts = append(parts, "cluster "+run.Cluster)
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// each writes the folds behind each other, with their nodes.
func each(folds []fold, outer, inner string) string {
	if len(folds) == 0 {
		return ""
	}
	var parts []string
	for _, f := range folds {
		parts = append(parts, fmt.Sprintf(inner, nodeNames(f.nodes), f.value))
	}
	return fmt.Sprintf(outer, strings.Join(parts, "; "))
}

// roleWords are what a node does, in words. Other roles stand for themselves.
var roleWords = map[string]string{"mn": "the memory node", "cn": "compute node", "client": "the client", "spare": "spare"}

// roles says what the nodes do: "mn is the memory node and runs the client; cn0 to cn3 are compute nodes".
func roles(run *results.Run) string {
	var parts []string
	for _, f := range foldBy(run.Nodes, func(n results.Node) string { return strings.Join(unnumbered(n.Roles), " ") }) {
		parts = append(parts, nodeNames(f.nodes)+" "+duty(strings.Fields(f.value), len(f.nodes)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Of them, " + strings.Join(parts, "; ") + "."
}

// unnumbered are roles without their index: cn for cn0.
func unnumbered(roles []string) []string {
	var list []string
	for _, r := range roles {
		list = append(list, strings.TrimRight(r, "0123456789"))
	}
	return list
}

// duty writes the roles of n nodes.
func duty(list []string, n int) string {
	var is, runs []string
	for _, r := range list {
		word, ok := roleWords[r]
		if !ok {
			word = r
		}
		switch {
		case r == "client" && len(list) > 1:
			runs = append(runs, word)
			continue
		case r == "mn" && n > 1:
			word = "memory nodes"
		case r == "cn" && n > 1:
			word = "compute nodes"
		case r == "cn":
			word = "a compute node"
		}
		is = append(is, word)
	}
	verb, run := "is ", "runs "
	if n > 1 {
		verb, run = "are ", "run "
	}
	text := ""
	if len(is) > 0 {
		text = verb + and(is)
	}
	if len(runs) > 0 {
		if text != "" {
			text += " and "
		}
		text += run + and(runs)
	}
	return text
}

// versions says what was run, by what.
func versions(run *results.Run) string {
	var sentences []string
	commit, changed := strings.CutSuffix(run.Commit, "+dirty")
	commit = abbreviated(commit)
	if changed {
		commit += " with changes that were not committed"
	}
	switch {
	case run.Commit != "" && run.Go != "":
		sentences = append(sentences, fmt.Sprintf("The tests are of commit %s, built with %s.", commit, run.Go))
	case run.Commit != "":
		sentences = append(sentences, fmt.Sprintf("The tests are of commit %s.", commit))
	case run.Go != "":
		sentences = append(sentences, fmt.Sprintf("The tests were built with %s.", run.Go))
	}
	for _, name := range slices.Sorted(maps.Keys(run.Binaries)) {
		_, program, found := strings.Cut(name, "/")
		if !found {
			program = name
		}
		sentences = append(sentences, fmt.Sprintf("The SHA-256 of %s begins with %s.", program, abbreviated(run.Binaries[name])))
	}
	if date, _, _ := strings.Cut(run.Started, "T"); date != "" {
		sentences = append(sentences, "The run began on "+date+".")
	}
	return strings.Join(sentences, " ")
}

// abbreviated cuts a hash to what tells it from others.
func abbreviated(hash string) string {
	const enough = 12
	if len(hash) > enough && strings.Trim(hash[:enough], "0123456789abcdef") == "" {
		return hash[:enough]
	}
	return hash
}

func known(s string) string {
	if s == "" {
		return "of unknown name"
	}
	return s
}

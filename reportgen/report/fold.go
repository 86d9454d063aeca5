package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gotestbed/gotestbed/reportgen/results"
)

// A fold is a value of a fact, and the nodes that have it.
type fold struct {
	value string
	nodes []string
}

// foldBy groups the nodes by a value, in the order in which the values appear; a node whose value is empty is left out.
func foldBy(nodes []results.Node, value func(results.Node) string) []fold {
	var folds []fold
	for _, n := range nodes {
		v := value(n)
		if v == "" {
			continue
		}
		i := slices.IndexFunc(folds, func(f fold) bool { return f.value == v })
		if i < 0 {
			folds = append(folds, fold{value: v})
			i = len(folds) - 1
		}
		folds[i].nodes = append(folds[i].nodes, n.Name)
	}
	return folds
}

// nodeNames lists nodes as a person would: "mn", "mn and cn0", "cn0 to cn3 and spare".
func nodeNames(names []string) string {
	var parts []string
	for i := 0; i < len(names); {
		n := 1
		for i+n < len(names) && follows(names[i+n-1], names[i+n]) {
			n++
		}
		if n < 3 {
			n = 1
			parts = append(parts, names[i])
		} else {
			parts = append(parts, names[i]+" to "+names[i+n-1])
		}
		i += n
	}
	return and(parts)
}

// follows reports whether b is a with the next number: cn1 after cn0.
func follows(a, b string) bool {
	stemA, numberA := splitNumber(a)
	stemB, numberB := splitNumber(b)
	return stemA == stemB && numberA >= 0 && numberB == numberA+1
}

// splitNumber cuts the number off the end of a name; it is -1 if there is none.
func splitNumber(name string) (stem string, number int) {
	stem = strings.TrimRightFunc(name, unicode.IsDigit)
	number, err := strconv.Atoi(name[len(stem):])
	if err != nil {
		return name, -1
	}
	return stem, number
}

// and joins "a", "a and b", "a, b and c".
func and(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

var words = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// count writes small numbers as words: "five nodes", "1 node" is "one node".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	if n >= 0 && n < len(words) {
		return words[n] + " " + what
	}
	return fmt.Sprintf("%d %s", n, what)
}

// capital makes the first letter a capital.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

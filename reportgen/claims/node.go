package claims

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// amount reads a number, or a percentage as a part of 1.
func amount(n *yaml.Node, key string) (v float64, relative bool, err error) {
	text, err := scalar(n, key)
	if err != nil {
		return 0, false, err
	}
	digits, relative := strings.CutSuffix(text, "%")
	v, err = strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false, wrong(n, "%s: %q is no number", key, text)
	}
	if relative {
		v /= 100
	}
	return v, relative, nil
}

func number(n *yaml.Node, key string) (float64, error) {
	v, relative, err := amount(n, key)
	if err == nil && relative {
		err = wrong(n, "%s: a percentage; write the number", key)
	}
	return v, err
}

// A table is a mapping by key.
type table map[string]*yaml.Node

// mapping reads a mapping that has only those keys, each once.
func mapping(n *yaml.Node, what string, known ...string) (table, error) {
	if n.Kind != yaml.MappingNode {
		return nil, wrong(n, "%s: not a mapping of keys to values", what)
	}
	m := table{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case !slices.Contains(known, key.Value):
			return nil, wrong(key, "%s: unknown key %q; it may have %s", what, key.Value, strings.Join(known, ", "))
		case m[key.Value] != nil:
			return nil, wrong(key, "%s: %s stands there twice", what, key.Value)
		}
		m[key.Value] = value
	}
	return m, nil
}

// text returns the text of a key, empty if the key is not there.
func (m table) text(key string) (string, error) {
	if m[key] == nil {
		return "", nil
	}
	return scalar(m[key], key)
}

// scalar returns a text that is not empty. Aliases are no scalars: a file of claims needs none.
func scalar(n *yaml.Node, key string) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", wrong(n, "%s: not a text", key)
	}
	text := strings.TrimSpace(n.Value)
	if text == "" {
		return "", wrong(n, "%s: empty", key)
	}
	return text, nil
}

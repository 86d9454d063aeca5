package clusterenv

import (
	"fmt"
	"os"
	"strings"
)

// expandTokens replaces %h and the like (ssh_config(5), TOKENS) by what values has for the letter, and %% by a percent sign.
func expandTokens(text string, values map[byte]string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		if i++; i == len(text) {
			return "", fmt.Errorf("%q ends with a percent sign", clip(text))
		}
		value, ok := values[text[i]]
		switch {
		case text[i] == '%':
			b.WriteByte('%')
		case !ok:
			return "", fmt.Errorf("%%%c in %q has no meaning here", text[i], clip(text))
		default:
			b.WriteString(value)
		}
	}
	return b.String(), nil
}

// expandEnvironment replaces ${NAME} by the variable, which must be set.
func expandEnvironment(text string) (string, error) {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, "${")
		b.WriteString(before)
		if !ok {
			return b.String(), nil
		}
		name, rest, ok := strings.Cut(after, "}")
		if !ok {
			return "", fmt.Errorf("%q: ${ without }", clip(text))
		}
		value, set := os.LookupEnv(name)
		if !set {
			return "", fmt.Errorf("the variable %s is not set", clip(name))
		}
		b.WriteString(value)
		text = rest
	}
}

package clusterenv

import (
	"errors"
	"strings"
)

// A configLine is one line of ssh_config(5), taken apart.
type configLine struct {
	keyword string   // in lower case; empty for a line that says nothing
	args    []string // the words after it, without quotes and comment
	rest    string   // the same, as it stands
}

const configBlanks = " \t\r\n"

// splitConfigLine takes a line apart as OpenSSH does: keyword and arguments are separated by blanks, by one equals sign, or by both.
func splitConfigLine(text string) (configLine, error) {
	text = strings.TrimLeft(strings.TrimRight(text, configBlanks+"\f"), configBlanks)
	if text == "" || text[0] == '#' {
		return configLine{}, nil
	}
	keyword, rest := text, ""
	if inner, after, ok := strings.Cut(text[1:], `"`); ok && text[0] == '"' {
		keyword, rest = inner, strings.TrimLeft(after, configBlanks)
	} else if i := strings.IndexAny(text, configBlanks+"="); i >= 0 {
		keyword, rest = text[:i], strings.TrimLeft(text[i:], configBlanks)
		rest = strings.TrimLeft(strings.TrimPrefix(rest, "="), configBlanks)
	}
	args, err := splitConfigWords(rest)
	return configLine{keyword: strings.ToLower(keyword), args: args, rest: rest}, err
}

// splitConfigWords splits at blanks outside of single and double quotes. A word that begins with # ends the line. A backslash
// takes the meaning from a quote and from itself, and outside of quotes from a blank; before anything else it is a letter.
func splitConfigWords(text string) ([]string, error) {
	var words []string
	for {
		text = strings.TrimLeft(text, " \t")
		if text == "" || text[0] == '#' {
			return words, nil
		}
		word, after, err := cutConfigWord(text)
		if err != nil {
			return nil, err
		}
		words, text = append(words, word), after
	}
}

// cutConfigWord takes the first word off text, which begins with it.
func cutConfigWord(text string) (word, rest string, err error) {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) && escapes(text[i+1], quote):
			i++
			b.WriteByte(text[i])
		case quote == 0 && (c == ' ' || c == '\t'):
			return b.String(), text[i:], nil
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		default:
			b.WriteByte(c)
		}
	}
	if quote != 0 {
		return "", "", errors.New("a quote that is not closed")
	}
	return b.String(), "", nil
}

// escapes reports whether a backslash before c has a meaning.
func escapes(c, quote byte) bool {
	return c == '"' || c == '\'' || c == '\\' || c == ' ' && quote == 0
}

package recording

import (
	"bytes"
	"net/netip"
	"regexp"
	"slices"
)

var privateKey = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)`)

// privateKeys finds blocks of private keys, whole or cut off at the end.
func privateKeys(data []byte) []span {
	if !bytes.Contains(data, []byte("PRIVATE KEY-----")) {
		return nil
	}
	var spans []span
	for _, m := range privateKey.FindAllIndex(data, -1) {
		spans = append(spans, span{m[0], m[1], "[a private key was here]"})
	}
	return spans
}

// A marked text is known by the words before it. The last group of the expression is what is replaced.
type marked struct {
	kind   kind
	hint   []string // without one of these nothing can match: looking for them is much faster
	syntax *regexp.Regexp
}

var markedTexts = []marked{
	{comment, []string{" AAAA"}, regexp.MustCompile(`(?:ssh-|ecdsa-|sk-)[a-z0-9@.-]+ AAAA[A-Za-z0-9+/=]+[ \t]+([^\s"'][^\r\n"']*)`)},
	{secret, []string{"earer", "EARER"}, regexp.MustCompile(`(?i:bearer)[ \t]+([A-Za-z0-9._~+/=-]{6,})`)},
	{secret, []string{"TOKEN", "SECRET", "PASSW", "KEY"},
		regexp.MustCompile(`\b[A-Z0-9_]*(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY)[A-Z0-9_]*=["']?([A-Za-z0-9._~+/=:-]{6,})`)},
	{serial, []string{"erial", "ERIAL"}, regexp.MustCompile(`(?i:serial)(?i:[ _-]?(?:number|no\.?))?["']?[ \t]*[:=][ \t]*["']?([A-Za-z0-9][A-Za-z0-9-]{3,})`)},
	{machine, []string{"achine", "oot"}, regexp.MustCompile(`(?i:machine|boot)[ _-]?(?i:id)[ \t]*[:=][ \t]*([0-9a-f]{32})\b`)},
}

// findMarked finds what the words before it give away.
func findMarked(data []byte, replace replacer) []span {
	var spans []span
	for _, m := range markedTexts {
		if !slices.ContainsFunc(m.hint, func(h string) bool { return bytes.Contains(data, []byte(h)) }) {
			continue
		}
		for _, at := range m.syntax.FindAllSubmatchIndex(data, -1) {
			start, end := at[2], at[3]
			if with, changed := replace(m.kind, string(data[start:end]), netip.Addr{}); changed {
				spans = append(spans, span{start, end, with})
			}
		}
	}
	return disjoint(spans)
}

// disjoint brings spans into order and drops those that overlap an earlier one.
func disjoint(spans []span) []span {
	slices.SortStableFunc(spans, func(a, b span) int { return a.start - b.start })
	kept := spans[:0]
	for _, s := range spans {
		if len(kept) == 0 || s.start >= kept[len(kept)-1].end {
			kept = append(kept, s)
		}
	}
	return kept
}

package clusterenv

import (
	"fmt"
	"net/url"
	"strings"
)

// maxJumps bounds the way to a host.
const maxJumps = 8

// jumps resolves the hosts on the way to l. As with OpenSSH the first of them may itself have hosts on the way to it; those
// after it are dialled from the one before.
func (r loginResolver) jumps(l *Login, config *sshConfig, depth int) error {
	v, ok := config.first["proxy"]
	if !ok || v.args[0] != "proxyjump" || strings.EqualFold(v.rest, "none") {
		return nil
	}
	text, _, _ := strings.Cut(v.rest, " #")
	hops := strings.Split(text, ",")
	if depth+len(hops) > maxJumps {
		return v.at.mistake("proxyjump", "more than %d jump hosts: does one of them match the line itself?", maxJumps)
	}
	for i, text := range hops {
		alias, given, err := parseJump(text)
		if err == nil {
			alias, err = l.expandJump(alias)
		}
		if err == nil {
			given.user, err = l.expandJump(given.user)
		}
		if err != nil {
			return v.at.mistake("proxyjump", "%v", err)
		}
		given.direct = i > 0
		hop, err := r.resolve(alias, given, depth+len(hops))
		if err != nil {
			return err
		}
		l.Jumps = append(append(l.Jumps, hop.Jumps...), hop)
		hop.Jumps = nil
	}
	return nil
}

// expandJump puts what is known of the login into a part of ProxyJump.
func (l *Login) expandJump(text string) (string, error) {
	return expandTokens(text, map[byte]string{'h': l.Host, 'n': l.Alias, 'p': fmt.Sprint(l.Port), 'r': l.User})
}

// parseJump reads [user@]host[:port] or ssh://[user@]host[:port]; an IPv6 address with a port has brackets.
func parseJump(text string) (host string, given loginGiven, err error) {
	bad := func(what string) (string, loginGiven, error) {
		return "", loginGiven{}, fmt.Errorf("jump host %q: %s", clip(text), what)
	}
	rest, isURI := strings.CutPrefix(strings.TrimSpace(text), "ssh://")
	rest = strings.TrimSuffix(rest, "/")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		given.user, rest = rest[:i], rest[i+1:]
		if isURI {
			if given.user, err = url.PathUnescape(given.user); err != nil {
				return bad(err.Error())
			}
		}
		if given.user == "" {
			return bad("no user before @")
		}
	}
	host, port := rest, ""
	switch end := strings.IndexByte(rest, ']'); {
	case strings.HasPrefix(rest, "[") && end > 0:
		host = rest[1:end]
		if after := rest[end+1:]; after != "" && after[0] != ':' {
			return bad("wants [address]:port")
		} else if after != "" {
			port = after[1:]
		}
	case strings.Count(rest, ":") == 1:
		host, port, _ = strings.Cut(rest, ":")
	}
	if host == "" || strings.ContainsAny(host, " \t/[]") || strings.HasPrefix(host, "-") {
		return bad("wants [user@]host[:port]")
	}
	if strings.HasSuffix(rest, ":") && strings.Count(rest, ":") == 1 {
		return bad("no port after the colon")
	}
	if port != "" {
		if given.port, err = configPort(port); err != nil {
			return bad("wants a port from 1 to 65535")
		}
	}
	return host, given, nil
}

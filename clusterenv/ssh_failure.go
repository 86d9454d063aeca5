package clusterenv

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// An SSHFailure is what OpenSSH's client said on stderr when it gave up.
type SSHFailure struct {
	Fault          Fault
	Host           string   // as the message has it; empty if it names none
	Port           int      // 0: not told
	User           string   // whose login was refused
	Methods        []string // by which a login could be tried
	KnownHostsLine int      // of the key that is no longer the host's
	Expected       bool     // the host had announced its reboot before
	Line           string   // the line that tells
}

// failureForms are the messages of OpenSSH 7 to 10, by what they mean. Named groups are fields of SSHFailure.
var failureForms = []struct {
	re    *regexp.Regexp
	fault Fault // "" takes it from the reason
}{
	{regexp.MustCompile(`HOST IDENTIFICATION HAS CHANGED`), FaultHostChanged},
	{regexp.MustCompile(`[Hh]ost key (?:for|of) (?P<host>\S+) has changed`), FaultHostChanged},
	{regexp.MustCompile(`host key is known for (?P<host>\S+) and you have requested strict checking|host key of (?P<host>\S+) is not known`), FaultHostUnknown},
	{regexp.MustCompile(`Host key verification failed`), FaultHostUnknown},
	{regexp.MustCompile(`Could not resolve hostname (?P<host>[^:\s]+)`), FaultDNS},
	{regexp.MustCompile(`no such host\b|Name or service not known`), FaultDNS},
	{regexp.MustCompile(`connect to host (?P<host>\S+) port (?P<port>\d+): (?P<reason>.*)`), ""},
	{regexp.MustCompile(`(?:(?P<user>[^\s@]+)@)?(?P<host>[^\s@]+): Permission denied \((?P<methods>[a-z][^)]*)\)`), FaultAuth},
	{regexp.MustCompile(`Permission denied \((?P<methods>[a-z][^)]*)\)|Too many authentication failures|ssh: unable to authenticate`), FaultAuth},
	{regexp.MustCompile(`timed out during banner exchange`), FaultProxy},
	{regexp.MustCompile(`administratively prohibited`), FaultForwarding},
	{regexp.MustCompile(`kex_exchange_identification: |banner exchange: Connection to |Not allowed at this time|Exceeded MaxStartups`), FaultKex},
	{regexp.MustCompile(`Unable to negotiate with (?P<host>\S+) port (?P<port>\d+): `), FaultNegotiation},
	{regexp.MustCompile(`client_loop: send disconnect|Timeout, server (?P<host>\S+) not responding|Connection to (?P<host>\S+) closed by remote host|Broken pipe`), FaultDropped},
}

var (
	failureEnd      = regexp.MustCompile(`Connection (?:closed|reset) by (\S+) port (\d+)`)
	failureOffender = regexp.MustCompile(`Offending \S+ key in .*:(\d+)\s*$`)
	failureReboot   = regexp.MustCompile(`The system will (?:reboot|power off|halt|be halted)|The system is going down`)
)

// ParseSSHFailure reads what OpenSSH's client wrote to stderr. The first message that tells counts: those after it are mostly its
// consequences (a changed host key of a jump host ends as a failed key exchange). ok is false if none tells.
func ParseSSHFailure(text string) (f SSHFailure, ok bool) {
	reboot := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		reboot = reboot || failureReboot.MatchString(line)
		if m := failureOffender.FindStringSubmatch(line); m != nil {
			f.KnownHostsLine, _ = strconv.Atoi(m[1])
		}
		if found := matchFailure(line); found.Fault != "" {
			f.take(found)
		}
		if m := failureEnd.FindStringSubmatch(line); m != nil && f.Fault == FaultKex && f.Host == "" && m[1] != "UNKNOWN" {
			f.Host = m[1]
			f.Port, _ = strconv.Atoi(m[2])
		}
	}
	f.Expected = reboot && f.Fault == FaultDropped
	return f, f.Fault != ""
}

// take keeps the first fault, and what later lines about the same one add.
func (f *SSHFailure) take(found SSHFailure) {
	if f.Fault == "" {
		found.KnownHostsLine = f.KnownHostsLine
		*f = found
	}
	if f.Fault == found.Fault && f.Host == "" {
		f.Host, f.Port = found.Host, found.Port
	}
}

func matchFailure(line string) SSHFailure {
	for _, form := range failureForms {
		m := form.re.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		f := SSHFailure{Fault: form.fault, Line: line}
		for i, name := range form.re.SubexpNames() {
			if m[i] == "" {
				continue
			}
			switch name {
			case "host":
				f.Host = m[i]
			case "port":
				f.Port, _ = strconv.Atoi(m[i])
			case "user":
				f.User = m[i]
			case "methods":
				f.Methods = strings.Split(m[i], ",")
			case "reason":
				f.Fault = cmp.Or(textFault(m[i]), FaultUnreachable)
			}
		}
		return f
	}
	return SSHFailure{}
}

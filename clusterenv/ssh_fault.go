package clusterenv

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"
)

// A Fault says why there is no connection to a node, or no longer.
type Fault string

const (
	FaultDNS         Fault = "dns"              // the name is not known
	FaultRefused     Fault = "refused"          // nobody listens at the port
	FaultTimeout     Fault = "timeout"          // no answer to TCP
	FaultUnreachable Fault = "unreachable"      // the network says that there is no way
	FaultProxy       Fault = "proxy"            // TCP connected, then silence: something answers in the node's place
	FaultKex         Fault = "kex"              // closed before the server said a word
	FaultNegotiation Fault = "negotiation"      // no common language, or closed while keys were exchanged
	FaultHostChanged Fault = "host-key-changed" // another host key than the known one
	FaultHostUnknown Fault = "host-key-unknown" // a host key that nothing vouches for
	FaultAuth        Fault = "auth"             // the login was refused
	FaultForwarding  Fault = "forwarding"       // the jump host forwards nothing
	FaultDropped     Fault = "dropped"          // a connection that had been made was lost
)

// Retryable reports whether the same may succeed later without anybody's doing.
func (f Fault) Retryable() bool {
	switch f {
	case FaultHostChanged, FaultHostUnknown, FaultAuth, FaultForwarding, FaultNegotiation, "":
		return false
	}
	return true
}

// Cure says what a person can do about it.
func (f Fault) Cure() string { return cures[f] }

var cures = map[Fault]string{
	FaultDNS:         "compare the host names in the cluster file with the experiment's manifest; see whether other names resolve",
	FaultRefused:     cureUnreached,
	FaultTimeout:     cureUnreached,
	FaultUnreachable: cureUnreached,
	FaultProxy:       "switch TUN mode off, or put a rule for the nodes' control network (IP-CIDR,…,DIRECT) first among the proxy's rules",
	FaultKex:         "connect to it less often at once, or raise MaxStartups and MaxSessions in its sshd_config",
	FaultNegotiation: "compare the algorithms of both sides, and see the server's log",
	FaultHostChanged: "if the experiment was swapped in anew, delete the line that the message names from known_hosts; else find out who answers there",
	FaultHostUnknown: "add the line that the message gives to known_hosts, or set `accept: new` in the cluster file",
	FaultAuth:        "check user and identity in the cluster file; load an encrypted key with ssh-add and set `agent: true`",
	FaultForwarding:  "set AllowTcpForwarding yes in the jump host's sshd_config",
	FaultDropped:     "see whether the node has rebooted; set an interval below 60s for `keepalive` in the cluster file",
}

const cureUnreached = "see the experiment's status and the node's console; wait for a reboot to end"

// FaultOf classifies an error of a dial, a connection or a command: by its type where it has one, and else by OpenSSH's words in
// it. It is "" for any other error.
func FaultOf(err error) Fault {
	var (
		changed   *ChangedHostKeyError
		unknown   *UnknownHostError
		hop       *hopError
		forwarded *ssh.OpenChannelError
		dns       *net.DNSError
		dial      *DialError
	)
	switch {
	case err == nil:
		return ""
	case errors.As(err, &changed):
		return FaultHostChanged
	case errors.As(err, &unknown):
		return FaultHostUnknown
	case errors.As(err, &hop):
		return FaultOf(hop.err)
	case errors.As(err, &forwarded) && forwarded.Reason == ssh.Prohibited:
		return FaultForwarding
	case errors.As(err, &dns):
		return FaultDNS
	case errors.As(err, &dial):
		return dial.fault()
	}
	if f, ok := ParseSSHFailure(err.Error()); ok {
		return f.Fault
	}
	if errors.Is(err, ErrDisconnected) {
		return FaultDropped
	}
	return ""
}

// fault classifies a dial by how far it came.
func (e *DialError) fault() Fault {
	switch e.Phase {
	case PhaseTCP:
		return reasonFault(e.Err)
	case PhaseBanner:
		switch {
		case e.Timeout():
			return FaultProxy
		case !hungUp(e.Err): // but the caller lost patience
			return ""
		}
		return FaultKex
	case PhaseKex:
		return FaultNegotiation
	}
	return FaultAuth
}

// hungUp reports whether the other side closed the connection.
func hungUp(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || strings.Contains(err.Error(), "EOF") || strings.Contains(err.Error(), "reset by peer")
}

// reasonFault tells apart why TCP did not connect.
func reasonFault(err error) Fault {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return FaultRefused
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return FaultUnreachable
	case errors.Is(err, syscall.ETIMEDOUT), errors.Is(err, context.DeadlineExceeded):
		return FaultTimeout
	}
	var ne net.Error
	if errors.As(err, &ne) && ne.Timeout() {
		return FaultTimeout
	}
	return textFault(err.Error()) // a jump host tells it in words
}

// textFault is reasonFault for the words of strerror(3) and gai_strerror(3).
func textFault(text string) Fault {
	for _, w := range []struct {
		words string
		fault Fault
	}{
		{"refused", FaultRefused}, {"No route to host", FaultUnreachable}, {"no route to host", FaultUnreachable}, {"unreachable", FaultUnreachable},
		{"Name or service not known", FaultDNS}, {"No address associated", FaultDNS}, {"name resolution", FaultDNS},
		{"imed out", FaultTimeout}, {"i/o timeout", FaultTimeout},
	} {
		if strings.Contains(text, w.words) {
			return w.fault
		}
	}
	return ""
}

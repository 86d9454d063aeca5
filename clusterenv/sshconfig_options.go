package clusterenv

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An optionKind says what becomes of an option of ssh_config(5).
type optionKind int

const (
	optionIdle  optionKind = iota + 1 // has no bearing on running commands: known, and not used
	optionNoted                       // has a bearing, and no counterpart here: told with its line
	optionText                        // one word; the first that is said counts
	optionAdded                       // one word; all that are said count
	optionWords                       // several words; the first line counts
	optionLine                        // the rest of the line as it stands
	optionPort                        // the others are words of a syntax, as their names say
	optionFlag
	optionTime
	optionCount
	optionFamily
	optionStrict
)

// optionKinds are the options of OpenSSH up to 10.0, in lower case.
var optionKinds = func() map[string]optionKind {
	kinds := map[string]optionKind{
		"hostname": optionText, "user": optionText, "hostkeyalias": optionText, "identityagent": optionText, "bindaddress": optionText,
		"ignoreunknown": optionText, "tag": optionText, "knownhostscommand": optionLine, "revokedhostkeys": optionText, "bindinterface": optionText,
		"identityfile": optionAdded, "identityfile2": optionAdded, "certificatefile": optionAdded,
		"userknownhostsfile": optionWords, "globalknownhostsfile": optionWords,
		"userknownhostsfile2": optionWords, "globalknownhostsfile2": optionWords,
		"proxyjump": optionLine, "proxycommand": optionLine,
		"port": optionPort, "addressfamily": optionFamily, "stricthostkeychecking": optionStrict, "canonicalizehostname": optionText,
		"identitiesonly": optionFlag, "hashknownhosts": optionFlag,
		"connecttimeout": optionTime, "serveraliveinterval": optionTime, "serveralivecountmax": optionCount,
	}
	for name := range notedOptions {
		kinds[name] = optionNoted
	}
	for _, name := range strings.Fields(idleOptions) {
		kinds[name] = optionIdle
	}
	return kinds
}()

// notedOptions decide which server is believed or which login is tried. Those with a value have no bearing when they say just that.
var notedOptions = map[string]string{
	"casignaturealgorithms": "", "ciphers": "", "cipher": "", "hostkeyalgorithms": "", "kexalgorithms": "", "macs": "",
	"preferredauthentications": "", "pubkeyacceptedalgorithms": "", "pubkeyacceptedkeytypes": "", "requiredrsasize": "",
	"nohostauthenticationforlocalhost": "no", "pkcs11provider": "none", "pubkeyauthentication": "yes",
	"securitykeyprovider": "internal", "verifyhostkeydns": "no",
}

// idleOptions are for terminals, forwarding, multiplexing and logging, for ways of logging in other than by key, or of the past.
const idleOptions = `
addkeystoagent afstokenpassing applemultipath batchmode canonicaldomains canonicalizefallbacklocal canonicalizemaxdots
canonicalizepermittedcnames challengeresponseauthentication channeltimeout checkhostip clearallforwardings compression
compressionlevel connectionattempts controlmaster controlpath controlpersist dsaauthentication dynamicforward
enableescapecommandline enablesshkeysign escapechar exitonforwardfailure fallbacktorsh fingerprinthash forkafterauthentication
forwardagent forwardx11 forwardx11timeout forwardx11trusted gatewayports gssapiauthentication gssapiclientidentity
gssapidelegatecredentials gssapikexalgorithms gssapikeyexchange gssapirenewalforcesrekey gssapiserveridentity gssapitrustdns
hostbasedacceptedalgorithms hostbasedauthentication hostbasedkeytypes ipqos kbdinteractiveauthentication
kbdinteractivedevices keepalive keychainintegration localcommand localforward loglevel logverbose
numberofpasswordprompts obscurekeystroketiming passwordauthentication permitlocalcommand permitremoteopen protocol proxyusefdpass
refuseconnection rekeylimit remotecommand remoteforward requesttty rhostsauthentication rhostsrsaauthentication
rsaauthentication sendenv sessiontype setenv skeyauthentication smartcarddevice stdinnull streamlocalbindmask
streamlocalbindunlink syslogfacility tcpkeepalive tisauthentication tunnel tunneldevice updatehostkeys usekeychain useprivilegedport
usersh useroaming versionaddendum visualhostkey warnweakcrypto xauthlocation`

// checkOption says what is wrong with the arguments of an option. OpenSSH refuses the file for it, whichever host is asked for.
func checkOption(kind optionKind, line configLine) error {
	if len(line.args) == 0 || line.args[0] == "" {
		return fmt.Errorf("no argument")
	}
	switch kind {
	case optionIdle, optionNoted, optionWords, optionLine:
		return nil
	}
	if len(line.args) > 1 {
		return fmt.Errorf("%q after the only argument", clip(line.args[1]))
	}
	arg := line.args[0]
	wants := func(ok bool, what string) error {
		if !ok {
			return fmt.Errorf("%q; wants %s", clip(arg), what)
		}
		return nil
	}
	switch kind {
	case optionPort:
		_, err := configPort(arg)
		return wants(err == nil, "a port from 1 to 65535")
	case optionFlag:
		_, ok := configFlag(arg)
		return wants(ok, "yes or no")
	case optionTime:
		_, err := configTime(arg)
		return wants(err == nil, "a time such as 20, 1m30s or none")
	case optionCount:
		n, err := strconv.Atoi(arg)
		return wants(err == nil && n >= 0, "a number")
	case optionFamily:
		return wants(slices.Contains([]string{"any", "inet", "inet6"}, strings.ToLower(arg)), "any, inet or inet6")
	case optionStrict:
		return wants(slices.Contains(strictWords, strings.ToLower(arg)), strings.Join(strictWords, ", "))
	}
	return nil
}

// strictWords are what StrictHostKeyChecking may be.
var strictWords = []string{"yes", "true", "ask", "accept-new", "no", "off", "false"}

func configPort(arg string) (int, error) {
	port, err := net.LookupPort("tcp", arg)
	if err == nil && (port < 1 || port > 65535) {
		err = fmt.Errorf("port %d", port)
	}
	return port, err
}

// configFlag reads a flag; ok tells whether it is one.
func configFlag(arg string) (on, ok bool) {
	switch strings.ToLower(arg) {
	case "yes", "true":
		return true, true
	case "no", "false":
		return false, true
	}
	return false, false
}

// configTime reads a time in the form of sshd_config(5), TIME FORMATS: numbers of seconds, or with a unit s, m, h, d or w. Zero is none.
func configTime(arg string) (time.Duration, error) {
	if arg == "none" {
		return 0, nil
	}
	bad := fmt.Errorf("%q is no time", clip(arg))
	units := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	var total time.Duration
	for text := strings.ToLower(arg); text != ""; {
		end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
		number, unit := text, time.Second
		if end >= 0 {
			number, unit = text[:end], units[text[end]]
			text = text[end+1:]
		} else {
			text = ""
		}
		n, err := strconv.Atoi(number)
		if err != nil || unit == 0 || n > 1<<31-1 || time.Duration(n) > (1<<62-total)/unit {
			return 0, bad
		}
		total += time.Duration(n) * unit
	}
	if arg == "" {
		return 0, bad
	}
	return total, nil
}

package clusterenv

import (
	"cmp"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"
	"time"
)

// What holds where neither the cluster file nor ssh_config(5) says anything.
const (
	defaultPort       = 22
	defaultKnownHosts = "~/.ssh/known_hosts"
	defaultTimeout    = 15 * time.Second
)

var defaultKeepalive = Keepalive{Interval: 20 * time.Second, Misses: 15}

// systemKnownHosts vouches for hosts to all users of this machine.
const systemKnownHosts = "/etc/ssh/ssh_known_hosts"

// A Login is how a node is reached and who logs in there: what the cluster file says, or else ssh_config(5), or else the default.
type Login struct {
	Alias          string   // what ssh_config was asked for: the node's host, or a jump host's name
	Host           string   // name or address that is dialled
	Port           int      //
	User           string   //
	Identities     []string // private key files
	Usual          bool     // Identities are the usual ones, which need not exist
	Certificates   []string // files, beside those named after a key (id_ed25519-cert.pub)
	IdentitiesOnly bool     // no key of the agent but those whose files are named
	Agent          string   // socket of the agent; empty: none
	KnownHosts     []string // files, the user's first
	HostKeyAlias   string   // name to look for in them; empty: Host and Port
	HashKnownHosts bool     // hide the names of pinned hosts
	Accept         Accept
	Pins           string // file that takes unknown keys with AcceptNew
	Keepalive      Keepalive
	Timeout        time.Duration
	Network        string   // tcp, tcp4 or tcp6
	BindAddress    string   // local address; empty: any
	Jumps          []*Login // hosts on the way, the first is dialled from here
	Notes          []string // what ssh_config says and is not followed here, with file:line
}

// ResolveLogin tells how a node is reached. It reads the files that spec.SSH.Config stands for; of mistakes in them the error
// is a join of *SyntaxError, and so it is of what cannot be followed here and decides where a connection goes (ProxyCommand).
func ResolveLogin(spec *Spec, node NodeSpec) (*Login, error) {
	if node.Host == "" {
		return nil, fmt.Errorf("node %s has no host to dial", node.Name)
	}
	r := loginResolver{spec: spec}
	return r.resolve(node.Host, loginGiven{
		user:     cmp.Or(node.User, spec.SSH.User),
		port:     cmp.Or(node.Port, spec.SSH.Port),
		identity: cmp.Or(node.Identity, spec.SSH.Identity),
	}, 0)
}

// loginGiven is what is said of a host apart from ssh_config.
type loginGiven struct {
	user     string
	port     int
	identity string
	direct   bool // the hosts on the way are known already
}

// A loginResolver makes logins of one cluster.
type loginResolver struct{ spec *Spec }

func (r loginResolver) resolve(alias string, given loginGiven, depth int) (*Login, error) {
	said := map[string]string{"user": given.user}
	if given.port != 0 {
		said["port"] = strconv.Itoa(given.port)
	}
	config, err := readSSHConfig(r.spec.SSH.Config, alias, said)
	if err != nil {
		return nil, err
	}
	if err := config.refuse(); err != nil {
		return nil, err
	}
	l := &Login{Alias: alias, Notes: config.notes}
	for _, step := range []func(*Login, *sshConfig, loginGiven) error{r.address, r.keys, r.hostKeys, r.patience} {
		if err := step(l, config, given); err != nil {
			return nil, err
		}
	}
	if !given.direct {
		if err := r.jumps(l, config, depth); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// refuse is the error of what decides where a connection goes, or whom it trusts, and cannot be followed here.
func (c *sshConfig) refuse() error {
	if v, ok := c.first["proxy"]; ok && v.args[0] == "proxycommand" && v.rest != "none" {
		return v.at.mistake("proxycommand", "not followed here: use ProxyJump for the jump host, or name another file in the cluster file (ssh.config)")
	}
	for _, option := range []string{"canonicalizehostname", "knownhostscommand", "revokedhostkeys", "bindinterface"} {
		v, ok := c.first[option]
		if on, flag := configFlag(c.get(option)); ok && c.get(option) != "none" && (on || !flag) {
			return v.at.mistake(option, "not followed here: leave it out for this host, or name another file in the cluster file (ssh.config)")
		}
	}
	return nil
}

func (r loginResolver) address(l *Login, config *sshConfig, given loginGiven) error {
	l.Host, l.Port, l.Network = l.Alias, defaultPort, "tcp"
	if name := config.get("hostname"); name != "" {
		host, err := expandTokens(name, map[byte]string{'h': l.Alias})
		if err != nil {
			return config.place("hostname").mistake("hostname", "%v", err)
		}
		l.Host = host
	}
	if port := config.get("port"); port != "" {
		l.Port, _ = configPort(port) // it was checked when read
	}
	l.User = config.get("user")
	if l.User == "" {
		name, err := currentUser()
		if err != nil {
			return err
		}
		l.User = name
	}
	switch strings.ToLower(config.get("addressfamily")) {
	case "inet":
		l.Network = "tcp4"
	case "inet6":
		l.Network = "tcp6"
	}
	l.BindAddress, l.HostKeyAlias = config.get("bindaddress"), config.get("hostkeyalias")
	return nil
}

func (r loginResolver) keys(l *Login, config *sshConfig, given loginGiven) error {
	l.IdentitiesOnly, _ = configFlag(config.get("identitiesonly"))
	var err error
	if l.Certificates, err = l.files(config.added["certificatefile"], "certificatefile"); err != nil {
		return err
	}
	switch list := config.added["identityfile"]; {
	case given.identity != "":
		l.Identities = []string{given.identity}
	case list != nil:
		l.Identities, err = l.files(list, "identityfile")
	case r.spec.SSH.Identity != "": // for a jump host that ssh_config has no key for
		l.Identities = []string{r.spec.SSH.Identity}
	default:
		l.Identities, l.Usual = defaultIdentities, true
	}
	if err != nil || !r.spec.SSH.Agent {
		return err
	}
	l.Agent, err = l.agent(config)
	return err
}

// agent is the socket of the agent. SSH_AUTH_SOCK and $NAME are variables.
func (l *Login) agent(config *sshConfig) (string, error) {
	name := config.get("identityagent")
	switch {
	case name == "" || name == "SSH_AUTH_SOCK":
		return agentVariable, nil
	case name == "none":
		return "", nil
	case strings.HasPrefix(name, "$") && !strings.HasPrefix(name, "${"):
		return os.Getenv(name[1:]), nil
	}
	path, err := l.expand(name)
	if err != nil {
		return "", config.place("identityagent").mistake("identityagent", "%v", err)
	}
	return path, nil
}

// agentVariable stands for the socket that $SSH_AUTH_SOCK names at the time of a dial.
const agentVariable = "SSH_AUTH_SOCK"

// files are the names of files that an option gives. "none" is no file.
func (l *Login) files(values []configValue, option string) ([]string, error) {
	var list []string
	for _, v := range values {
		for _, arg := range v.args {
			if arg == "none" {
				continue
			}
			path, err := l.expand(arg)
			if err != nil {
				return nil, v.at.mistake(option, "%v", err)
			}
			list = append(list, path)
		}
	}
	return list, nil
}

// expand puts what is known of the login into the name of a file.
func (l *Login) expand(name string) (string, error) {
	me, err := user.Current()
	if err != nil {
		return "", err
	}
	home, err := expandHome("~")
	if err != nil {
		return "", err
	}
	local, err := os.Hostname()
	if err != nil {
		return "", err
	}
	short, _, _ := strings.Cut(local, ".")
	if name, err = expandEnvironment(name); err != nil {
		return "", err
	}
	return expandTokens(name, map[byte]string{
		'd': home, 'h': l.Host, 'i': me.Uid, 'k': cmp.Or(l.HostKeyAlias, l.Alias), 'L': short, 'l': local, 'n': l.Alias,
		'p': strconv.Itoa(l.Port), 'r': l.User, 'u': me.Username,
	})
}

func (r loginResolver) hostKeys(l *Login, config *sshConfig, given loginGiven) error {
	users := []string{defaultKnownHosts}
	if v, ok := config.first["userknownhostsfile"]; ok {
		files, err := l.files([]configValue{v}, "userknownhostsfile")
		if err != nil {
			return err
		}
		users = files
	}
	l.KnownHosts = append(l.KnownHosts, users...)
	if v, ok := config.first["globalknownhostsfile"]; ok {
		files, err := l.files([]configValue{v}, "globalknownhostsfile")
		if err != nil {
			return err
		}
		l.KnownHosts = append(l.KnownHosts, files...)
	} else if r.spec.SSH.Config != "" {
		l.KnownHosts = append(l.KnownHosts, systemKnownHosts)
	}
	if file := r.spec.SSH.KnownHosts; file != "" {
		l.KnownHosts = []string{file}
	}
	l.HashKnownHosts, _ = configFlag(config.get("hashknownhosts"))
	r.accept(l, config, users)
	return nil
}

// accept says what becomes of unknown host keys. Where ssh_config has them taken they go where OpenSSH puts them.
func (r loginResolver) accept(l *Login, config *sshConfig, users []string) {
	strict := strings.ToLower(config.get("stricthostkeychecking"))
	off := strict == "no" || strict == "off" || strict == "false"
	switch {
	case r.spec.SSH.Accept != "":
		l.Accept = r.spec.SSH.Accept
		if l.Accept == AcceptNew {
			l.Pins = pinFile()
		}
	case off || strict == "accept-new":
		l.Accept, l.Pins = AcceptNew, os.DevNull
		if len(users) > 0 {
			l.Pins = users[0]
		}
	default:
		l.Accept = AcceptStrict
	}
	if off && l.Accept == AcceptNew {
		l.Notes = append(l.Notes, config.place("stricthostkeychecking").String()+": stricthostkeychecking "+strict+" takes new host keys; one that has changed is refused all the same")
	}
}

func (r loginResolver) patience(l *Login, config *sshConfig, given loginGiven) error {
	interval, _ := configTime(cmp.Or(config.get("serveraliveinterval"), "0")) // these were checked when read
	misses, _ := strconv.Atoi(cmp.Or(config.get("serveralivecountmax"), "0"))
	timeout, _ := configTime(cmp.Or(config.get("connecttimeout"), "0"))
	said := r.spec.SSH
	l.Keepalive = Keepalive{
		Interval: cmp.Or(said.Keepalive.Interval, interval, defaultKeepalive.Interval),
		Misses:   cmp.Or(said.Keepalive.Misses, misses, defaultKeepalive.Misses),
	}
	l.Timeout = cmp.Or(said.Timeout, timeout, defaultTimeout)
	return nil
}

package recording

import (
	"net/netip"
	"os"
	"os/user"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// An identity is what is known about the machine that the tests run on, and is not to be told.
type identity struct {
	users   []string
	homes   []string
	host    string
	secrets map[string]string // value → name of the variable
}

var secretName = regexp.MustCompile(`(?i)TOKEN|SECRET|PASSW|KEY|CREDENTIAL`)

// minSecret is the length from which the value of a variable is taken for a secret, in bytes. A shorter one would be found
// everywhere.
const minSecret = 6

// secretValue leaves out what no secret is and what is found everywhere: words such as localhost, addresses, short numbers.
func secretValue(value string) bool {
	if len(value) < minSecret || common[strings.ToLower(value)] {
		return false
	}
	if _, err := netip.ParseAddr(value); err == nil {
		return false
	}
	return len(value) >= 12 || strings.Trim(value, "0123456789.") != ""
}

// driver is the identity of this process.
func driver() identity {
	id := identity{secrets: map[string]string{}}
	for _, name := range []string{"USER", "LOGNAME"} {
		id.users = append(id.users, os.Getenv(name))
	}
	if home, err := os.UserHomeDir(); err == nil {
		id.homes = append(id.homes, home)
	}
	if u, err := user.Current(); err == nil {
		id.users = append(id.users, u.Username)
		id.homes = append(id.homes, u.HomeDir)
	}
	id.host, _ = os.Hostname()
	for _, entry := range slices.Sorted(slices.Values(os.Environ())) {
		name, value, _ := strings.Cut(entry, "=")
		if secretName.MatchString(name) && secretValue(value) {
			id.secrets[value] = name
		}
	}
	return id
}

// common are names that say nothing about anybody and are words elsewhere.
var common = map[string]bool{
	"root": true, "ubuntu": true, "debian": true, "admin": true, "administrator": true, "user": true, "runner": true, "test": true,
	"tests": true, "bench": true, "nobody": true, "daemon": true, "guest": true, "vagrant": true, "docker": true, "local": true,
	"localhost": true, "localdomain": true, "memcached": true, "client": true, "spare": true, "node": true, "host": true,
}

// private reports whether a name of a user or host tells something. Names of one or two letters are part of too much.
func private(name string) bool { return len(name) > 2 && !common[strings.ToLower(name)] }

// A names table gives replacements to names, always the same to the same.
type names struct {
	byName map[string]string
	issued map[string]bool // what was given out stays what it is
}

func newNames() *names { return &names{byName: map[string]string{}, issued: map[string]bool{}} }

// get returns the replacement, which make invents for the n-th new name, counted from 1.
func (t *names) get(name string, make func(n int) string) string {
	if t.issued[name] {
		return name
	}
	with, ok := t.byName[name]
	if !ok {
		with = make(len(t.byName) + 1)
		t.byName[name] = with
		t.issued[with] = true
	}
	return with
}

// homeFor is the replacement of a home directory: that of the user's name in it, or else one that has the node's name.
func homeFor(home, user, userFor, node string) string {
	if path.Base(home) == user {
		if dir := path.Dir(home); dir != "/" {
			return path.Join(dir, userFor)
		}
		return "/home/" + userFor
	}
	parts := strings.Split(home, "/")
	if i := slices.Index(parts, user); i > 0 && userFor != user {
		parts[i] = userFor
		return strings.Join(parts, "/")
	}
	return "/home/" + node
}

// domainOf is what follows the first part of a host name, if that has two parts at least: example.net of a.example.net.
func domainOf(host string) string {
	_, rest, _ := strings.Cut(host, ".")
	if !strings.Contains(rest, ".") {
		return ""
	}
	return rest
}

// controlAddress is the address in the control network that a node's host is, if it is one.
func controlAddress(n clusterenv.NodeSpec) (netip.Addr, bool) {
	a, err := netip.ParseAddr(n.Host)
	return a, err == nil
}

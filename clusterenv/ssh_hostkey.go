package clusterenv

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// An UnknownHostError says that nothing vouches for a node's host key.
type UnknownHostError struct {
	Host        string // as it stands in known_hosts
	Fingerprint string // SHA256:…
	Line        string // the line to add to a known_hosts file, if the fingerprint is the node's
	Files       []string
}

func (e *UnknownHostError) Error() string {
	return fmt.Sprintf("host key of %s is not known (%s); if it is the right one, add this line to %s:\n%s",
		e.Host, e.Fingerprint, strings.Join(e.Files, " or "), e.Line)
}

// A ChangedHostKeyError says that a node has shown another host key than the known one: the node was installed anew, or
// something stands in between.
type ChangedHostKeyError struct {
	Host  string
	Got   string   // fingerprint and type of the key that was shown
	Known []string // file:line, fingerprint and type of the known ones
}

func (e *ChangedHostKeyError) Error() string {
	return fmt.Sprintf("host key of %s has changed: it shows %s, known is %s; if the node was installed anew, delete that line",
		e.Host, e.Got, strings.Join(e.Known, " and "))
}

// A hostStore says which host keys are to be trusted.
type hostStore struct {
	files []string // known_hosts files; those that do not exist hold no keys
	pins  string   // file that unknown keys are added to; "" refuses them
	hash  bool     // hide the names in pins
	name  string   // host:port to look for in place of the address; "" is the address
}

// hostKeys is what a hostStore knows of one node.
type hostKeys struct {
	addr     string // host:port
	store    hostStore
	callback ssh.HostKeyCallback
	known    []knownhosts.KnownKey
}

// load reads the files afresh, so that a line that was added counts at the next dial.
func (st hostStore) load(addr string) (*hostKeys, error) {
	files := st.files
	if st.pins != "" {
		files = append(slices.Clone(files), st.pins)
	}
	callback, err := readKnownHosts(files)
	if err != nil {
		return nil, err
	}
	h := &hostKeys{addr: addr, store: st, callback: callback}
	var unlike *knownhosts.KeyError
	if errors.As(callback(addr, noAddr{}, noKey{}), &unlike) {
		h.known = unlike.Want
	}
	return h, nil
}

// readKnownHosts reads those of the files that exist.
func readKnownHosts(files []string) (ssh.HostKeyCallback, error) {
	var present []string
	for _, f := range files {
		path, err := expandHome(f)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); err == nil {
			present = append(present, path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return knownhosts.New(present...)
}

// algorithms are the host key algorithms to ask for: those of the known keys first. Left to itself the ssh package prefers
// another type of key, which the server may have as well and nobody has vouched for.
func (h *hostKeys) algorithms() []string {
	var first []string
	for _, k := range h.known {
		if isAuthority(k) {
			return nil // the default prefers certificates
		}
		first = append(first, algorithmsOf(k.Key.Type())...)
	}
	if first == nil {
		return nil
	}
	rest := slices.DeleteFunc(ssh.SupportedAlgorithms().HostKeys, func(a string) bool { return slices.Contains(first, a) })
	return append(first, rest...)
}

func algorithmsOf(keyType string) []string {
	if keyType == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSA}
	}
	return []string{keyType}
}

// isAuthority reports whether k stands in an @cert-authority line, which the ssh package does not tell.
func isAuthority(k knownhosts.KnownKey) bool {
	f, err := os.Open(k.Filename)
	if err != nil {
		return false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 0; n < k.Line && lines.Scan(); n++ {
	}
	return strings.HasPrefix(strings.TrimSpace(lines.Text()), "@cert-authority")
}

// check accepts or refuses the key that the server has proved to hold.
func (h *hostKeys) check(key ssh.PublicKey) error {
	err := h.explain(h.callback(h.addr, noAddr{}, key), key)
	var unknown *UnknownHostError
	if h.store.pins != "" && errors.As(err, &unknown) {
		return h.pin(unknown, key)
	}
	return err
}

// explain puts a refusal into words that say what to do.
func (h *hostKeys) explain(err error, key ssh.PublicKey) error {
	var refused *knownhosts.KeyError
	if !errors.As(err, &refused) {
		return err
	}
	host := knownhosts.Normalize(h.addr)
	if len(refused.Want) == 0 {
		shown := host
		if h.store.hash {
			shown = knownhosts.HashHostname(host)
		}
		return &UnknownHostError{
			Host:        host,
			Fingerprint: fingerprint(key),
			Line:        knownhosts.Line([]string{shown}, key),
			Files:       h.store.files[:min(1, len(h.store.files))], // the user's own
		}
	}
	changed := &ChangedHostKeyError{Host: host, Got: fingerprint(key)}
	for _, k := range refused.Want {
		changed.Known = append(changed.Known, fmt.Sprintf("%s (%s:%d)", fingerprint(k.Key), k.Filename, k.Line))
	}
	return changed
}

func fingerprint(key ssh.PublicKey) string {
	return key.Type() + " " + ssh.FingerprintSHA256(key)
}

// noAddr and noKey ask a host key callback what it knows: it takes the host's name, and refuses every key that is not known.
type noAddr struct{}

func (noAddr) Network() string { return "tcp" }
func (noAddr) String() string  { return net.JoinHostPort("0.0.0.0", "0") }

type noKey struct{}

func (noKey) Type() string                        { return "none" }
func (noKey) Marshal() []byte                     { return nil }
func (noKey) Verify([]byte, *ssh.Signature) error { return errors.New("no key") }

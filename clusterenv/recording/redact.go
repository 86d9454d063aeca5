package recording

import (
	"fmt"
	"net/netip"
	"strings"
	"sync"

	"github.com/gotestbed/gotestbed/clusterenv"
)

// A redactor makes what may be written out of what was seen: values become placeholders, and what must not be told becomes
// something of the same shape, always the same for the same. It is safe for concurrent use.
type redactor struct {
	values *Values

	mu       sync.Mutex
	known    map[string]literal // by text
	domains  map[string]bool
	network  netip.Prefix        // of the experiment
	own      map[netip.Addr]bool // addresses of nodes in it
	users    *names
	hosts    *names
	tables   map[kind]*names
	compiled *matcher
	edits    int // of values, when compiled was made
}

func newRedactor(values *Values, id identity) *redactor {
	r := &redactor{
		values: values, known: map[string]literal{}, domains: map[string]bool{}, own: map[netip.Addr]bool{},
		users: newNames(), hosts: newNames(), tables: map[kind]*names{},
	}
	for value, name := range id.secrets {
		r.add(literal{text: value, with: "redacted-" + name})
	}
	for _, user := range id.users {
		r.addUser(user)
	}
	for _, home := range id.homes {
		r.addHome(home, id.users, "driver")
	}
	r.addHost(id.host, "driver.example.net", "driver")
	return r
}

// add is called with mu held, as are the other methods whose names begin with add, or before the redactor is shared.
func (r *redactor) add(l literal) {
	if _, ok := r.known[l.text]; !ok && l.text != "" {
		r.known[l.text] = l
		r.compiled = nil
	}
}

// addUser makes user1 of the first user.
func (r *redactor) addUser(user string) string {
	if !private(user) {
		return user
	}
	with := r.users.get(user, func(n int) string { return fmt.Sprintf("user%d", n) })
	r.add(literal{text: user, with: with, edge: word})
	return with
}

func (r *redactor) addHome(home string, users []string, node string) {
	if len(home) < 2 || home[0] != '/' {
		return
	}
	with := homeFor(home, "", "", node)
	for _, user := range users {
		if user != "" && strings.Contains(home, "/"+user) {
			with = homeFor(home, user, r.addUser(user), node)
			break
		}
	}
	r.add(literal{text: home, with: with, edge: pathEdge})
}

// addHost takes a host's name, the part of it before the first dot, and the names of all that have the rest in common.
func (r *redactor) addHost(host, with, short string) {
	if !private(host) || host == short {
		return
	}
	label, _, dotted := strings.Cut(host, ".")
	if !dotted {
		r.add(literal{text: host, with: short, edge: word})
		return
	}
	r.add(literal{text: host, with: with, edge: word})
	if private(label) && label != short && strings.Trim(label, "0123456789") != "" {
		r.add(literal{text: label, with: short, edge: word})
	}
	if d := domainOf(host); d != "" && !r.domains[d] {
		r.domains[d] = true
		r.add(literal{text: d, with: "example.net", edge: word})
		r.add(literal{text: "." + d, edge: domain, name: r.hostName})
	}
}

// hostName replaces a name of the hosts' domain. It is called with mu held.
func (r *redactor) hostName(host string) string {
	if l, ok := r.known[host]; ok {
		return l.with
	}
	return r.hosts.get(host, func(n int) string { return fmt.Sprintf("host%d.example.net", n) })
}

// learnSpec takes what the cluster file tells about nodes and logins.
func (r *redactor) learnSpec(spec *clusterenv.Spec) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addNetwork(spec)
	r.addUser(spec.SSH.User)
	for _, n := range spec.Nodes {
		r.addUser(n.User)
		if a, ok := controlAddress(n); ok {
			if with := r.addressFor(a); with != a {
				r.add(literal{text: n.Host, with: with.String(), edge: word})
			}
			continue
		}
		r.addHost(n.Host, n.Name+".example.net", n.Name)
	}
}

// learnNetwork takes only which addresses stay.
func (r *redactor) learnNetwork(spec *clusterenv.Spec) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addNetwork(spec)
}

func (r *redactor) addNetwork(spec *clusterenv.Spec) {
	r.network = spec.Network.Experiment
	for _, n := range spec.Nodes {
		r.own[n.Address.Unmap()] = true
	}
}

// learnHome takes what a node said about its user.
func (r *redactor) learnHome(node, home, user string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addUser(user)
	r.addHome(home, []string{user}, node)
}

// bytes redacts data, with cuts as splice has them.
func (r *redactor) bytes(data []byte, cuts []int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	data = splice(data, privateKeys(data), cuts)
	data = splice(data, r.matcher().find(data), cuts)
	data = splice(data, findTokens(data, r.replace), cuts)
	return splice(data, findMarked(data, r.replace), cuts)
}

func (r *redactor) text(s string) string { return string(r.bytes([]byte(s), nil)) }

// matcher has the values as well, so that the longest of both wins.
func (r *redactor) matcher() *matcher {
	r.values.mu.Lock()
	edits, list := r.values.edits, []literal(nil)
	if r.compiled == nil || edits != r.edits {
		list = r.values.list()
	}
	r.values.mu.Unlock()
	if list == nil {
		return r.compiled
	}
	for _, l := range r.known {
		list = append(list, l)
	}
	r.compiled, r.edits = newMatcher(list), edits
	return r.compiled
}

// replace is the replacer that invents.
func (r *redactor) replace(k kind, text string, addr netip.Addr) (string, bool) {
	if k == address {
		with := r.addressFor(addr)
		return formatLike(with, text), with != addr
	}
	if strings.HasPrefix(text, "redacted") || strings.Contains(text, openMark) {
		return "", false
	}
	with := r.table(k).get(text, func(n int) string { return invent(k, text, n) })
	return with, with != text
}

func (r *redactor) table(k kind) *names {
	if r.tables[k] == nil {
		r.tables[k] = newNames()
	}
	return r.tables[k]
}

// addressFor maps addresses outside of the experiment into those that are set aside for documentation (RFC 5737, RFC 3849). When
// there are no more, those for benchmarks follow (RFC 2544).
func (r *redactor) addressFor(a netip.Addr) netip.Addr {
	plain := a.Unmap()
	if !r.redacts(a) {
		return a
	}
	k := address
	if plain.Is6() {
		k = address6
	}
	text := r.table(k).get(plain.String(), func(n int) string { return documentation(plain.Is6(), n).String() })
	with := netip.MustParseAddr(text)
	if a.Is4In6() {
		return netip.AddrFrom16(with.As16())
	}
	return with
}

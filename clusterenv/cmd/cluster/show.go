package main

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/gotestbed/gotestbed/clusterenv"
)

var roles = []clusterenv.Role{clusterenv.MN, clusterenv.CN, clusterenv.Client, clusterenv.Spare}

// loadOnly reads the cluster file for a subcommand that has no other flag.
func (p *program) loadOnly(name string, args []string) (*clusterenv.Spec, error) {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	from := file(f)
	if err := p.parse(f, args, 0, 0); err != nil {
		return nil, err
	}
	return load(*from)
}

// show prints the nodes as a table.
func (p *program) show(args []string) error {
	spec, err := p.loadOnly("show", args)
	if err != nil {
		return err
	}
	title := spec.Name
	for _, more := range []string{spec.Profile, spec.Site} {
		if more != "" && more != title {
			title += ", " + more
		}
	}
	fmt.Fprintf(p.stdout, "%s: %d nodes, experiment network %s\n", title, len(spec.Nodes), told(spec.Network.Experiment.IsValid(), spec.Network.Experiment))
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tROLES\tHOST\tADDRESS\tDEVICE\tGID\tHARDWARE\tNOT AS")
	for _, n := range spec.Nodes {
		gid := "-"
		if n.GIDIndex != nil {
			gid = strconv.Itoa(*n.GIDIndex)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", n.Name, rolesOf(spec, n.Name), n.Host, n.Address, cmp.Or(n.Device, "-"), gid,
			cmp.Or(n.Hardware, "-"), avoided(n))
	}
	return w.Flush()
}

// told is value, or a dash if there is none.
func told(ok bool, value any) string {
	if !ok {
		return "-"
	}
	return fmt.Sprint(value)
}

// rolesOf are the roles of a node with its index in those that several have: mn,client or cn2.
func rolesOf(spec *clusterenv.Spec, node string) string {
	var has []string
	for _, r := range roles {
		at := slices.Index(spec.Roles[r], node)
		switch {
		case at < 0:
		case r == clusterenv.CN || len(spec.Roles[r]) > 1 && r == clusterenv.MN:
			has = append(has, fmt.Sprintf("%s%d", r, at))
		default:
			has = append(has, string(r))
		}
	}
	return cmp.Or(strings.Join(has, ","), "-")
}

// avoided are the roles that a node must not have, with the reasons.
func avoided(n clusterenv.NodeSpec) string {
	var all []string
	for _, r := range roles {
		if why := n.Avoid[r]; why != "" {
			all = append(all, fmt.Sprintf("%s: %s", r, why))
		}
	}
	return cmp.Or(strings.Join(all, "; "), "-")
}

// check prints every mistake in the cluster file and in what OpenSSH's configuration says of its nodes, a line each, or that
// there is none. What that says and is not followed here goes to stderr.
func (p *program) check(args []string) error {
	spec, err := p.loadOnly("check", args)
	if err != nil {
		return err
	}
	told := map[string]bool{}
	for _, n := range spec.Nodes {
		login, err := clusterenv.ResolveLogin(spec, n)
		if err != nil {
			return fmt.Errorf("%s: %w", n.Name, err)
		}
		for _, l := range append(login.Jumps, login) {
			for _, note := range l.Notes {
				if !told[note] {
					told[note] = true
					fmt.Fprintln(p.stderr, note)
				}
			}
		}
	}
	fmt.Fprintf(p.stdout, "%s: %d nodes: %d memory, %d compute; no mistake\n", spec.Name, len(spec.Nodes), len(spec.Roles[clusterenv.MN]), len(spec.Roles[clusterenv.CN]))
	return nil
}

// sshConfig prints what OpenSSH needs to reach the nodes by their names, as the tests do, jump hosts included.
func (p *program) sshConfig(args []string) error {
	spec, err := p.loadOnly("ssh-config", args)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "# Nodes of %s. Use it with: ssh -F FILE NODE\n", spec.Name)
	printed := map[string]bool{}
	for _, n := range spec.Nodes {
		login, err := clusterenv.ResolveLogin(spec, n)
		if err != nil {
			return fmt.Errorf("%s: %w", n.Name, err)
		}
		via := "none"
		for _, hop := range login.Jumps {
			name := fmt.Sprintf("jump-%s@%s:%d", hop.User, hop.Host, hop.Port)
			name = strings.Map(func(r rune) rune {
				if strings.ContainsRune("@:[]%", r) {
					return '-'
				}
				return r
			}, name)
			if !printed[name] {
				printed[name] = true
				p.printHost(name, options(hop, via))
			}
			via = name
		}
		p.printHost(n.Name, options(login, via))
	}
	return nil
}

func (p *program) printHost(name string, options [][2]string) {
	fmt.Fprintf(p.stdout, "\nHost %s\n", name)
	for _, o := range options {
		if o[1] != "" {
			fmt.Fprintf(p.stdout, "    %s %s\n", o[0], o[1])
		}
	}
}

// options are the OpenSSH options that a login needs. via is the name of the jump host before it.
func options(l *clusterenv.Login, via string) [][2]string {
	strict := "yes"
	if l.Accept == clusterenv.AcceptNew {
		strict = "accept-new"
	}
	agent := ""
	if l.Agent == "" {
		agent = "none"
	}
	list := [][2]string{{"HostName", l.Host}, {"Port", strconv.Itoa(l.Port)}, {"User", l.User}, {"ProxyJump", via}}
	if !l.Usual {
		for _, file := range l.Identities {
			list = append(list, [2]string{"IdentityFile", quoted(file)})
		}
	}
	for _, file := range l.Certificates {
		list = append(list, [2]string{"CertificateFile", quoted(file)})
	}
	var known []string
	for _, file := range l.KnownHosts {
		known = append(known, quoted(file))
	}
	return append(list, [][2]string{
		{"IdentitiesOnly", yes(l.IdentitiesOnly)}, {"IdentityAgent", agent},
		{"UserKnownHostsFile", strings.Join(known, " ")}, {"StrictHostKeyChecking", strict}, {"HostKeyAlias", l.HostKeyAlias},
		{"ConnectTimeout", strconv.Itoa(int(l.Timeout.Seconds()))},
		{"ServerAliveInterval", strconv.Itoa(int(l.Keepalive.Interval.Seconds()))},
		{"ServerAliveCountMax", strconv.Itoa(l.Keepalive.Misses)}, {"TCPKeepAlive", "yes"},
	}...)
}

// yes is a flag that is left out when it is not set.
func yes(on bool) string {
	if on {
		return "yes"
	}
	return ""
}

// quoted is a value as ssh_config wants it when it has blanks.
func quoted(value string) string {
	if strings.ContainsAny(value, " \t") {
		return `"` + value + `"`
	}
	return value
}

package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/gotestbed/gotestbed/clusterenv"
	"github.com/gotestbed/gotestbed/clusterenv/manifest"
)

// importManifest prints a cluster file for a manifest. What a person should know of it goes to stderr.
func (p *program) importManifest(args []string) error {
	f := flag.NewFlagSet("import", flag.ContinueOnError)
	like := f.String("like", "", "cluster file whose ssh, network and avoid entries are kept")
	name := f.String("name", "", "name of the cluster")
	user := f.String("user", "", "login name")
	network := f.String("network", "", "experiment network, by its name in the manifest")
	if err := p.parse(f, args, 1, 1); err != nil {
		return err
	}
	m, err := p.readManifest(f.Arg(0))
	if err != nil {
		return err
	}
	m.Name = cmp.Or(*name, m.Name)
	o := manifest.Options{Network: *network}
	if *like != "" {
		if o.Like, err = clusterenv.Load(*like); err != nil {
			return err
		}
	}
	spec, notes, err := m.Spec(o)
	for _, n := range notes {
		fmt.Fprintln(p.stderr, n)
	}
	if err != nil {
		return err
	}
	if *user != "" {
		spec.SSH.User = *user
		if err := spec.Validate(); err != nil {
			return err
		}
	}
	text, err := spec.YAML()
	if err != nil {
		return err
	}
	_, err = p.stdout.Write(text)
	return err
}

func (p *program) readManifest(name string) (*manifest.Manifest, error) {
	var in io.Reader = p.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	m, err := manifest.Parse(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

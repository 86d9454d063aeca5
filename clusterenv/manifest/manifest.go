// Package manifest reads the manifest of a CloudLab or Emulab experiment: the RSpec (version 3) in which the testbed says
// which machines it gave. `geni-get manifest` prints it on a node, the portal shows it under "Manifest".
package manifest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"
)

// MaxSize bounds a manifest, in bytes. Those of a hundred nodes have some 100 kB.
const MaxSize = 16 << 20

// ErrTruncated is the cause when a manifest ends too early: a part of it must not pass for the whole.
var ErrTruncated = errors.New("truncated")

// A Manifest is what a testbed gave.
type Manifest struct {
	Nodes   []Node
	LANs    []LAN
	Expires time.Time // zero: the manifest does not say
	Name    string    // of the experiment; empty: the manifest does not say
}

// A Node is one <node>: a machine, but also a switch, a virtual machine or a storage volume.
type Node struct {
	Name       string // client_id
	Host       string // to log in to
	Port       int
	Users      []string // who may log in
	IPv4       string   // of the control network; empty: the manifest does not say
	Hardware   string   // type, as in c6525-25g; empty: the manifest does not say
	Component  string   // name of the machine, as in amd103
	Site       string   // as in utah.cloudlab.us
	Interfaces []Interface
	Unusable   string // why this is no node for an experiment; empty if it is one
}

// An Interface is one port of a node on an experiment network.
type Interface struct {
	Name      string // client_id
	Component string // component_id
	MAC       string // 12 hexadecimal digits
	IP        netip.Addr
	Netmask   string
}

// A LAN is one <link> with the addresses of its usable nodes, in the nodes' order.
type LAN struct {
	Name      string
	Nodes     []string
	Addresses []netip.Prefix // as long as Nodes
}

// Parse reads a manifest. The error is compatible with ErrTruncated if the input ends too early.
func Parse(r io.Reader) (*Manifest, error) {
	in := &io.LimitedReader{R: r, N: MaxSize + 1}
	d := xml.NewDecoder(in)
	doc, err := decode(d)
	line, _ := d.InputPos()
	var syntax *xml.SyntaxError
	switch {
	case in.N <= 0:
		return nil, fmt.Errorf("manifest: larger than %d MiB", MaxSize>>20)
	case err == io.EOF:
		return nil, errors.New("manifest: there is no XML in it")
	case errors.As(err, &syntax) && strings.Contains(syntax.Msg, "unexpected EOF"):
		return nil, fmt.Errorf("manifest:%d: %w", syntax.Line, ErrTruncated)
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("manifest:%d: %s", syntax.Line, syntax.Msg)
	case err != nil:
		return nil, fmt.Errorf("manifest:%d: %w", line, err)
	}
	m, err := doc.manifest()
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	return m, nil
}

// decode reads the root element. A document type could define entities; no manifest has one.
func decode(d *xml.Decoder) (*rspec, error) {
	for {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.Directive:
			return nil, errors.New("it has a document type: no manifest has")
		case xml.CharData:
			if text := strings.TrimSpace(string(t)); text != "" && text != "\ufeff" {
				return nil, fmt.Errorf("%q where an element should begin: this is not XML", firstWord(text))
			}
		case xml.StartElement:
			if t.Name.Local != "rspec" {
				return nil, fmt.Errorf("the element is <%s>, that of a manifest is <rspec>", t.Name.Local)
			}
			doc := new(rspec)
			return doc, d.DecodeElement(doc, &t)
		}
	}
}

func firstWord(s string) string {
	word := strings.Fields(s)[0]
	return word[:min(len(word), 40)]
}

// rspec mirrors the elements of a manifest that matter here.
type rspec struct {
	Expires string  `xml:"expires,attr"`
	Nodes   []xnode `xml:"node"`
	Links   []struct {
		Name       string `xml:"client_id,attr"`
		Interfaces []struct {
			Name string `xml:"client_id,attr"`
		} `xml:"interface_ref"`
	} `xml:"link"`
	Portal struct {
		Experiment string `xml:"experiment,attr"`
	} `xml:"portal"`
}

type xnode struct {
	Name      string `xml:"client_id,attr"`
	Component string `xml:"component_id,attr"`
	Manager   string `xml:"component_manager_id,attr"`
	Sliver    string `xml:"sliver_id,attr"`
	Exclusive string `xml:"exclusive,attr"`
	Type      struct {
		Name string `xml:"name,attr"`
	} `xml:"sliver_type"`
	Hardware struct {
		Name string `xml:"name,attr"`
	} `xml:"hardware_type"`
	VNode struct {
		Name     string `xml:"name,attr"`
		Hardware string `xml:"hardware_type,attr"`
	} `xml:"vnode"`
	Host struct {
		IPv4 string `xml:"ipv4,attr"`
	} `xml:"host"`
	Logins []struct {
		Host string `xml:"hostname,attr"`
		Port int    `xml:"port,attr"`
		User string `xml:"username,attr"`
	} `xml:"services>login"`
	Interfaces []struct {
		Name      string `xml:"client_id,attr"`
		Component string `xml:"component_id,attr"`
		MAC       string `xml:"mac_address,attr"`
		IP        []struct {
			Address string `xml:"address,attr"`
			Netmask string `xml:"netmask,attr"`
		} `xml:"ip"`
	} `xml:"interface"`
}

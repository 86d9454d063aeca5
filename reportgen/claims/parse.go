package claims

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFile is how many bytes a file of claims may have.
const maxFile = 1 << 20

// maxClaims bounds the claims of a file.
const maxClaims = 1000

// A SyntaxError says what is wrong in which line of a file.
type SyntaxError struct {
	File string
	Line int // from 1; 0: the file as a whole
	Msg  string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// Parse reads a file of claims. It is strict: a key that it does not know, or a claim that says two things, is an error, compatible
// with *SyntaxError. With an error there is no file.
func Parse(name string, r io.Reader) (*File, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxFile {
		return nil, &SyntaxError{name, 0, fmt.Sprintf("longer than %d bytes", maxFile)}
	}
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, &SyntaxError{name, 0, "empty"}
		}
		return nil, yamlError(name, err)
	}
	var more yaml.Node
	if err := decoder.Decode(&more); err == nil {
		return nil, &SyntaxError{name, more.Line, "a second document"}
	} else if !errors.Is(err, io.EOF) {
		return nil, yamlError(name, err)
	}
	f, err := parseFile(doc.Content[0])
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		syntax.File = name
	}
	if err != nil {
		return nil, err
	}
	f.Name = name
	return f, nil
}

// yamlError takes the line out of "yaml: line 3: did not find …".
func yamlError(name string, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		number, msg, found := strings.Cut(rest, ": ")
		if line, err := strconv.Atoi(number); found && err == nil {
			return &SyntaxError{name, line, msg}
		}
	}
	return &SyntaxError{name, 0, text}
}

func wrong(n *yaml.Node, format string, args ...any) error {
	return &SyntaxError{Line: n.Line, Msg: fmt.Sprintf(format, args...)}
}

func parseFile(n *yaml.Node) (*File, error) {
	m, err := mapping(n, "the file", "system", "recorded", "claims")
	if err != nil {
		return nil, err
	}
	f := &File{}
	if f.System, err = m.text("system"); err != nil {
		return nil, err
	}
	if f.Recorded, err = parseRecorded(m["recorded"]); err != nil {
		return nil, err
	}
	list := m["claims"]
	switch {
	case list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0:
		return nil, wrong(n, "claims: a list of claims is missing")
	case len(list.Content) > maxClaims:
		return nil, wrong(list, "more than %d claims", maxClaims)
	}
	for _, item := range list.Content {
		c, err := parseClaim(item)
		if err != nil {
			return nil, err
		}
		f.Claims = append(f.Claims, *c)
	}
	return f, nil
}

// recordedKeys are what a run tells about where it was measured, besides the facts of its nodes.
var recordedKeys = []string{"cluster", "profile", "site", "kind", "hardware",
	"cpu", "nic", "firmware", "ofed", "rdma_core", "iommu", "link_rate", "active_mtu", "os", "kernel"}

func parseRecorded(n *yaml.Node) (map[string]string, error) {
	if n == nil {
		return nil, nil
	}
	m, err := mapping(n, "recorded", recordedKeys...)
	if err != nil {
		return nil, err
	}
	recorded := map[string]string{}
	for _, key := range recordedKeys {
		if m[key] == nil {
			continue
		}
		if recorded[key], err = m.text(key); err != nil {
			return nil, err
		}
	}
	return recorded, nil
}

func parseClaim(n *yaml.Node) (*Claim, error) {
	m, err := mapping(n, "a claim", "claim", "paper", "experiment", "metric", "ratio", "order", "value", "tolerance", "level")
	if err != nil {
		return nil, err
	}
	c := &Claim{Line: n.Line}
	for _, part := range []struct {
		key  string
		dst  *string
		must bool
	}{{"claim", &c.Text, true}, {"experiment", &c.Experiment, true}, {"metric", &c.Metric, true}, {"paper", &c.Paper, false}} {
		if *part.dst, err = m.text(part.key); err != nil {
			return nil, err
		}
		if part.must && *part.dst == "" {
			return nil, wrong(n, "the claim has no %s", part.key)
		}
	}
	if err := c.parseTolerance(m["tolerance"]); err != nil {
		return nil, err
	}
	if err := c.parseLevel(m["level"]); err != nil {
		return nil, err
	}
	kinds := slices.DeleteFunc([]string{"ratio", "order", "value"}, func(key string) bool { return m[key] == nil })
	if len(kinds) != 1 {
		return nil, wrong(n, "the claim needs one of ratio, order and value; it has %d", len(kinds))
	}
	if kinds[0] == "order" {
		return c, c.parseOrder(m["order"])
	}
	return c, c.parseBounds(m[kinds[0]], kinds[0])
}

// parseOrder reads "full_v27 < a1 < baseline", or the same with >.
func (c *Claim) parseOrder(n *yaml.Node) error {
	text, err := scalar(n, "order")
	if err != nil {
		return err
	}
	if strings.Contains(text, "<") && strings.Contains(text, ">") {
		return wrong(n, "order: both < and >")
	}
	for _, cell := range strings.FieldsFunc(text, func(r rune) bool { return r == '<' || r == '>' }) {
		c.Order = append(c.Order, strings.TrimSpace(cell))
	}
	if len(c.Order) < 2 || len(c.Order) != 1+strings.Count(text, "<")+strings.Count(text, ">") || slices.Contains(c.Order, "") {
		return wrong(n, "order: %q is not of the form a < b < c", text)
	}
	if strings.Contains(text, ">") {
		slices.Reverse(c.Order)
	}
	for i, cell := range c.Order {
		if slices.Contains(c.Order[:i], cell) {
			return wrong(n, "order: %s stands there twice", cell)
		}
	}
	if c.Tolerance.Amount != 0 && !c.Tolerance.Relative {
		return wrong(n, "order: its tolerance is a percentage")
	}
	return nil
}

// parseBounds reads the mapping of ratio and of value.
func (c *Claim) parseBounds(n *yaml.Node, kind string) error {
	keys := []string{"cell", "is", "at_least", "at_most"}
	if kind == "ratio" {
		keys = append(keys, "to")
	}
	m, err := mapping(n, kind, keys...)
	if err != nil {
		return err
	}
	if c.Cell, err = m.text("cell"); err != nil {
		return err
	}
	if c.To, err = m.text("to"); err != nil {
		return err
	}
	switch {
	case c.Cell == "":
		return wrong(n, "%s: no cell", kind)
	case kind == "ratio" && c.To == "":
		return wrong(n, "ratio: no cell that it is to")
	case c.Cell == c.To:
		return wrong(n, "ratio: of %s to itself", c.Cell)
	}
	for _, bound := range []struct {
		key string
		dst **float64
	}{{"is", &c.Is}, {"at_least", &c.AtLeast}, {"at_most", &c.AtMost}} {
		if m[bound.key] == nil {
			continue
		}
		v, err := number(m[bound.key], bound.key)
		if err != nil {
			return err
		}
		*bound.dst = &v
	}
	return c.checkBounds(n, kind)
}

func (c *Claim) checkBounds(n *yaml.Node, kind string) error {
	switch {
	case c.Is == nil && c.AtLeast == nil && c.AtMost == nil:
		return wrong(n, "%s: needs is, at_least or at_most", kind)
	case c.Is != nil && (c.AtLeast != nil || c.AtMost != nil):
		return wrong(n, "%s: is, and bounds besides", kind)
	case c.Is != nil && c.Tolerance.Amount == 0:
		return wrong(n, "%s: is needs a tolerance: no measured number is exact", kind)
	}
	if lo, hi := c.bounds(); lo > hi {
		return wrong(n, "%s: at_least is more than at_most", kind)
	}
	return nil
}

func (c *Claim) parseTolerance(n *yaml.Node) error {
	if n == nil {
		return nil
	}
	amount, relative, err := amount(n, "tolerance")
	if err != nil {
		return err
	}
	if amount < 0 || relative && amount >= 1 {
		return wrong(n, "tolerance: from 0, and below 100 %%")
	}
	c.Tolerance = Tolerance{amount, relative}
	return nil
}

func (c *Claim) parseLevel(n *yaml.Node) error {
	c.Level = DefaultLevel
	if n == nil {
		return nil
	}
	level, _, err := amount(n, "level")
	if err != nil {
		return err
	}
	if level <= 0 || level >= 1 {
		return wrong(n, "level: above 0 and below 100 %%")
	}
	c.Level = level
	return nil
}

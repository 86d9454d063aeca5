package clusterenv

import (
	"bytes"
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// YAML returns the Spec as the text of a cluster file, with defaults written out where they were filled in. Parse of it
// gives an equal Spec.
func (s *Spec) YAML() ([]byte, error) {
	c := s.clone()
	setDefault(&c.SSH.Config, noSSHConfig)
	for i := range c.Nodes { // what a node has from ssh need not be said again
		n := &c.Nodes[i]
		unsetIf(&n.User, c.SSH.User)
		unsetIf(&n.Port, c.SSH.Port)
		unsetIf(&n.Identity, c.SSH.Identity)
	}
	root, err := encode(reflect.ValueOf(c).Elem())
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	enc := yaml.NewEncoder(&buf)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		return nil, err
	}
	return buf.Bytes(), enc.Close()
}

func unsetIf[T comparable](field *T, value T) {
	if *field == value {
		var zero T
		*field = zero
	}
}

// encode is the reverse of decoder.read.
func encode(v reflect.Value) (*yaml.Node, error) {
	switch x := v.Interface().(type) {
	case time.Duration:
		return scalar("!!str", x.String()), nil
	case time.Time:
		return scalar("!!timestamp", x.Format(time.RFC3339)), nil
	case encoding.TextMarshaler: // netip's types
		text, err := x.MarshalText()
		return scalar("!!str", string(text)), err
	}
	switch v.Kind() {
	case reflect.Struct:
		return encodeStruct(v)
	case reflect.Map:
		return encodeMap(v)
	case reflect.Slice:
		return encodeList(v)
	case reflect.Pointer:
		return encode(v.Elem())
	case reflect.String:
		return scalar("!!str", v.String()), nil
	case reflect.Int:
		return scalar("!!int", strconv.FormatInt(v.Int(), 10)), nil
	case reflect.Bool:
		return scalar("!!bool", strconv.FormatBool(v.Bool())), nil
	}
	return nil, fmt.Errorf("clusterenv: %s has no form in YAML", v.Type())
}

func scalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

// encodeStruct leaves zero fields out, except booleans, whose default may be true.
func encodeStruct(v reflect.Value) (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range reflect.VisibleFields(v.Type()) {
		field := v.FieldByIndex(f.Index)
		if field.IsZero() && field.Kind() != reflect.Bool {
			continue
		}
		value, err := encode(field)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, scalar("!!str", f.Tag.Get("yaml")), value)
	}
	return node, nil
}

// encodeMap writes roles in their usual order.
func encodeMap(v reflect.Value) (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for _, role := range allRoles {
		item := v.MapIndex(reflect.ValueOf(role))
		if !item.IsValid() {
			continue
		}
		value, err := encode(item)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, scalar("!!str", string(role)), value)
	}
	return node, nil
}

// encodeList writes lists of names on one line.
func encodeList(v reflect.Value) (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.SequenceNode}
	if v.Type().Elem().Kind() == reflect.String {
		node.Style = yaml.FlowStyle
	}
	for i := range v.Len() {
		value, err := encode(v.Index(i))
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, value)
	}
	return node, nil
}

package clusterenv

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// A decoder reads YAML nodes into the types of Spec, whose yaml tags are the keys of the file. It is strict: unknown and
// repeated keys, empty values and values of another type are mistakes, and it goes on after each.
type decoder struct{ *mistakes }

// read reads node n, which stands at path, into v.
func (d *decoder) read(n *yaml.Node, path string, v reflect.Value) {
	d.lines[path] = n.Line
	if n.Kind == yaml.AliasNode { // a few of them can make a small file endless
		d.wrong(n, path, "the value itself")
		return
	}
	switch p := v.Addr().Interface().(type) {
	case *time.Duration:
		readText(d, n, path, p, "a duration such as 20s or 1m30s", time.ParseDuration)
		return
	case *time.Time:
		readText(d, n, path, p, "a time such as 2026-01-31T18:00:00Z", func(text string) (time.Time, error) { return time.Parse(time.RFC3339, text) })
		return
	case *netip.Addr:
		readText(d, n, path, p, "an address such as 10.10.1.3", netip.ParseAddr)
		return
	case *netip.Prefix:
		readText(d, n, path, p, "a network such as 10.10.1.0/24", netip.ParsePrefix)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.readStruct(n, path, v)
	case reflect.Map:
		d.readMap(n, path, v)
	case reflect.Slice:
		d.readList(n, path, v)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.read(n, path, v.Elem())
	default:
		d.readScalar(n, path, v)
	}
}

func (d *decoder) readStruct(n *yaml.Node, path string, v reflect.Value) {
	fields := reflect.VisibleFields(v.Type())
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.Tag.Get("yaml")
	}
	d.eachKey(n, path, keys, func(key string, value *yaml.Node, at string) {
		d.read(value, at, v.Field(slices.Index(keys, key)))
	})
}

// readMap reads a map, all of which have roles as their keys.
func (d *decoder) readMap(n *yaml.Node, path string, v reflect.Value) {
	var keys []string
	for _, r := range allRoles {
		keys = append(keys, string(r))
	}
	v.Set(reflect.MakeMap(v.Type()))
	d.eachKey(n, path, keys, func(key string, value *yaml.Node, at string) {
		item := reflect.New(v.Type().Elem()).Elem()
		d.read(value, at, item)
		v.SetMapIndex(reflect.ValueOf(Role(key)), item)
	})
}

func (d *decoder) readList(n *yaml.Node, path string, v reflect.Value) {
	if n.Kind != yaml.SequenceNode {
		d.wrong(n, path, "a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, item := range n.Content {
		d.read(item, fmt.Sprintf("%s[%d]", path, i), v.Index(i))
	}
}

// eachKey calls f for every pair of a mapping whose key is allowed and new.
func (d *decoder) eachKey(n *yaml.Node, path string, allowed []string, f func(key string, value *yaml.Node, at string)) {
	if n.Kind != yaml.MappingNode {
		d.wrong(n, path, "keys and values ("+strings.Join(allowed, ", ")+")")
		return
	}
	seen := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := path
		if key.Kind == yaml.ScalarNode {
			at = strings.TrimPrefix(path+"."+clip(key.Value), ".")
		}
		switch first := seen[key.Value]; {
		case key.Kind != yaml.ScalarNode || !slices.Contains(allowed, key.Value):
			d.addAt(key.Line, at, "unknown key%s; allowed: %s", didYouMean(key.Value, allowed), strings.Join(allowed, ", "))
		case first > 0:
			d.addAt(key.Line, at, "the key is there already, in line %d", first)
		default:
			seen[key.Value] = key.Line
			f(key.Value, value, at)
		}
	}
}

func (d *decoder) readScalar(n *yaml.Node, path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if n.ShortTag() != "!!str" {
			d.wrong(n, path, "text (in quotes, if it looks like something else)")
		} else if strings.ContainsFunc(n.Value, unicode.IsControl) {
			d.wrong(n, path, "text of one line without control characters")
		} else {
			v.SetString(n.Value)
		}
	case reflect.Int:
		i, err := strconv.Atoi(n.Value)
		if n.ShortTag() != "!!int" || err != nil {
			d.wrong(n, path, "a whole number")
			return
		}
		v.SetInt(int64(i))
	case reflect.Bool:
		if n.ShortTag() != "!!bool" {
			d.wrong(n, path, "true or false")
			return
		}
		v.SetBool(strings.EqualFold(n.Value, "true"))
	default:
		panic("clusterenv: Spec has a field of a type without a reader: " + v.Type().String())
	}
}

// readText reads a value that the file has as text.
func readText[T any](d *decoder, n *yaml.Node, path string, p *T, want string, parse func(string) (T, error)) {
	if n.ShortTag() == "!!str" || n.ShortTag() == "!!timestamp" {
		if v, err := parse(n.Value); err == nil {
			*p = v
			return
		}
	}
	d.wrong(n, path, want)
}

// wrong reports that n is not what it should be.
func (d *decoder) wrong(n *yaml.Node, path, want string) {
	d.bad[path] = true
	d.addAt(n.Line, path, "%s; wants %s", describe(n), want)
}

// describe says what a node is.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.ShortTag() == "!!null" {
		return "empty"
	}
	return strconv.Quote(clip(n.Value))
}

// clip shortens text for use in a message.
func clip(text string) string {
	const limit = 60
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
}

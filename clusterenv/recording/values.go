package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Values are what differs from run to run, by name: the id of a run, ports, tokens, temporary directories, digests of programs. In
// a recording each value stands as ⟦name⟧. It is taken out of requests and outputs when they are recorded; on replay the
// current run's value is put back into outputs, and taken out of requests before they are looked up.
//
// Where several values match, the longest wins. A value of digits only is not replaced inside of a longer number.
//
// Values are safe for concurrent use. Each has to be set before the first request that carries it.
type Values struct {
	mu     sync.Mutex
	byName map[string]string
	also   map[string]string // name → another text that stands for it in requests: what a replay has told in place of a value
	cached *matcher          // of byName; nil if it has changed
	edits  int               // counts calls of Set
}

const (
	openMark  = "⟦"
	closeMark = "⟧"
	// markMark stands for openMark where that is in the data itself. It is no name.
	markMark = "⟦(⟧"
	// maxName is the length of the longest name, in bytes.
	maxName = 64
)

var valueName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$`)

// minValue is the length from which values are replaced, in bytes.
const minValue = 4

// Set gives a name its value; the empty value takes it away. A value of fewer than four bytes is not replaced: it would be found
// everywhere. Names are made of letters, digits and "._:/-"; Set panics at any other, which is a mistake in the program.
func (v *Values) Set(name, value string) {
	if !valueName.MatchString(name) {
		panic(fmt.Sprintf("recording: %q cannot be the name of a value", name))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.byName == nil {
		v.byName = map[string]string{}
	}
	if len(value) < minValue {
		delete(v.byName, name)
	} else {
		v.byName[name] = value
	}
	v.cached = nil
	v.edits++
}

// list is the values as what is to be replaced by placeholders; v.mu is held.
func (v *Values) list() []literal {
	list := []literal{{text: openMark, with: markMark}}
	for _, texts := range []map[string]string{v.byName, v.also} {
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			l := literal{text: texts[name], with: openMark + name + closeMark}
			if strings.Trim(l.text, "0123456789") == "" {
				l.edge = number
			}
			list = append(list, l)
		}
	}
	return list
}

// takeOut replaces values by placeholders.
func (v *Values) takeOut(data []byte) []byte {
	v.mu.Lock()
	if v.cached == nil {
		v.cached = newMatcher(v.list())
	}
	m := v.cached
	v.mu.Unlock()
	return splice(data, m.find(data), nil)
}

// putBack replaces placeholders by values.
func (v *Values) putBack(data []byte, cuts []int) []byte {
	if !bytes.Contains(data, []byte(openMark)) {
		return data
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	var spans []span
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte(openMark))
		if i < 0 {
			return splice(data, spans, cuts)
		}
		at += i
		name := data[at+len(openMark):]
		name = name[:min(len(name), maxName+len(closeMark))]
		end := bytes.Index(name, []byte(closeMark))
		if end < 0 {
			at += len(openMark)
			continue
		}
		value, known := v.byName[string(name[:end])]
		stop := at + len(openMark) + end + len(closeMark)
		if string(data[at:stop]) == markMark {
			value, known = openMark, true
		}
		if !known {
			at += len(openMark)
			continue
		}
		spans = append(spans, span{at, stop, value})
		at = stop
	}
}

// standIns are values for a replay that sets none: of the same shape as those of the recorded run, which they do not tell.
func (v *Values) standIns() map[string]string {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := map[string]string{}
	for name, value := range v.byName {
		m[name] = standIn(name, value)
	}
	return m
}

// standIn is a path for a path, digits as they are (ports and counts), hexadecimal digits for such.
func standIn(name, value string) string {
	switch {
	case path.IsAbs(value):
		return "/recorded/" + name
	case strings.Trim(value, "0123456789") == "":
		return value
	case strings.Trim(value, "0123456789abcdef") == "":
		sum := sha256.Sum256([]byte(name))
		digits := strings.Repeat(hex.EncodeToString(sum[:]), len(value)/(2*len(sum))+1)
		return digits[:len(value)]
	}
	return "recorded-" + name
}

package clusterenv

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func docs(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../docs/cluster.md")
	require.NoError(t, err)
	return string(data)
}

// section is the text of docs below the heading, up to the next.
func section(t *testing.T, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(docs(t), "\n## "+heading+"\n")
	require.True(t, ok, "docs/cluster.md has no section %q", heading)
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// keysOf lists the keys that the decoder takes for a value of type t, as docs/cluster.md writes them.
func keysOf(t reflect.Type, path string) []string {
	var keys []string
	below := func(key string, t reflect.Type) {
		keys = append(keys, keysOf(t, strings.TrimPrefix(path+"."+key, "."))...)
	}
	switch {
	case t.Kind() == reflect.Struct && t.PkgPath() == reflect.TypeFor[Spec]().PkgPath():
		for _, f := range reflect.VisibleFields(t) {
			below(f.Tag.Get("yaml"), f.Type)
		}
	case t.Kind() == reflect.Map:
		for _, role := range allRoles {
			below(string(role), t.Elem())
		}
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return keysOf(t.Elem(), path+"[]")
	default:
		return []string{path}
	}
	return keys
}

func TestDocumentedKeys(t *testing.T) {
	var documented []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section(t, "Keys"), -1) {
		documented = append(documented, m[1])
	}
	if diff := cmp.Diff(keysOf(reflect.TypeFor[Spec](), ""), documented); diff != "" {
		t.Errorf("keys of the parser and of docs/cluster.md (-parser +docs):\n%s", diff)
	}
}

func TestDocumentedDefaults(t *testing.T) {
	spec, err := Parse("least.yaml", []byte(leastFile))
	require.NoError(t, err)
	require.Equal(t, DefaultSSHConfig, spec.SSH.Config)
	spec.SSH.Config = ""
	login, err := ResolveLogin(spec, spec.Nodes[0])
	require.NoError(t, err)
	for key, value := range map[string]string{
		"ssh.config":             "`" + DefaultSSHConfig + "`",
		"ssh.port":               "22",
		"ssh.agent":              "true",
		"ssh.known_hosts":        "`" + login.KnownHosts[0] + "`",
		"ssh.accept":             "`" + string(login.Accept) + "`",
		"ssh.keepalive.interval": login.Keepalive.Interval.String(),
		"ssh.keepalive.misses":   "15",
		"ssh.timeout":            login.Timeout.String(),
		"workdir":                "`" + spec.Workdir + "`",
		"memcached.port":         "11211",
	} {
		require.Regexp(t, "(?m)^\\| `"+regexp.QuoteMeta(key)+"` \\| [^|]+ \\| "+regexp.QuoteMeta(value)+" \\|", section(t, "Keys"))
	}
	require.Equal(t, []any{22, true, 15, 11211}, []any{login.Port, spec.SSH.Agent, login.Keepalive.Misses, spec.Memcached.Port})
	require.Equal(t, []any{20 * time.Second, 15 * time.Second}, []any{login.Keepalive.Interval, login.Timeout})
}

func TestDocumentedExample(t *testing.T) {
	_, rest, ok := strings.Cut(docs(t), "```yaml\n")
	require.True(t, ok)
	example, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	spec, err := Parse("docs/cluster.md", []byte(example))
	require.NoError(t, err)
	require.Equal(t, "small-lan", spec.Name)
	require.Equal(t, []string{"node3", "node1"}, spec.Names(CN))
	requireRoundTrip(t, spec)
}

// Every kind of mistake that the parser is tested for has a row in the table, with a message that the test saw.
func TestDocumentedErrors(t *testing.T) {
	messages := make(map[string][]*regexp.Regexp)
	for line := range strings.Lines(section(t, "Mistakes")) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 2 {
			continue
		}
		var patterns []*regexp.Regexp
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			pattern := regexp.QuoteMeta(m[1])
			pattern = strings.ReplaceAll(pattern, regexp.QuoteMeta(" (did you mean …?)"), ".*")
			pattern = strings.ReplaceAll(pattern, "<the reason>", ".*")
			patterns = append(patterns, regexp.MustCompile(strings.ReplaceAll(pattern, "…", ".*")))
		}
		for _, kind := range strings.Split(cells[0], ", ") {
			messages[kind] = patterns
		}
	}
	for _, tt := range mistakeTests {
		matches := func(r *regexp.Regexp) bool { return r.MatchString(tt.want) }
		if !slices.ContainsFunc(messages[tt.name], matches) {
			t.Errorf("docs/cluster.md has no message for %q such as\n%s", tt.name, tt.want)
		}
	}
}

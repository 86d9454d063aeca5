package clusterenv

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// eachCase runs a test for every case of testdata/cases of a kind. want is decoded into a T.
func eachCase[T any](t *testing.T, kind string, test func(t *testing.T, file string, text []byte, want T)) {
	t.Helper()
	const dir = "../testdata/cases"
	var cases []struct {
		File, Kind, Feature string
		Want                json.RawMessage
	}
	data, err := os.ReadFile(filepath.Join(dir, "cases.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &cases))
	seen := 0
	for _, c := range cases {
		if c.Kind != kind {
			continue
		}
		seen++
		t.Run(c.File, func(t *testing.T) {
			file := filepath.Join(dir, c.File)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var want T
			require.NoError(t, json.Unmarshal(c.Want, &want))
			test(t, file, text, want)
		})
	}
	require.NotZero(t, seen, "no case of kind %s", kind)
}

func TestSSHConfigCases(t *testing.T) {
	type lookup struct {
		Host          string
		HostName      string
		User          string
		Port          int
		IdentityFiles []string `json:"identity_files"`
	}
	type want struct {
		Lookups []lookup
		Error   string
		Line    int
		Option  string
	}
	eachCase(t, "ssh_config", func(t *testing.T, file string, _ []byte, want want) {
		if want.Error != "" {
			_, err := ResolveLogin(&Spec{SSH: SSH{Config: file}}, NodeSpec{Host: "any"})
			var mistake *SyntaxError
			require.ErrorAs(t, err, &mistake)
			require.Equal(t, []any{file, want.Line, want.Option}, []any{mistake.File, mistake.Line, mistake.Path})
			require.Contains(t, err.Error(), "unknown option (did you mean port?)")
			return
		}
		for _, w := range want.Lookups {
			config, err := readSSHConfig(file, w.Host, nil)
			require.NoError(t, err)
			l, err := ResolveLogin(&Spec{SSH: SSH{Config: file}}, NodeSpec{Host: w.Host})
			require.NoError(t, err)
			got := lookup{Host: l.Alias, HostName: l.Host, User: l.User, Port: l.Port}
			if w.HostName == "" {
				w.HostName = w.Host
			}
			for _, v := range config.added["identityfile"] {
				got.IdentityFiles = append(got.IdentityFiles, v.args[0])
			}
			if diff := cmp.Diff(w, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
}

func TestSSHFailureCases(t *testing.T) {
	type want struct {
		Class          Fault
		Retryable      bool
		Host           string
		Port           int
		User           string
		Methods        []string
		KnownHostsLine int `json:"known_hosts_line"`
		Expected       bool
	}
	eachCase(t, "ssh_fail", func(t *testing.T, _ string, text []byte, w want) {
		f, ok := ParseSSHFailure(string(text))
		require.True(t, ok)
		got := want{
			Class: f.Fault, Retryable: f.Fault.Retryable(), Host: f.Host, Port: f.Port, User: f.User, Methods: f.Methods,
			KnownHostsLine: f.KnownHostsLine, Expected: f.Expected,
		}
		if diff := cmp.Diff(w, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		require.Equal(t, w.Class, FaultOf(errors.New(string(text))), "as the text of an error")
	})
}

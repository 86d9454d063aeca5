package clusterenv

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A typist answers at a terminal.
type typist struct {
	mu      sync.Mutex
	answers []string
	pause   time.Duration
	asked   []string // prompts
}

func (p *typist) ask(prompt string) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, prompt)
	time.Sleep(p.pause)
	if len(p.answers) == 0 {
		return nil, errors.New("nothing more is typed")
	}
	answer := p.answers[0]
	p.answers = p.answers[1:]
	return []byte(answer), nil
}

func (p *typist) Close() error { return nil }

// at puts somebody at the terminal.
func (p *typist) at(t *testing.T) *typist {
	t.Helper()
	before := openTerminal
	openTerminal = func() (terminal, error) { return p, nil }
	t.Cleanup(func() { openTerminal = before })
	return p
}

// encryptedKey makes a key with ssh-keygen, in OpenSSH's form or the older one.
func encryptedKey(t *testing.T, more ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	tool(t, "", append([]string{"ssh-keygen", "-q", "-N", "secret", "-f", file}, more...)...)
	return file
}

// TestPassphraseOnce logs in to a server eight times at once, and again, with a key that is asked for once. The one who types takes
// longer than a dial may, for one of the keys.
func TestPassphraseOnce(t *testing.T) {
	for _, form := range [][]string{{"-t", "ed25519"}, {"-t", "rsa", "-m", "PEM"}, {"-t", "ecdsa"}} {
		t.Run(form[1], func(t *testing.T) {
			key := encryptedKey(t, form...)
			s := startSSHDWith(t, "AuthorizedKeysFile "+key+".pub")
			spec := configured(t, []string{"n"}, block("n", s, "IdentityFile "+key, "UserKnownHostsFile "+knownTo(t, s)))
			p := (&typist{answers: []string{"wrong", "secret"}}).at(t)
			if form[1] == "ed25519" {
				spec.SSH.Timeout, p.pause = 3*time.Second, 1600*time.Millisecond
			}
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					tr, err := DialSSH(t.Context(), spec, spec.Nodes[0])
					if err != nil {
						t.Error(err)
						return
					}
					tr.Close()
				})
			}
			all.Wait()
			requireLogin(t, spec)
			prompt := "Passphrase for key " + key + ": "
			require.Equal(t, []string{prompt, prompt}, p.asked)
		})
	}
}

// TestPassphraseNotWanted has a server that knows another key: nobody is asked.
func TestPassphraseNotWanted(t *testing.T) {
	key := encryptedKey(t, "-t", "ed25519")
	s := startSSHDWith(t)
	known := "UserKnownHostsFile " + knownTo(t, s)
	p := (&typist{}).at(t)
	requireLogin(t, configured(t, []string{"n"}, block("n", s, "IdentityFile "+key, "IdentityFile "+s.identity, known)))
	requireNoLogin(t, configured(t, []string{"n"}, block("n", s, "IdentityFile "+key, known)), "offered "+key)
	require.Empty(t, p.asked)
}

func TestPassphraseRefused(t *testing.T) {
	key := encryptedKey(t, "-t", "ed25519")
	s := startSSHDWith(t, "AuthorizedKeysFile "+key+".pub")
	spec := configured(t, []string{"n"}, block("n", s, "IdentityFile "+key, "UserKnownHostsFile "+knownTo(t, s)))
	requireNoLogin(t, spec, "identity "+key+" is encrypted: load it with ssh-add and set agent: true (no terminal to ask for its passphrase: this is a test)")
	p := (&typist{answers: []string{"a", "b", "c", "secret"}}).at(t)
	requireNoLogin(t, spec, "identity "+key+": wrong passphrase, 3 times")
	require.Len(t, p.asked, 3)
	p.answers = nil
	requireNoLogin(t, spec, "nothing more is typed")
	require.NoError(t, os.WriteFile(key, []byte("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n"), 0o600))
	requireNoLogin(t, spec, "identity "+key+": ")
}

func TestDialClock(t *testing.T) {
	ctx, cancel, clock := newDialClock(t.Context(), 60*time.Millisecond)
	defer cancel()
	start := clock.stop()
	clock.stop()() // a second one changes nothing
	time.Sleep(120 * time.Millisecond)
	require.NoError(t, ctx.Err(), "it stands still")
	require.LessOrEqual(t, clock.remains(), 60*time.Millisecond)
	start()
	select {
	case <-ctx.Done():
	case <-time.After(within10):
		t.Fatal("the clock does not run")
	}
	require.Less(t, clock.remains(), time.Millisecond)
}

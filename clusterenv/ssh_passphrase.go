package clusterenv

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/term"
)

// A lockedKey is an encrypted private key.
type lockedKey struct {
	name   string // as the configuration has it
	path   string
	pem    []byte
	public ssh.PublicKey // nil: the file does not tell
}

// maxPassphrases is how often a wrong passphrase may be tried, as with OpenSSH.
const maxPassphrases = 3

// unlocked are the keys whose passphrases were given to this process: content of the file → ssh.Signer.
var unlocked sync.Map

// asking is held by whoever asks for a passphrase: the others find the key unlocked then.
var asking sync.Mutex

func (l *lockedKey) given() ssh.Signer {
	s, _ := unlocked.Load(string(l.pem))
	signer, _ := s.(ssh.Signer)
	return signer
}

// signer is the key, or stands for it until the server wants it: only then is the passphrase asked for, once in a process. Where
// there is no terminal to ask at, the error names the remedy.
func (l *lockedKey) signer(clock *dialClock) (ssh.Signer, error) {
	if s := l.given(); s != nil {
		return s, nil
	}
	terminal, err := openTerminal()
	if err != nil {
		return nil, fmt.Errorf("identity %s is encrypted: load it with ssh-add and set agent: true (no terminal to ask for its passphrase: %w)", l.name, err)
	}
	terminal.Close()
	if l.public == nil {
		return l.unlock(clock)
	}
	return &lazySigner{key: l, clock: clock, algorithms: algorithmsOf(l.public.Type())}, nil
}

// unlock asks for the passphrase, unless another dial has done that meanwhile.
func (l *lockedKey) unlock(clock *dialClock) (ssh.Signer, error) {
	defer clock.stop()()
	asking.Lock()
	defer asking.Unlock()
	if s := l.given(); s != nil {
		return s, nil
	}
	terminal, err := openTerminal()
	if err != nil {
		return nil, err
	}
	defer terminal.Close()
	for range maxPassphrases {
		phrase, err := terminal.ask(fmt.Sprintf("Passphrase for key %s: ", l.name))
		if err != nil {
			return nil, fmt.Errorf("passphrase for %s: %w", l.name, err)
		}
		s, err := ssh.ParsePrivateKeyWithPassphrase(l.pem, phrase)
		clear(phrase)
		switch {
		case err == nil:
			unlocked.Store(string(l.pem), s)
			return s, nil
		case !errors.Is(err, x509.IncorrectPasswordError):
			return nil, fmt.Errorf("identity %s: %w", l.name, err)
		}
	}
	return nil, fmt.Errorf("identity %s: wrong passphrase, %d times", l.name, maxPassphrases)
}

// A lazySigner is an encrypted key that has not been wanted yet.
type lazySigner struct {
	key        *lockedKey
	clock      *dialClock
	algorithms []string
}

// PublicKey, Sign, SignWithAlgorithm and Algorithms make it an ssh.MultiAlgorithmSigner.
func (s *lazySigner) PublicKey() ssh.PublicKey { return s.key.public }

func (s *lazySigner) Algorithms() []string { return s.algorithms }

func (s *lazySigner) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return s.SignWithAlgorithm(rand, data, s.algorithms[0])
}

func (s *lazySigner) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	signer, err := s.key.unlock(s.clock)
	if err != nil {
		return nil, err
	}
	if a, ok := signer.(ssh.AlgorithmSigner); ok {
		return a.SignWithAlgorithm(rand, data, algorithm)
	}
	return signer.Sign(rand, data)
}

// A terminal is where a person can be asked.
type terminal interface {
	ask(prompt string) ([]byte, error)
	Close() error
}

// openTerminal opens the terminal of this process, whatever its standard input is. Tests put another in its place.
var openTerminal = func() (terminal, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return tty{f}, nil
}

type tty struct{ *os.File }

// ask prints the prompt and reads a line without showing it.
func (t tty) ask(prompt string) ([]byte, error) {
	if _, err := t.WriteString(prompt); err != nil {
		return nil, err
	}
	line, err := term.ReadPassword(int(t.Fd()))
	t.WriteString("\n")
	return line, err
}

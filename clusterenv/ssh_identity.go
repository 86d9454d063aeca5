package clusterenv

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"
)

// readIdentity reads a private key file. Of an encrypted one it returns how to unlock it. The public key is told where it is
// known: by the file, or by the one beside it that ends in .pub, which may be all there is when an agent holds the other half.
func readIdentity(name string) (ssh.Signer, *lockedKey, ssh.PublicKey, error) {
	path, err := expandHome(name)
	if err != nil {
		return nil, nil, nil, err
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		err = fmt.Errorf("identity %s: %w", name, errors.Unwrap(err))
		if public := readPublicKey(path + ".pub"); public != nil {
			return nil, nil, public, err
		}
		return nil, nil, nil, err
	}
	if public, _, _, _, err := ssh.ParseAuthorizedKey(pem); err == nil {
		return nil, nil, public, nil
	}
	signer, err := ssh.ParsePrivateKey(pem)
	if err == nil {
		return signer, nil, signer.PublicKey(), nil
	}
	var encrypted *ssh.PassphraseMissingError
	if !errors.As(err, &encrypted) {
		return nil, nil, nil, fmt.Errorf("identity %s: %w", name, err)
	}
	public := encrypted.PublicKey
	if public == nil {
		public = readPublicKey(path + ".pub")
	}
	return nil, &lockedKey{name: name, path: path, pem: pem, public: public}, public, nil
}

// readPublicKey reads a public key file; nil is that there is none.
func readPublicKey(path string) ssh.PublicKey {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(text)
	if err != nil {
		return nil
	}
	return key
}

// readCertificate reads a user certificate.
func readCertificate(name string) (*ssh.Certificate, error) {
	path, err := expandHome(name)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("certificate %s: %w", name, errors.Unwrap(err))
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(text)
	if err != nil {
		return nil, fmt.Errorf("certificate %s: %w", name, err)
	}
	cert, ok := key.(*ssh.Certificate)
	if !ok || cert.CertType != ssh.UserCert {
		return nil, fmt.Errorf("certificate %s: it holds a %s, not a user's certificate", name, key.Type())
	}
	return cert, nil
}

// expandHome replaces a leading ~ by the home directory.
func expandHome(path string) (string, error) {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, path[1:]), nil
}

package clusterenv

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/crypto/ssh"
)

// pinFile is where "accept: new" keeps host keys: $GOTESTBED_KNOWN_HOSTS, or .gotestbed/known_hosts in the working directory.
func pinFile() string {
	if f := os.Getenv("GOTESTBED_KNOWN_HOSTS"); f != "" {
		return f
	}
	return filepath.Join(".gotestbed", "known_hosts")
}

// pin adds an unknown node's key to the pin file, unless another process or goroutine has meanwhile added one for the node: then that
// one decides.
func (h *hostKeys) pin(unknown *UnknownHostError, key ssh.PublicKey) error {
	path, err := expandHome(h.store.pins)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("pinning the host key: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("pinning the host key: %w", err)
	}
	defer f.Close() // and with it the lock
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("locking %s: %w", h.store.pins, err)
	}
	callback, err := readKnownHosts([]string{h.store.pins})
	if err != nil {
		return err
	}
	err = h.explain(callback(h.addr, noAddr{}, key), key)
	if _, ok := err.(*UnknownHostError); !ok {
		return err
	}
	if _, err := f.WriteString(unknown.Line + "\n"); err != nil {
		return fmt.Errorf("pinning the host key: %w", err)
	}
	return nil
}

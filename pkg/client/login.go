package client

import (
	"fmt"
	"os"
	"strings"
)

// Login is who a client is to the broker, and whom it trusts: a credentials file,
// a user and its password, or a token; a CA of one's own, and a certificate of
// this client. Secrets are asked for at every connection, so that they may be
// changed while the game runs.
type Login struct {
	Creds    string // a file with a user's JWT and seed
	User     string
	Password func() (string, error) // nil: none; see SecretFile and SecretEnv
	Token    func() (string, error) // nil: none; an empty one is none

	CA        string // a PEM file of certificates that are trusted instead of the system's
	Cert, Key string // PEM files of this client's certificate

	Inbox string // the prefix of answers; default _INBOX_ and the user, or the broker's own
}

// SecretFile reads a password or a token from a file that holds it alone.
func SecretFile(path string) func() (string, error) {
	return func() (string, error) {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("the secret cannot be read: %w; mend the path or its permissions", err)
		}
		secret := strings.TrimSpace(string(data))
		if secret == "" {
			return "", fmt.Errorf("%s is empty; it must hold the secret alone", path)
		}
		return secret, nil
	}
}

// SecretEnv reads a password or a token from an environment variable.
func SecretEnv(name string) func() (string, error) {
	return func() (string, error) {
		if secret := strings.TrimSpace(os.Getenv(name)); secret != "" {
			return secret, nil
		}
		return "", fmt.Errorf("the environment variable %s is not set; it must hold the secret", name)
	}
}

package config

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
)

// NATS is the broker. Its secrets are not among the settings: they are read from
// a file or the environment when they are needed, and again at every connection,
// so that they may be changed while a process runs.
type NATS struct {
	URL          string `koanf:"url"`           // of an external server, or several with commas between; empty: one in process
	Creds        string `koanf:"creds"`         // a file with a user's JWT and seed
	User         string `koanf:"user"`          // with a password
	PasswordFile string `koanf:"password_file"` // a file that holds the password alone
	TokenFile    string `koanf:"token_file"`    // a file that holds a token alone
	Inbox        string `koanf:"inbox"`         // the prefix of answers; empty: _INBOX_ and the user
	TLS          TLS    `koanf:"tls"`
	Replicas     int    `koanf:"replicas"` // of every stream, on as many servers of a cluster
}

// TLS are the files of a connection under TLS, all PEM.
type TLS struct {
	CA   string `koanf:"ca"`   // certificates that are trusted instead of the system's
	Cert string `koanf:"cert"` // this client's
	Key  string `koanf:"key"`  // of that certificate
}

// The variables that hold secrets of the broker.
const (
	passwordVariable = "FORSOOTH_NATS_PASSWORD"
	tokenVariable    = "FORSOOTH_NATS_TOKEN"
)

// natsKey is the key that a plain `nats: URL` sets; FORSOOTH_NATS sets it too.
const natsKey = "nats.url"

// Password reads the user's password: from its file, else from
// FORSOOTH_NATS_PASSWORD. None is an empty one.
func (n NATS) Password() (Secret, error) {
	return secretOf("nats.password_file", n.PasswordFile, passwordVariable)
}

// Token reads the token: from its file, else from FORSOOTH_NATS_TOKEN. None is an
// empty one.
func (n NATS) Token() (Secret, error) {
	return secretOf("nats.token_file", n.TokenFile, tokenVariable)
}

func secretOf(setting, file, variable string) (Secret, error) {
	if file != "" {
		return keyFromFile(setting, file)
	}
	if value := os.Getenv(variable); strings.TrimSpace(value) != "" {
		return checkKey(variable, value)
	}
	return Secret{}, nil
}

func addNATSDefaults(defaults map[string]any) map[string]any {
	for _, key := range []string{"url", "creds", "user", "password_file", "token_file", "inbox", "tls.ca", "tls.cert", "tls.key"} {
		defaults["nats."+key] = ""
	}
	defaults["nats.replicas"] = 1
	return defaults
}

var inboxPrefix = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// check does not repeat what it refuses: a secret may stand in it.
func (n *NATS) check() error {
	for _, address := range strings.Split(n.URL, ",") {
		if u, err := url.Parse(strings.TrimSpace(address)); err != nil || u.User != nil {
			return &Error{natsKey, "is no plain address, such as nats://host:4222; a user goes in nats.user, a password in the file of nats.password_file or in " + passwordVariable}
		}
	}
	ways := 0
	for _, given := range []bool{n.Creds != "", n.User != "", n.TokenFile != ""} {
		if given {
			ways++
		}
	}
	switch {
	case n.Replicas != 1 && n.Replicas != 3 && n.Replicas != 5:
		return &Error{"nats.replicas", fmt.Sprintf("is %d; write 1, 3 or 5", n.Replicas)}
	case ways > 1:
		return &Error{"nats", "names more than one of creds, user and token_file; keep one"}
	case n.PasswordFile != "" && n.User == "":
		return &Error{"nats.password_file", "is a password of nobody; name the user in nats.user"}
	case (n.TLS.Cert == "") != (n.TLS.Key == ""):
		return &Error{"nats.tls.cert", "and nats.tls.key go together; name both files"}
	case n.Inbox != "" && !inboxPrefix.MatchString(n.Inbox):
		return &Error{"nats.inbox", "is no prefix of subjects; write one such as _INBOX_game"}
	}
	return nil
}

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
	// The URL of a NATS server with JetStream, or several separated by commas. Empty: a server in
	// process, on 127.0.0.1. Flag `--nats`.
	URL string `koanf:"url"`
	// A file with a user's JWT and seed. Flag `--nats-creds`.
	Creds string `koanf:"creds"`
	// The user, where the server identifies users by password.
	User string `koanf:"user"`
	// A file that holds the password alone. Without it, the variable `FORSOOTH_NATS_PASSWORD`
	// holds the password.
	PasswordFile string `koanf:"password_file"`
	// A file that holds a token alone. Without it, the variable `FORSOOTH_NATS_TOKEN` holds the
	// token.
	TokenFile string `koanf:"token_file"`
	// The prefix of answers' subjects, where a user may listen only to his own. Empty: `_INBOX_`
	// and the user's name.
	Inbox string `koanf:"inbox"`
	// TLS to the NATS server. All files are PEM.
	TLS TLS `koanf:"tls"`
	// Copies of every stream: 3 on a cluster of three servers or more, 1 on a single server. 5 is
	// also valid.
	Replicas int `koanf:"replicas"`
}

// TLS are the files of a connection under TLS, all PEM.
type TLS struct {
	// Certificates that are trusted instead of the system's.
	CA string `koanf:"ca"`
	// This client's certificate, where the server asks for one.
	Cert string `koanf:"cert"`
	// The private key of that certificate.
	Key string `koanf:"key"`
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
	for _, key := range []string{"url", "creds", "user", "password_file", "token_file", "inbox", "tls.ca", "tls.cert",
		"tls.key"} {
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
			return &Error{natsKey, "is no plain address, such as nats://host:4222; a user goes in nats.user, a password in " +
				"the file of nats.password_file or in " + passwordVariable}
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

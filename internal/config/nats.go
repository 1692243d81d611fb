package config

import (
	"fmt"
	"net"
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

// Qdrant are the settings of a Qdrant server, which then keeps the memories and
// the worlds' index in place of the data folder. Its key is not among the
// settings: it is read from a file or the environment when it is needed.
type Qdrant struct {
	// The gRPC address of the server, such as `http://localhost:6334`. `https://` uses TLS. Empty:
	// the data folder. Flag `--qdrant`.
	URL string `koanf:"url"`
	// Stands before the names of the collections `session`, `corpus_v2` and `meaning_corpus_v2`,
	// whose aliases are `corpus` and `meaning_corpus`. Several games can then share a server.
	Prefix string `koanf:"prefix"`
	// Nodes of its cluster: 1, or 3 and more. With 3, collections have three copies, and a write
	// counts once two have it.
	Nodes int `koanf:"nodes"`
	// A file that holds its API key alone. Without it, the variable `FORSOOTH_QDRANT_KEY` holds
	// the key.
	KeyFile string `koanf:"key_file"`
}

const (
	qdrantKey         = "qdrant.url" // what `qdrant: URL` alone sets
	keyVariableQdrant = "FORSOOTH_QDRANT_KEY"
	qdrantPort        = "6334" // of its gRPC side
	qdrantHTTPPort    = "6333"
)

var qdrantPrefix = regexp.MustCompile(`^[A-Za-z0-9_-]{0,64}$`)

func addQdrantDefaults(defaults map[string]any) map[string]any {
	defaults["qdrant.url"], defaults["qdrant.prefix"], defaults["qdrant.nodes"], defaults["qdrant.key_file"] = "",
		"", 1, ""
	return defaults
}

// Address is host:port of the server's gRPC side, and whether it speaks TLS.
func (q Qdrant) Address() (addr string, tls bool, err error) {
	given := q.URL
	if !strings.Contains(given, "://") {
		given = "http://" + given
	}
	u, err := url.Parse(given)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.Scheme != "http" &&
		u.Scheme != "https" {
		return "", false, &Error{"qdrant.url", "is no address of a server; write http://localhost:6334, or https:// " +
			"where it speaks TLS"}
	}
	port := u.Port()
	switch port {
	case "":
		port = qdrantPort
	case qdrantHTTPPort:
		return "", false, &Error{"qdrant.url", fmt.Sprintf("names port %s, where Qdrant speaks HTTP; name its gRPC "+
			"port, by default %s", qdrantHTTPPort, qdrantPort)}
	}
	return net.JoinHostPort(u.Hostname(), port), u.Scheme == "https", nil
}

// Key reads the server's key: from its file, else from FORSOOTH_QDRANT_KEY. None
// is an empty one.
func (q Qdrant) Key() (Secret, error) {
	if q.KeyFile != "" {
		return keyFromFile("qdrant.key_file", q.KeyFile)
	}
	if value := os.Getenv(keyVariableQdrant); strings.TrimSpace(value) != "" {
		return checkKey(keyVariableQdrant, value)
	}
	return Secret{}, nil
}

func (q Qdrant) check() error {
	if q.URL != "" {
		if _, _, err := q.Address(); err != nil {
			return err
		}
	}
	switch {
	case !qdrantPrefix.MatchString(q.Prefix):
		return &Error{"qdrant.prefix", "is letters, digits, _ and -, at most 64"}
	case q.Nodes != 1 && q.Nodes < 3:
		return &Error{"qdrant.nodes", fmt.Sprintf("is %d; write 1, or 3 and more", q.Nodes)}
	}
	return nil
}

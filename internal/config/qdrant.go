package config

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strings"
)

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

package transport

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/nats-io/nats.go"
)

// Login is who a client is to the broker, and whom it trusts. The zero value is
// nobody, and the system's certificates. What is a secret is asked for at every
// connection, so that it may be changed while the process runs.
type Login struct {
	Creds    string // a file with a user's JWT and seed
	User     string
	Password func() (string, error) // nil: none
	Token    func() (string, error) // nil: none; an empty one is none

	CA        string // a PEM file of certificates that are trusted instead of the system's
	Cert, Key string // PEM files of this client's certificate

	Inbox string // the prefix of answers; default _INBOX_ and the user, or the broker's own
}

// inbox is where this client alone listens for answers.
func (l Login) inbox() string {
	if l.Inbox == "" && l.User != "" && inboxName.MatchString(l.User) {
		return "_INBOX_" + l.User
	}
	return l.Inbox
}

var inboxName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// options are the client library's, after everything that can be read has been
// read once: what is wrong here is said before the broker is asked.
func (l Login) options() ([]nats.Option, error) {
	var opts []nats.Option
	if prefix := l.inbox(); prefix != "" {
		opts = append(opts, nats.CustomInboxPrefix(prefix))
	}
	if l.Creds != "" {
		if err := readable("nats.creds", l.Creds); err != nil {
			return nil, err
		}
		opts = append(opts, nats.UserCredentials(l.Creds))
	}
	secret, err := l.secret()
	if err != nil {
		return nil, err
	}
	switch {
	case l.User != "":
		opts = append(opts, nats.UserInfoHandler(func() (string, string) { return l.User, secret() }))
	case l.Creds == "" && secret() != "":
		opts = append(opts, nats.TokenHandler(secret))
	}
	trust, err := l.trust()
	return append(opts, trust...), err
}

// secret is the password or the token as it stands now; where it cannot be read
// any more, as it was.
func (l Login) secret() (func() string, error) {
	ask := l.Token
	if l.User != "" {
		ask = l.Password
	}
	if ask == nil {
		return func() string { return "" }, nil
	}
	last, err := ask()
	if err != nil {
		return nil, err
	}
	return func() string {
		if now, err := ask(); err == nil {
			return now
		}
		return last
	}, nil
}

func (l Login) trust() ([]nats.Option, error) {
	var opts []nats.Option
	if l.CA != "" {
		pem, err := os.ReadFile(l.CA)
		if err != nil {
			return nil, unreadable("nats.tls.ca", err)
		}
		if !x509.NewCertPool().AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("nats.tls.ca: %s holds no certificate; name a PEM file", l.CA)
		}
		opts = append(opts, nats.RootCAs(l.CA))
	}
	if l.Cert != "" {
		if _, err := tls.LoadX509KeyPair(l.Cert, l.Key); err != nil {
			return nil, fmt.Errorf("nats.tls.cert and nats.tls.key are no certificate and its key: %w; name two PEM files "+
				"that belong together", err)
		}
		opts = append(opts, nats.ClientCert(l.Cert, l.Key))
	}
	return opts, nil
}

func readable(setting, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return unreadable(setting, err)
	}
	return f.Close()
}

func unreadable(setting string, err error) error {
	return fmt.Errorf("%s cannot be read: %w; mend the path or its permissions", setting, err)
}

// checkAddress refuses a secret where it would be logged, and does not repeat it.
func checkAddress(address string) error {
	for _, one := range strings.Split(address, ",") {
		if u, err := url.Parse(strings.TrimSpace(one)); err != nil || u.User != nil {
			return errors.New("the address of the NATS server is no plain one, such as nats://host:4222; give user and " +
				"password apart from it")
		}
	}
	return nil
}

// refusal says why a broker that answers takes no connection, and how that is
// mended; "" where it is not known.
func (l Login) refusal(err error) string {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		plain     tls.RecordHeaderError
	)
	text := err.Error()
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked),
		errors.Is(err, nats.ErrAccountAuthExpired), errors.Is(err, nats.ErrNkeysNotSupported):
		return l.loginRefused(err)
	case l.Creds != "" && strings.Contains(text, "nkey"):
		return "nats.creds holds no user's JWT and seed; name a file as `nsc generate creds` writes it"
	case errors.As(err, &authority):
		return "its certificate is signed by an authority that is not trusted here; name the authority's certificate in " +
			"nats.tls.ca"
	case errors.As(err, &host):
		return "its certificate is for another host (" + host.Error() + "); use the name that the certificate has"
	case errors.As(err, &invalid):
		return "its certificate is not valid (" + invalid.Error() + "); renew it, or mend this machine's clock"
	case strings.Contains(text, "tls: certificate required"), strings.Contains(text, "tls: bad certificate"),
		strings.Contains(text, "tls: unknown certificate"),
		strings.Contains(text, "closed by remote after TLS handshake"): // the alert may come too late to be read
		return "it takes no client without a certificate that it trusts; name one in nats.tls.cert and nats.tls.key"
	case errors.Is(err, nats.ErrSecureConnWanted), errors.As(err, &plain):
		return "it has no TLS, which nats.tls or a tls:// address asks for; take that away, or give the server a certificate"
	case errors.Is(err, nats.ErrSecureConnRequired):
		return "it wants TLS; name its authority's certificate in nats.tls.ca"
	}
	return ""
}

func (l Login) hasToken() bool {
	secret, err := l.secret()
	return err == nil && secret() != ""
}

func (l Login) loginRefused(err error) string {
	switch {
	case l.Creds != "":
		return fmt.Sprintf("it does not take the credentials of nats.creds (%s); ask for new ones, or mend the path",
			strings.TrimPrefix(err.Error(), "nats: "))
	case l.User != "":
		return fmt.Sprintf("it does not take the user %s with this password; mend nats.user and nats.password_file, or "+
			"FORSOOTH_NATS_PASSWORD", l.User)
	case l.hasToken():
		return "it does not take this token; mend nats.token_file or FORSOOTH_NATS_TOKEN, or name a user in nats.user " +
			"or nats.creds"
	}
	return "it wants to know who connects; name a user in nats.user with nats.password_file, credentials in " +
		"nats.creds, or a token in nats.token_file"
}

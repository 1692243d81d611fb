package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
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

// refused keeps what the broker said that this user may not do. It says so apart
// from the request, whose answer never comes.
type refused struct {
	mu     sync.Mutex
	told   chan struct{} // closed and made anew at each refusal
	when   map[string]time.Time
	untold []*RightError // that nobody was told of
}

// maxRefused bounds what is kept of each; a subject may name a turn.
const maxRefused = 256

func newRefused() *refused { return &refused{told: make(chan struct{}), when: map[string]time.Time{}} }

var permissionText = regexp.MustCompile(`(?i)permissions violation for (publish|subscription) to "([^"]+)"`)

func (r *refused) note(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	m := permissionText.FindStringSubmatch(err.Error())
	if m == nil {
		return
	}
	e := &RightError{Subject: m[2], What: "publish on " + m[2]}
	if m[1] != "publish" && m[1] != "Publish" {
		e.What = "listen on " + m[2]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.when) >= maxRefused {
		clear(r.when)
	}
	if len(r.untold) < maxRefused {
		r.untold = append(r.untold, e)
	}
	r.when[e.Subject] = time.Now()
	close(r.told)
	r.told = make(chan struct{})
}

// since says whether a subject was refused after a time, and gives what is closed at
// the next refusal.
func (r *refused) since(subject string, began time.Time) (bool, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, is := r.when[subject]
	return is && !at.Before(began), r.told
}

// news are the refusals since the last call.
func (r *refused) news() ([]*RightError, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.untold
	r.untold = nil
	return out, r.told
}

// RightError is something that the user of this connection may not do.
type RightError struct {
	Subject, What string
	Mend          string // default: another user
}

func (e *RightError) Error() string {
	mend := e.Mend
	if mend == "" {
		mend = "connect as the user whose work it is (nats.user), or give this one the right: `forsooth " +
			"nats-accounts` writes what each needs"
	}
	return fmt.Sprintf("this NATS user may not %s; %s", e.What, mend)
}

// Denied turns the silence after a question that this user may not put into an error
// that says so.
func (c *Conn) Denied(subject string, began time.Time, err error) error {
	if no, _ := c.refused.since(subject, began); no {
		return &RightError{Subject: subject, What: "publish on " + subject}
	}
	return err
}

// rightly asks something of the broker, and does not wait for an answer that never
// comes where this user may not ask it on this subject.
func (c *Conn) rightly(ctx context.Context, may *RightError, ask func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	began := time.Now()
	done := make(chan error, 1)
	go func() { done <- ask(ctx) }()
	for {
		no, told := c.refused.since(may.Subject, began)
		if no {
			cancel()
			<-done //nolint:errcheck // nobody asks any more
			return may
		}
		select {
		case err := <-done:
			return err
		case <-told:
		}
	}
}

// administer asks the broker to change something.
func (c *Conn) administer(ctx context.Context, subject, what string, ask func(context.Context) error) error {
	return c.rightly(ctx, &RightError{Subject: subject, What: fmt.Sprintf("%s (publish %s)", what, subject),
		Mend: "an administrator does it once with `forsooth migrate --apply`"}, ask)
}

// askedAtMost is how long a question is put again where its context has no deadline.
const askedAtMost = 5 * time.Second

// ask puts a question rightly, and again where the broker or the connection was lost with
// the answer: a context may leave more time than one attempt is worth.
func (c *Conn) ask(ctx context.Context, may *RightError, ask func(context.Context) error) error {
	if _, ok := ctx.Deadline(); !ok {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, askedAtMost)
		defer stop()
	}
	return c.rightly(ctx, may, func(ctx context.Context) error { return untilAnswered(ctx, ask) })
}

// Look asks for a stream as it is now.
func (c *Conn) Look(ctx context.Context, name string) (s jetstream.Stream, err error) {
	subject := "$JS.API.STREAM.INFO." + name
	err = c.ask(ctx, &RightError{Subject: subject, What: fmt.Sprintf("look at stream %s (publish %s)", name, subject)},
		func(ctx context.Context) (err error) {
			s, err = c.js.Stream(ctx, name)
			return err
		})
	return s, err
}

// LookAtConsumer asks for a consumer as it is now.
func (c *Conn) LookAtConsumer(ctx context.Context, stream, name string) (out jetstream.Consumer, err error) {
	subject := "$JS.API.CONSUMER.INFO." + stream + "." + name
	err = c.ask(ctx, &RightError{Subject: subject, What: fmt.Sprintf("use consumer %s of %s (publish %s)", name, stream,
		subject)}, func(ctx context.Context) (err error) {
		out, err = c.js.Consumer(ctx, stream, name)
		return err
	})
	return out, err
}

// RefusedSince says whether this user was refused a subject after a time, and gives what
// is closed at the next refusal of any.
func (c *Conn) RefusedSince(subject string, began time.Time) (bool, <-chan struct{}) {
	return c.refused.since(subject, began)
}

// Refusals are what this user was refused since the last call, and what is closed at the
// next refusal.
func (c *Conn) Refusals() ([]*RightError, <-chan struct{}) { return c.refused.news() }

package llm

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/limits"
)

// line says in one line what is wrong with a provider and how to mend it. The key
// is not in it, whoever wrote it there.
func (r *rung) line(err error, model string) string { return r.says(r.problem(err, model)) }

func (r *rung) says(what string) string {
	return fmt.Sprintf("%s (%s): %s", r.Name, r.redact(r.host()), what)
}

func (r *rung) host() string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return "an address that cannot be read"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// problem is what is wrong, in our words where there are any.
func (r *rung) problem(err error, model string) string {
	status, message := refusal(err)
	if status > 0 {
		return r.refusedWith(status, r.clean(message), model)
	}
	for _, p := range problems {
		if p.is(err) {
			return p.line
		}
	}
	if errors.Is(err, errResting) {
		return err.Error() // of lines that are clean
	}
	if errors.Is(err, ErrAnswer) {
		return r.clean(err.Error()) + "; take a model that keeps to a schema"
	}
	var atURL *url.Error
	if errors.As(err, &atURL) { // the address is said, and may hold a key
		err = atURL.Err
	}
	return r.clean(err.Error()) + "; look whether a model's server is at llm.url"
}

var ofUnknownModel = regexp.MustCompile(`(?i)model.*(not found|not exist|unknown|no such|not loaded|not available)` +
	`|(unknown|no such|invalid) model|model_not_found`)

// refusedWith is a server's refusal. What it says of a key is not repeated.
func (r *rung) refusedWith(status int, message, model string) string {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "it refuses the key; export FORSOOTH_LLM_KEY or name a file in llm.key_file"
	case (status == http.StatusNotFound || status == http.StatusBadRequest) && ofUnknownModel.MatchString(message):
		if model == "" {
			return "it wants a model by name; set llm.model to one that it lists"
		}
		return fmt.Sprintf("it has no model %q; set llm.model to one that it lists", model)
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return "it has no /chat/completions there; mend llm.url, which usually ends in /v1"
	case status == http.StatusTooManyRequests:
		return "it takes no more requests for now (429): " + strings.TrimRight(message, ".") +
			"; ask less, or raise the limit of the key"
	case status >= 500:
		return fmt.Sprintf("it fails (%d): %s; look at the server's log", status, strings.TrimRight(message, "."))
	case strings.Contains(message, "HTTP request to an HTTPS server"):
		return "it speaks https; begin llm.url with https://"
	}
	return fmt.Sprintf("it refuses the request (%d): %s; look whether llm.model can chat", status,
		strings.TrimRight(message, "."))
}

// problems are what goes wrong before a server answers, or instead of it.
var problems = []struct {
	is   func(error) bool
	line string
}{
	{isA(errPage), "it answers with a web page, so it is not the address of a model's server; mend llm.url, which " +
		"usually ends in /v1"},
	{isA(limits.ErrRedirect), limits.ErrRedirect.Error() + " in llm.url"},
	{isA(limits.ErrHost), "this host may not be asked; name it in outbound.hosts, or mend llm.url"},
	{isCertificate, "its certificate is not trusted; name the authority's file in llm.ca_file"},
	{isNoHost, "no host has this name; mend llm.url"},
	{isA(syscall.ECONNREFUSED), "nobody listens there; start the server or mend llm.url"},
	{isA(http.ErrSchemeMismatch), "it speaks http; begin llm.url with http://"},
	{isA(errEmpty), "its answer is empty; take another model, or allow more in llm.calls.<call>.max_tokens"},
	{isA(errBroke), "its answer broke off before its end; allow more in llm.calls.<call>.max_tokens"},
	{isA(errEndless), "its answer does not end; set a lower llm.calls.<call>.max_tokens, or take another model"},
	{isA(context.DeadlineExceeded), "it did not answer in time; allow more in llm.calls.<call>.timeout_ms or take a " +
		"faster model"},
	{isA(io.EOF), "it hung up before it answered; " +
		"look at the server's log, and whether llm.url should begin with https://"},
	{isA(io.ErrUnexpectedEOF), "it hung up in the middle of its answer; look at the server's log, and whether " +
		"llm.url should begin with https://"},
	{isA(syscall.ECONNRESET), "it hung up in the middle of its answer; look at the server's log, and whether llm.url " +
		"should begin with https://"},
	{isNoJSON, "its answer is not OpenAI's protocol; mend llm.url, which usually ends in /v1"},
}

func isA(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func isCertificate(err error) bool {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	var verify *tls.CertificateVerificationError
	return errors.As(err, &unknown) || errors.As(err, &invalid) || errors.As(err, &host) || errors.As(err, &verify)
}

func isNoHost(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}

func isNoJSON(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}

// neverSent says whether a request reached no server.
func neverSent(err error) bool {
	var dial *net.OpError
	var dns *net.DNSError
	return errors.As(err, &dial) && dial.Op == "dial" || errors.As(err, &dns) || isCertificate(err) || refusedHere(err) &&
		!refusedThere(err)
}

func refusedThere(err error) bool {
	status, _ := refusal(err)
	return status > 0
}

// passing says whether an error may be gone when the server is asked again.
func passing(err error) bool {
	status, _ := refusal(err)
	switch {
	case errors.Is(err, errPage), errors.Is(err, limits.ErrRedirect), errors.Is(err, http.ErrSchemeMismatch),
		isCertificate(err), isNoHost(err), isNoJSON(err):
		return false
	case status == 0, status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		return true
	}
	return false
}

// clean makes a server's words fit to be shown. The key goes first: cut in two it
// would not be known again.
func (r *rung) clean(s string) string {
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(r.redact(s), ""))
	return upTo(oneLine(s), maxWords)
}

// maxWords is a line of a screen or two.
const maxWords = 240

func (r *rung) redact(s string) string {
	if r.Key == "" {
		return s
	}
	quoted, _ := json.Marshal(r.Key) //nolint:errchkjson // a string
	for _, key := range []string{r.Key, strings.Trim(string(quoted), `"`), url.QueryEscape(r.Key), url.PathEscape(r.Key)} {
		s = strings.ReplaceAll(s, key, "[redacted]")
	}
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// upTo cuts a text that is too long, between two characters.
func upTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + " …"
}

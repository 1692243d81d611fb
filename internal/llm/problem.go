package llm

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// line says in one line what is wrong with a provider and how to mend it. The key
// is taken out, whoever wrote it there.
func (r *rung) line(err error) string {
	said := fmt.Sprintf("%s (%s): %s", r.Name, r.host(), r.problem(err))
	if r.Key != "" {
		said = strings.ReplaceAll(said, r.Key, "[redacted]")
	}
	return oneLine(said)
}

func (r *rung) host() string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return "an address that cannot be read"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

func (r *rung) problem(err error) string {
	status, message := refusal(err)
	message = short(message)
	var dns *net.DNSError
	switch {
	case errors.Is(err, errPage):
		return "it answers with a web page, so it is not the address of a model's server; the address usually ends in /v1"
	case isCertificate(err):
		return "its certificate is not trusted; name the authority's file in llm.ca_file"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "it refuses the key; export FORSOOTH_LLM_KEY or name a file in llm.key_file"
	case status == http.StatusNotFound && strings.Contains(strings.ToLower(message), "model"):
		return fmt.Sprintf("it has no model %q; set llm.model to one that it lists", r.Model)
	case status == http.StatusNotFound:
		return "it has no /chat/completions there; the address usually ends in /v1"
	case status == http.StatusTooManyRequests:
		return "it takes no more requests for now (429): " + message
	case status >= 500:
		return fmt.Sprintf("it fails (%d): %s", status, message)
	case status >= 400:
		return fmt.Sprintf("it refuses the request (%d): %s", status, message)
	case errors.As(err, &dns):
		return "no host has this name; mend llm.url"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nobody listens there; start the server or mend llm.url"
	case errors.Is(err, context.DeadlineExceeded):
		return "it did not answer in time; allow more in llm.calls.<call>.timeout_ms or take a faster model"
	case errors.Is(err, errEmpty), errors.Is(err, errEndless), errors.Is(err, errResting), errors.Is(err, ErrAnswer):
		return short(err.Error())
	}
	return short(err.Error())
}

func isCertificate(err error) bool {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	var verify *tls.CertificateVerificationError
	return errors.As(err, &unknown) || errors.As(err, &invalid) || errors.As(err, &host) || errors.As(err, &verify)
}

func isDenied(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}

// short keeps a server's words to one line of a screen or two.
func short(s string) string {
	s = oneLine(s)
	if len(s) > 240 {
		s = strings.ToValidUTF8(s[:240], "") + " …"
	}
	return s
}

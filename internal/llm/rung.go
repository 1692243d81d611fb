package llm

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sashabaranov/go-openai"
	"github.com/sony/gobreaker/v2"
)

// rung is a provider of the ladder with what was found out about it.
type rung struct {
	Provider
	client  *openai.Client
	http    *http.Client
	breaker *gobreaker.CircuitBreaker[spoken]

	form     atomic.Int32 // how far down the ways to ask for JSON the server is
	noUsage  atomic.Bool  // it refuses stream_options
	noStream atomic.Bool  // it refuses to stream
}

// The breaker opens after this many failures in a row, and lets one call through
// again after breakerRest.
const (
	breakerTrips = 5
	breakerRest  = 10 * time.Second
)

func newRung(p Provider) (*rung, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 256
	if p.CAFile != "" {
		pool, err := trusted(p.CAFile)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	r := &rung{Provider: p, http: &http.Client{Transport: &watching{next: transport}, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("it redirects; write the address that it redirects to") // a key is not carried elsewhere
	}}}
	config := openai.DefaultConfig(p.Key)
	config.BaseURL, config.HTTPClient = strings.TrimRight(p.URL, "/"), r.http
	config.EmptyMessagesLimit = 1 << 16
	r.client = openai.NewClientWithConfig(config)
	r.breaker = gobreaker.NewCircuitBreaker[spoken](gobreaker.Settings{
		Name: p.Name, Timeout: breakerRest,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= breakerTrips },
		IsSuccessful: func(err error) bool { return err == nil || !sick(err) },
	})
	return r, nil
}

func trusted(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the file of trusted certificates cannot be read: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", file)
	}
	return pool, nil
}

// sick says whether an error speaks of the server and not of the request, the
// answer or the caller.
func sick(err error) bool {
	var api *openai.APIError
	var request *openai.RequestError
	var reader *readerError
	switch {
	case errors.As(err, &reader), errors.Is(err, context.Canceled):
		return false
	case errors.As(err, &api):
		return api.HTTPStatusCode == http.StatusTooManyRequests || api.HTTPStatusCode >= 500
	case errors.As(err, &request):
		return request.HTTPStatusCode == http.StatusTooManyRequests || request.HTTPStatusCode >= 500
	}
	return true
}

// heard is what a response told besides its body.
type heard struct {
	retryAfter string
	html       bool
}

type heardKey struct{}

// watching notes what the client library does not hand on: Retry-After, a page
// instead of an answer, and an answer in one piece where a stream was asked for,
// which it turns into a stream of one.
type watching struct{ next *http.Transport }

func (w *watching) CloseIdleConnections() { w.next.CloseIdleConnections() }

// errPage is a server that is none of a model.
var errPage = errors.New("it answers with a web page")

func (w *watching) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	h, _ := r.Context().Value(heardKey{}).(*heard)
	if h != nil {
		h.retryAfter = resp.Header.Get("Retry-After")
	}
	kind := strings.ToLower(resp.Header.Get("Content-Type"))
	if strings.HasPrefix(kind, "text/html") {
		if h != nil {
			h.html = true
		}
		_ = resp.Body.Close()
		return nil, errPage
	}
	if resp.StatusCode == http.StatusOK && strings.Contains(r.Header.Get("Accept"), "text/event-stream") && strings.HasPrefix(kind, "application/json") {
		return asStream(resp)
	}
	resp.Body = &limited{ReadCloser: resp.Body, left: maxBody}
	return resp, nil
}

// maxBody bounds what is read of one response, maxAnswer what is kept of its text.
const (
	maxBody   = 16 << 20
	maxAnswer = 256 << 10
)

type limited struct {
	io.ReadCloser
	left int64
}

var errEndless = errors.New("its answer does not end")

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errEndless
	}
	n, err := l.ReadCloser.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

package llm

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/sashabaranov/go-openai"
	"github.com/sony/gobreaker/v2"

	"github.com/forsooth-npc/forsooth/internal/limits"
)

// rung is a provider of the ladder with what was found out about it.
type rung struct {
	Provider
	client    *openai.Client
	http      *http.Client
	breaker   *gobreaker.CircuitBreaker[spoken]
	abilities sync.Map               // *ability by model
	last      atomic.Pointer[string] // what was wrong the last time
}

func newRung(p Provider, rest time.Duration) (*rung, error) {
	if u, err := url.Parse(p.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s: llm.url is no address that begins with http:// or https://", p.Name)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // the standard library's own
	transport.MaxIdleConnsPerHost = 256
	if p.CAFile != "" {
		pool, err := trusted(p.CAFile)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	client := &http.Client{Transport: &listening{next: p.Hosts.Over(transport)}, CheckRedirect: limits.NoRedirect}
	config := openai.DefaultConfig(p.Key)
	config.BaseURL, config.HTTPClient = strings.TrimRight(p.URL, "/"), client
	config.EmptyMessagesLimit = 1 << 16
	return &rung{Provider: p, http: client, client: openai.NewClientWithConfig(config),
		breaker: newBreaker(p.Name, rest)}, nil
}

// cost is what a call cost, in the currency of the prices.
func (r *rung) cost(out spoken) float64 {
	return (float64(out.in)*r.PriceIn + float64(out.out)*r.PriceOut) / 1e6
}

func trusted(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the file of trusted certificates (llm.ca_file) cannot be read: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("llm.ca_file: %s holds no certificate in PEM form", file)
	}
	return pool, nil
}

// The breaker opens after this many failures in a row, and lets one call through
// again after its rest.
const (
	breakerTrips = 5
	breakerRest  = 10 * time.Second
)

func newBreaker(name string, rest time.Duration) *gobreaker.CircuitBreaker[spoken] {
	return gobreaker.NewCircuitBreaker[spoken](gobreaker.Settings{
		Name: name, Timeout: rest,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= breakerTrips },
		IsSuccessful: func(err error) bool { return err == nil || !sick(err) },
		IsExcluded:   saysNothing,
	})
}

// errResting is a provider whose breaker is open.
var errResting = errors.New("it has failed too often just now")

// resting is errResting with the last that was wrong.
func (r *rung) resting() error {
	if last := r.last.Load(); last != nil {
		return fmt.Errorf("%w; the last time: %s", errResting, *last)
	}
	return errResting
}

// saysNothing says whether a call ended for a reason that tells nothing about the
// server: its caller went away, or its turn had hardly any time left.
func saysNothing(err error) bool {
	var reader *readerError
	return errors.As(err, &reader) || errors.Is(err, context.Canceled) || errors.Is(err, errHasty)
}

// sick says whether an error speaks of the server, and not of the request or of
// what the model said.
func sick(err error) bool {
	var api *openai.APIError
	var request *openai.RequestError
	status := 0
	switch {
	case errors.Is(err, ErrAnswer):
		return false
	case errors.As(err, &api):
		status = api.HTTPStatusCode
	case errors.As(err, &request):
		status = request.HTTPStatusCode
	case refusedHere(err):
		return false
	}
	return status < 400 || status == http.StatusTooManyRequests || status >= 500
}

// refusedHere is a request that the client library does not send.
func refusedHere(err error) bool {
	_, ok := refusedForm(err)
	return ok
}

// maxWait is the longest that a call waits for a server before the next provider
// is asked.
const maxWait = 3 * time.Second

// backoff grows from 100 ms, with a jitter of half of it either way. The jitter is
// drawn here, for the policy would draw it from a source of its own.
func (m *Models) backoff(failures int) time.Duration {
	policy := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(100*time.Millisecond),
		backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(0),
		backoff.WithMaxInterval(maxWait/2),
		backoff.WithMaxElapsedTime(0),
	)
	wait := policy.NextBackOff()
	for range failures - 1 {
		wait = policy.NextBackOff()
	}
	return time.Duration(float64(wait) * (0.5 + m.options.Rand()))
}

// parseRetryAfter reads the header of RFC 9110, section 10.2.3: seconds or a date.
func parseRetryAfter(value string, now time.Time) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, longest.Seconds()) * float64(time.Second)), true
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(0, at.Sub(now)), longest), true
	}
	return 0, false
}

// longest is as good as never.
const longest = 24 * time.Hour

// Retries are a share of all calls. A client that has just begun may retry a few times.
const (
	firstRetries = 3
	mostRetries  = 20
)

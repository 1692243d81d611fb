package llm

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

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

package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/forsooth-npc/forsooth/internal/limits"
)

const (
	webhookTimeout = 10 * time.Second // of one try
	webhookTries   = 3
	webhookPause   = time.Second // before the second try, on average; longer before the third
)

// webhook posts reports to an address.
type webhook struct {
	address string
	host    string // for errors: the address may hold a secret
	client  *http.Client
	pause   time.Duration
	failed  func() // counts a report that was not taken
}

func newWebhook(address string, hosts limits.Hosts) *webhook {
	host := "the webhook"
	if u, err := url.Parse(address); err == nil {
		host = u.Host
	}
	transport := hosts.Over(&http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
		DisableKeepAlives: true})
	return &webhook{address: address, host: host, pause: webhookPause, failed: func() {},
		client: &http.Client{Transport: transport, Timeout: webhookTimeout, CheckRedirect: limits.NoRedirect}}
}

// post sends a report. A server that fails or is not there is tried again; one that
// refuses is not.
func (w *webhook) post(ctx context.Context, data []byte) error {
	if w == nil {
		return nil
	}
	policy := backoff.NewExponentialBackOff(backoff.WithInitialInterval(w.pause), backoff.WithMultiplier(4))
	err := backoff.Retry(func() error { return w.try(ctx, data) },
		backoff.WithContext(backoff.WithMaxRetries(policy, webhookTries-1), ctx))
	if err != nil {
		w.failed()
		return fmt.Errorf("%s: %w", w.host, err)
	}
	return nil
}

func (w *webhook) try(ctx context.Context, data []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address, bytes.NewReader(data))
	if err != nil {
		return backoff.Permanent(errors.New("the address cannot be used; mend guards.report.webhook"))
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := w.client.Do(request)
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the address
	}
	if errors.Is(err, limits.ErrHost) || errors.Is(err, limits.ErrRedirect) {
		return backoff.Permanent(err)
	}
	if err != nil {
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	_, _ = io.CopyN(io.Discard, answer.Body, 4<<10)
	switch {
	case answer.StatusCode < 300:
		return nil
	case answer.StatusCode >= 500, answer.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("it answers %s", answer.Status)
	}
	return backoff.Permanent(fmt.Errorf("it answers %s; mend guards.report.webhook", answer.Status))
}
